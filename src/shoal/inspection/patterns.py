"""What the values of a column look like: e-mails, card numbers, names of people, dates, words of a known kind.

A kind is recognised in a sample of the distinct values; enough of them must fit. Only the topic leaves this file.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from shoal.inspection import national_numbers
from shoal.inspection.lexicon import CHINESE, GIVEN, JAPANESE, SURNAMES
from shoal.tables.column_names import Role, folded

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
    return national_numbers.passes_luhn(digits)


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


def is_month(text: str) -> bool:
    """Whether a text is a month, a quarter or a week of a year.

    >>> is_month("2024-01"), is_month("3/2021"), is_month("Mar 2020"), is_month("2020-W07"), is_month("2020Q1")
    (True, True, True, True, True)
    >>> is_month("13/2021"), is_month("2021")
    (False, False)
    """
    return _PERIOD.fullmatch(text) is not None


_PERIOD = re.compile(
    rf"(?:1[89]|20)[0-9]{{2}}[-/.](?:0[1-9]|1[0-2])|(?:0?[1-9]|1[0-2])[-/.](?:1[89]|20)[0-9]{{2}}"
    rf"|{_MONTH}[ .,/-]+(?:1[89]|20)[0-9]{{2}}|(?:1[89]|20)[0-9]{{2}}(?:-?W[0-5][0-9]|[-/ ]?Q[1-4])",
    re.IGNORECASE,
)


def is_time(text: str) -> bool:
    """Whether a text is a time of day.

    >>> is_time("9:30"), is_time("23:59:30"), is_time("24:10"), is_time("10:5")
    (True, True, False, False)
    """
    return re.fullmatch(r"(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]+)?)?", text) is not None


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
    "street|st|avenue|ave|road|rd|lane|ln|drive|dr|way|boulevard|blvd|court|ct|place|pl|square|sq|terrace|path|highway"
    "|hwy"
    "|close|crescent|alley|parkway|pkwy|row|view|walk|circle|trail|gardens|grove|hill|green|mews|loop|cove|ridge|run"
    "|pike"
)
_STREET_ENDS = (
    "stra(?:ss|ß)e|str\\.?|gasse|weg|platz|allee|ring|ufer|damm|vei|veien|veg|vegen|gata|gate|straat|laan|plein|gatan"
    "|vägen"
    "|vej|vejen|gade|katu|tie|kuja|polku|utca|út"
)
_STREET_STARTS = (
    "calle|c/|rua|via|viale|corso|piazza|rue|plaza|avenida|av\\.?|avda\\.?|travessa|largo|avenue|boulevard|place"
    "|chemin|impasse"
    "|quai|allée|ul\\.|ulica|al\\.|os\\.|pl\\.|улица|ул\\.|проспект|пр\\.|пер\\."
)
_ADDRESS = re.compile(
    rf"[0-9]+[a-z]?,? (?:[^\W\d][\w.'’-]* ){{1,4}}(?:{_STREET})\b.*"
    rf"|[0-9]+[a-z]?(?: (?:bis|ter))?,? (?:{_STREET_STARTS}) .+"
    rf"|(?:{_STREET_STARTS}) .*[0-9]+.*"
    rf"|[^\W\d][\w .'’-]*(?:{_STREET_ENDS}) [0-9]+ ?[a-z]?\b.*"
    r"|.*\b(?:cad|caddesi|sok|sokak|mah|mahallesi)\b\.?.*[0-9]+.*"
    r"|.*[0-9一二三四五六七八九十]+(?:丁目|番地|号).*|.*[市区路街].*[0-9]+.*号?.*",
    re.IGNORECASE,
)


def is_named_person(text: str) -> bool:
    """Whether a text is one to five words of letters, one of them a common given name or surname.

    >>> is_named_person("Maria Gonzalez"), is_named_person("Smith, John"), is_named_person("Human Resources")
    (True, True, False)
    >>> is_named_person("王小明"), is_named_person("佐藤 健"), is_named_person("Иванова Анна")
    (True, True, True)
    """
    parts = [part for part in re.split(r"[ ,.]+", folded(text.strip().lower())) if part]
    if len(parts) > 5 or not all(map(_is_word, parts)):
        return False
    if any(not name.isdisjoint(parts) for name in (GIVEN, SURNAMES)):
        return True
    return _EASTERN.fullmatch(text.strip()) is not None or any(map(_ENDINGS.fullmatch, parts))


_EASTERN = re.compile(
    f"(?:{CHINESE})[\u4e00-\u9fff]{{1,2}}|(?:{JAPANESE})[ \u3000]?[\u3040-\u30ff\u4e00-\u9fff々]{{1,4}}"
)
_ENDINGS = re.compile(
    "[а-я]{2,}(?:ов|ова|ев|ева|ин|ина|скии|ская|енко|ович|евич|овна|евна)"
    "|[a-z]{3,}(?:sson|ssen|rsen|nsen|wski|wska|nski|nska|wicz|czyk|kova|ovic|escu|inen|oglu|elli|etti|opoulos|idis|enko"
    "|quist|qvist|gaard|ijk|stra|huber|mayr|meier|meyer|shvili)"
)
"""Endings of surnames."""


def _is_word(text: str) -> bool:
    return re.fullmatch(r"[^\W\d_]+(?:['’-][^\W\d_]+)*", text) is not None


def is_device(text: str) -> bool:
    """Whether a text is the number of a phone (IMEI): 15 digits with Luhn's check digit."""
    return re.fullmatch("[0-9]{15}", text) is not None and national_numbers.passes_luhn(text)


