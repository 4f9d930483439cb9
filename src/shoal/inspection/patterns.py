"""What the values of a column look like: e-mails, card numbers, names of people, dates, words of a known kind.

A kind is recognised in a sample of the distinct values; enough of them must fit. Only the topic leaves this file.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shoal.inspection.lexicon import GIVEN
from shoal.tables.column_names import Role

GLANCE = 20
"""Values looked at first; a kind that less than half of them fit is not tried on the rest."""


@dataclass(frozen=True)
class Kind:
    """Values of one kind, and the share of the distinct values that must be of it."""

    role: Role
    topic: str
    is_one: Callable[[str], bool]
    share: float = 0.8

    def fits(self, values: Sequence[str]) -> bool:
        """Whether enough of the values are of this kind."""
        step = max(len(values) // GLANCE, 1)
        glance = values[::step][:GLANCE]
        if sum(map(self.is_one, glance)) < self.share * len(glance) / 2:
            return False
        return sum(map(self.is_one, values)) >= self.share * len(values)


def _like(pattern: str, flags: int = 0) -> Callable[[str], bool]:
    compiled = re.compile(pattern, flags)
    return lambda text: compiled.fullmatch(text) is not None


def is_card(text: str) -> bool:
    """Whether a text is a payment card's number: 13 to 19 digits with Luhn's check digit.

    >>> is_card("4111 1111 1111 1111"), is_card("4111 1111 1111 1112")
    (True, False)
    """
    digits = re.sub(r"[ -]", "", text)
    if not re.fullmatch(r"[2-6][0-9]{12,18}", digits):
        return False
    doubled = [int(digit) * 2 for digit in digits[-2::-2]]
    return (sum(map(int, digits[-1::-2])) + sum(one - 9 if one > 9 else one for one in doubled)) % 10 == 0


def is_iban(text: str) -> bool:
    """Whether a text is an international bank account number: its rest modulo 97 is 1.

    >>> is_iban("GB82 WEST 1234 5698 7654 32"), is_iban("GB83 WEST 1234 5698 7654 32")
    (True, False)
    """
    plain = text.replace(" ", "").upper()
    if not re.fullmatch(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{10,30}", plain):
        return False
    return int("".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])) % 97 == 1


def is_phone(text: str) -> bool:
    """Whether a text is a phone number: 7 to 15 digits with a plus, brackets or gaps, and not a date.

    >>> is_phone("+47 22 22 55 55"), is_phone("(555) 010-9999"), is_phone("2024-01-31"), is_phone("1234567")
    (True, True, False, False)
    """
    digits = sum(sign.isdigit() for sign in text)
    shaped = re.fullmatch(r"\+?[0-9(][0-9()/. -]{5,22}[0-9](?: ?(?:x|ext\.?) ?[0-9]{1,5})?", text) is not None
    marked = text.startswith(("+", "(")) or len(re.findall(r"[0-9]+", text)) >= 3
    return shaped and marked and 7 <= digits <= 15 and not is_date(text) and not _OTHER_NUMBER.fullmatch(text)


_OTHER_NUMBER = re.compile(r"[0-9]{3}-[0-9]{2}-[0-9]{4}|[0-9]+\.[0-9]+|[0-9]{1,3}(?:\.[0-9]{1,3}){3}")


def is_date(text: str) -> bool:
    """Whether a text is a date in one of the usual ways of writing.

    >>> is_date("2024-01-31"), is_date("31.1.2024"), is_date("3/17/87"), is_date("5 May 1990"), is_date("99/99/2024")
    (True, True, True, True, False)
    """
    return _DATE.fullmatch(text) is not None


_MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_TIME = r"(?:[T ][0-2]?[0-9]:[0-5][0-9].*)?"
_DATE = re.compile(
    rf"(?:(?:1[89]|20)[0-9]{{2}}[-/.][01]?[0-9][-/.][0-3]?[0-9]|[0-3]?[0-9][-/.][0-3]?[0-9][-/.](?:1[89]|20)?[0-9]{{2}}"
    rf"|[0-3]?[0-9][ .-]+{_MONTH}[ .,-]+[0-9]{{2,4}}|{_MONTH} [0-3]?[0-9],? [0-9]{{4}}){_TIME}",
    re.IGNORECASE,
)


def is_network_address(text: str) -> bool:
    """Whether a text is an IP or MAC address.

    >>> is_network_address("192.168.0.1"), is_network_address("::1"), is_network_address("1.2.3")
    (True, True, False)
    """
    if re.fullmatch(r"(?:[0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}", text):
        return True
    if "." not in text and ":" not in text:
        return False
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


_STREET = (
    "street|st|avenue|ave|road|rd|lane|ln|drive|dr|way|boulevard|blvd|court|ct|place|pl|square|sq|terrace|path|highway|hwy"
    "|close|crescent|alley|parkway|pkwy|row|view|walk|circle|trail"
)
_ADDRESS = re.compile(
    rf"[0-9]+[a-z]?,? (?:[^\W\d][\w.'’-]* ){{1,4}}(?:{_STREET})\b.*"
    r"|[0-9]+[a-z]?,? (?:rue|avenue|boulevard|place|via) .+"
    r"|(?:calle|rua|via|rue|plaza|avenida) .*[0-9]+.*"
    r"|[^\W\d][\w .'’-]*(?:stra(?:ss|ß)e|str\.|gasse|weg|platz|allee|vei|veien|gata|gate|straat|laan|gatan|vej)"
    r" [0-9]+ ?[a-z]?\b.*",
    re.IGNORECASE,
)


def is_named_person(text: str) -> bool:
    """Whether a text is one to four words of letters, one of them a common given name.

    >>> is_named_person("Maria Gonzalez"), is_named_person("Smith, John"), is_named_person("Human Resources")
    (True, True, False)
    """
    parts = re.split(r"[ ,.]+", text.strip().lower())
    return len(parts) <= 5 and all(map(_is_word, filter(None, parts))) and not GIVEN.isdisjoint(parts)


def _is_word(text: str) -> bool:
    return re.fullmatch(r"[^\W\d_]+(?:['’-][^\W\d_]+)*", text) is not None


IDENTIFYING = (
    Kind(Role.IDENTIFIER, "e-mail addresses", _like(r"[^@\s]+@[^@\s]+\.[^@\s.]{2,}")),
    Kind(Role.IDENTIFIER, "UUIDs", _like(r"\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?", re.IGNORECASE)),
    Kind(Role.IDENTIFIER, "US social security numbers", _like(r"[0-9]{3}-[0-9]{2}-[0-9]{4}")),
    Kind(Role.IDENTIFIER, "payment card numbers", is_card),
    Kind(Role.IDENTIFIER, "bank account numbers (IBAN)", is_iban),
    Kind(Role.IDENTIFIER, "network addresses", is_network_address),
    Kind(Role.IDENTIFIER, "phone numbers", is_phone),
    Kind(Role.IDENTIFIER, "street addresses", lambda text: _ADDRESS.fullmatch(text) is not None, 0.6),
    Kind(Role.IDENTIFIER, "passport or licence numbers", _like(r"[A-Z]{1,2}[0-9]{6,9}[A-Z]{0,2}")),
)
"""Kinds that point to one person by themselves."""
PEOPLE = Kind(Role.IDENTIFIER, "names of people", is_named_person, 0.25)
DATES = Kind(Role.QUASI, "dates", is_date)
ZIP_CODES = Kind(Role.QUASI, "postcodes", _like(r"[0-9]{5}(?:-[0-9]{4})?|[A-Z]{1,2}[0-9][A-Z0-9]? ?[0-9][A-Z]{2}"))
DIAGNOSES = Kind(Role.SENSITIVE, "diagnosis codes (ICD)", _like(r"[A-TV-Z][0-9]{2}(?:\.[0-9A-Z]{1,4})?"), 0.9)
CODES = Kind(Role.IDENTIFIER, "long codes", _like(r"(?=.*[0-9])[A-Za-z0-9][A-Za-z0-9:/_.-]{5,}"))