def is_moment(text: str) -> bool:
    """Whether a text is a date and a time of day to the minute.

    >>> is_moment("2024-01-31 14:35"), is_moment("31.1.2024 08:01:59"), is_moment("2024-01-31T00:00:00")
    (True, True, False)
    """
    return is_date(text) and _TO_THE_MINUTE.search(text) is not None


_TO_THE_MINUTE = re.compile(r"[T ][0-2]?[0-9]:(?:0[1-9]|[1-5][0-9])|[T ][0-2]?[0-9]:00:(?:0[1-9]|[1-5][0-9])")


_TITLES = (
    "dr|prof|mr|mrs|ms|miss|sir|herr|frau|mme|mlle|madame|sr|sra|dr\\.? med|dott|dra|hr|fru|pan|pani|ing|mgr|г-н|г-жа"
)


def _national(country: str) -> str:
    return f"national numbers of {country}"


IDENTIFYING = (
    Kind(Role.IDENTIFIER, "e-mail addresses", _like(r"(?:mailto:)?<?[^@\s]+@[^@\s]+\.[^@\s.]{2,}")),
    Kind(Role.IDENTIFIER, "UUIDs", _like(r"\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?", re.IGNORECASE)),
    Kind(Role.IDENTIFIER, "US social security numbers", _like(r"[0-9]{3}-[0-9]{2}-[0-9]{4}")),
    Kind(Role.IDENTIFIER, "payment card numbers", is_card),
    Kind(Role.IDENTIFIER, "bank account numbers (IBAN)", is_iban),
    Kind(Role.IDENTIFIER, "network addresses", is_network_address),
    *(
        Kind(Role.IDENTIFIER, _national(country), partial(national_numbers.has_digits, length, check))
        for country, length, check in national_numbers.CHECKED
    ),
    *(Kind(Role.IDENTIFIER, _national(country), _like(form)) for country, form in national_numbers.FORMS),
    Kind(Role.IDENTIFIER, _national("Spain"), national_numbers.is_spanish),
    Kind(Role.IDENTIFIER, _national("Finland"), national_numbers.is_finnish),
    Kind(Role.IDENTIFIER, _national("China"), national_numbers.is_chinese),
    Kind(Role.IDENTIFIER, _national("Chile"), national_numbers.is_chilean),
    Kind(Role.IDENTIFIER, "names of people", _like(rf"(?:{_TITLES})\.? [^\W\d][^\d]+", re.IGNORECASE)),
    Kind(Role.IDENTIFIER, "phone numbers", is_phone),
    Kind(Role.IDENTIFIER, "street addresses", lambda text: _ADDRESS.fullmatch(text) is not None, 0.6),
    Kind(Role.IDENTIFIER, "device numbers (IMEI)", is_device),
    Kind(Role.IDENTIFIER, "hashes or keys", _like(r"(?:0x)?[0-9a-f]{16,128}", re.IGNORECASE)),
    Kind(Role.IDENTIFIER, "online accounts or web pages", _like(r"(?:https?://|www\.)\S+|@\w[\w.]{2,}", re.IGNORECASE)),
    Kind(
        Role.IDENTIFIER,
        "geographic coordinates",
        _like(r"(?:POINT ?)?[\[(]?-?[0-9]{1,3}\.[0-9]{3,}°?[,; ] ?-?[0-9]{1,3}\.[0-9]{3,}°?[\])]?", re.IGNORECASE),
    ),
    Kind(Role.IDENTIFIER, "passport or licence numbers", _like(r"[A-Z]{1,2}[0-9]{6,9}[A-Z]{0,2}")),
)
"""Kinds that point to one person by themselves."""
EMBEDDED = (
    ("e-mail addresses", r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}"),
    ("phone numbers", r"\+[0-9][0-9 ()/-]{7,}[0-9]|\(?\b[0-9]{3}\)?[-. ][0-9]{3}[-. ][0-9]{4}\b"),
    ("numbers of people", r"\b[0-9]{3}-[0-9]{2}-[0-9]{4}\b|\b[0-9]{9,}\b|\b[A-Z]{2}[0-9]{2}(?: ?[0-9A-Z]{4}){3,}"),
    ("web addresses", r"https?://|www\."),
)
"""What free text may have in it, by topic; the expressions are those of polars."""
PEOPLE = Kind(Role.IDENTIFIER, "names of people", is_named_person, 0.25)
MOSTLY_PEOPLE = Kind(Role.IDENTIFIER, "names of people", is_named_person, 0.8)
DATES = Kind(Role.QUASI, "dates", is_date)
MONTHS = Kind(Role.QUASI, "months, quarters or weeks", is_month)
TIMES = Kind(Role.QUASI, "times of day", is_time)
MOMENTS = Kind(Role.QUASI, "dates with a time of day", is_moment, 0.5)
ZIP_CODES = Kind(Role.QUASI, "postcodes", _like(r"[0-9]{5}(?:-[0-9]{4})?|[A-Z]{1,2}[0-9][A-Z0-9]? ?[0-9][A-Z]{2}"))
DIAGNOSES = Kind(Role.SENSITIVE, "diagnosis codes (ICD)", _like(r"[A-TV-Z][0-9]{2}(?:\.[0-9A-Z]{1,4})?"), 0.9)
CODES = Kind(Role.IDENTIFIER, "long codes", _like(r"(?=.*[0-9])(?=.{5})[\w#][\w:/.-]*(?: [\w:/.-]+)?"))
