"""National numbers of people, recognised by their form and check digits: each country's numbers are one kind.

A check digit lets one random number of ten or eleven pass, so a column most of whose values pass holds such numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

GAPS = re.compile(r"[ .\-/]")
"""Signs that people write between the digits."""


def passes_luhn(digits: str) -> bool:
    """Whether the last digit is Luhn's check digit of the others.

    >>> passes_luhn("79927398713"), passes_luhn("79927398714")
    (True, False)
    """
    doubled = [int(digit) * 2 for digit in digits[-2::-2]]
    return (sum(map(int, digits[-1::-2])) + sum(one - 9 if one > 9 else one for one in doubled)) % 10 == 0


def _sum(digits: str, weights: Sequence[int]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False))


def _zero(weights: Sequence[int], modulus: int, digits: str) -> bool:
    """Whether the weighted digits, the check digit among them, are a multiple of the modulus."""
    return _sum(digits, weights) % modulus == 0


def _last(weights: Sequence[int], digits: str) -> bool:
    """Whether the last digit completes the weighted others to a multiple of 11; 10 and 11 are written 0."""
    return (11 - _sum(digits, weights) % 11) % 11 % 10 == int(digits[-1])


def _norway(digits: str) -> bool:
    return _zero((3, 7, 6, 1, 8, 9, 4, 5, 2, 1), 11, digits[:10]) and _zero(
        (5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1), 11, digits
    )


def _brazil(digits: str) -> bool:
    return _last(range(10, 1, -1), digits[:10]) and _last(range(11, 1, -1), digits)


def _turkey(digits: str) -> bool:
    numbers = list(map(int, digits))
    tenth = (7 * sum(numbers[:9:2]) - sum(numbers[1:8:2])) % 10
    return numbers[0] > 0 and tenth == numbers[9] and sum(numbers[:10]) % 10 == numbers[10]


def _germany(digits: str) -> bool:
    """ISO 7064, modulus 11 and 10."""
    product = 10
    for digit in digits[:-1]:
        product = ((int(digit) + product) % 10 or 10) * 2 % 11
    return digits[0] != "0" and (11 - product) % 10 == int(digits[-1])


def _belgium(digits: str) -> bool:
    return any(97 - int(century + digits[:9]) % 97 == int(digits[9:]) for century in ("", "2"))


def _austria(digits: str) -> bool:
    return _sum(digits, (3, 7, 9, 0, 5, 8, 4, 2, 1, 6)) % 11 == int(digits[3]) and _is_day(digits[4:6], digits[6:8])


def _estonia(digits: str) -> bool:
    first = _sum(digits, (1, 2, 3, 4, 5, 6, 7, 8, 9, 1)) % 11
    check = first if first < 10 else _sum(digits, (3, 4, 5, 6, 7, 8, 9, 1, 2, 3)) % 11 % 10
    return check == int(digits[10]) and _is_day(digits[5:7], digits[3:5])


def _is_day(day: str, month: str) -> bool:
    return 1 <= int(day) <= 31 and 1 <= int(month) <= 12


def _sweden(digits: str) -> bool:
    return _is_day(str(int(digits[-6:-4]) % 60), digits[-8:-6]) and passes_luhn(digits[-10:])


def _south_africa(digits: str) -> bool:
    return _is_day(digits[4:6], digits[2:4]) and passes_luhn(digits)


def _czechia(digits: str) -> bool:
    return int(digits) % 11 == 0 and _is_day(digits[4:6], str(int(digits[2:4]) % 50 % 20 or 1))


CHECKED: tuple[tuple[str, int, Callable[[str], bool]], ...] = (
    ("Norway", 11, _norway),
    ("Brazil", 11, _brazil),
    ("Poland", 11, partial(_zero, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1), 10)),
    ("Turkey", 11, _turkey),
    ("Germany", 11, _germany),
    ("Belgium", 11, _belgium),
    ("Estonia or Lithuania", 11, _estonia),
    ("Argentina", 11, partial(_last, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2))),
    ("Russia", 11, lambda digits: _sum(digits, range(9, 0, -1)) % 101 % 100 == int(digits[9:])),
    ("Sweden", 10, _sweden),
    ("Sweden", 12, _sweden),
    ("Czechia or Slovakia", 10, _czechia),
    ("Austria", 10, _austria),
    ("the National Health Service", 10, partial(_last, range(10, 1, -1))),
    ("Bulgaria", 10, lambda digits: _sum(digits, (2, 4, 8, 5, 10, 9, 7, 3, 6)) % 11 % 10 == int(digits[9])),
    ("the Netherlands", 9, partial(_zero, (9, 8, 7, 6, 5, 4, 3, 2, -1), 11)),
    ("Portugal", 9, partial(_last, range(9, 1, -1))),
    ("Australia", 9, partial(_zero, (1, 4, 3, 7, 5, 8, 6, 9, 10), 11)),
    ("Canada or Israel", 9, passes_luhn),
    ("Hungary", 9, partial(_zero, (3, 7, 3, 7, 3, 7, 3, 7, -1), 10)),
    ("Switzerland", 13, lambda digits: digits[:3] == "756" and _zero((1, 3) * 6 + (1,), 10, digits)),
    ("Romania", 13, lambda digits: _sum(digits, (2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9)) % 11 % 10 == int(digits[12])),
    ("South Africa", 13, _south_africa),
    ("France", 15, lambda digits: 97 - int(digits[:13]) % 97 == int(digits[13:])),
    ("Japan", 12, lambda digits: _last((6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2), digits)),
)
"""Country, digits, and what the digits pass."""


def has_digits(length: int, check: Callable[[str], bool], text: str) -> bool:
    """Whether a text is so many digits, gaps not counted, that pass a check; a number may have lost its zeros.

    >>> has_digits(11, _brazil, "529.982.247-25"), has_digits(11, _brazil, "529.982.247-26")
    (True, False)
    """
    digits = GAPS.sub("", text)
    if not (digits.isascii() and digits.isdigit() and length - 2 <= len(digits) <= length):
        return False
    return digits.strip("0") != "" and check(digits.zfill(length))


def is_spanish(text: str) -> bool:
    """Whether a text is a number of Spain: eight digits, the first perhaps a letter, and the letter that follows.

    >>> is_spanish("12345678Z"), is_spanish("12345678A")
    (True, False)
    """
    plain = GAPS.sub("", text).upper()
    if not re.fullmatch(r"[0-9XYZ][0-9]{7}[A-Z]", plain):
        return False
    number = plain[:-1].replace("X", "0").replace("Y", "1").replace("Z", "2")
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == plain[-1]


def is_finnish(text: str) -> bool:
    """Whether a text is a number of Finland: a birth date, a sign for the century, three digits and a check sign.

    >>> is_finnish("131052-308T"), is_finnish("131052-308A")
    (True, False)
    """
    found = re.fullmatch(r"([0-9]{6})[-+A-FU-Y]([0-9]{3})([0-9A-Y])", text.upper())
    return found is not None and "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(found[1] + found[2]) % 31] == found[3]


def is_chinese(text: str) -> bool:
    """Whether a text is a number of China: 17 digits and a check sign.

    >>> is_chinese("11010519491231002X"), is_chinese("110105194912310021")
    (True, False)
    """
    if not re.fullmatch(r"[0-9]{17}[0-9Xx]", text):
        return False
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    return "10X98765432"[_sum(text[:17], weights) % 11] == text[-1].upper()


def is_chilean(text: str) -> bool:
    """Whether a text is a number of Chile, its check sign behind a hyphen.

    >>> is_chilean("12.345.678-5"), is_chilean("12.345.678-6")
    (True, False)
    """
    plain = text.replace(".", "").upper()
    if not re.fullmatch(r"[0-9]{7,8}-[0-9K]", plain):
        return False
    return "0K987654321"[_sum(plain[-3::-1], (2, 3, 4, 5, 6, 7, 2, 3)) % 11] == plain[-1]


FORMS = (
    ("Italy", r"[A-Z]{6}[0-9]{2}[A-EHLMPRST][0-9]{2}[A-Z][0-9]{3}[A-Z]"),
    ("Mexico", r"[A-Z]{4}[0-9]{6}[HMX][A-Z]{5}[A-Z0-9][0-9]|[A-ZÑ&]{4}[0-9]{6}[A-Z0-9]{3}"),
    ("India", r"[A-Z]{3}[ABCFGHLJPT][A-Z][0-9]{4}[A-Z]|[2-9][0-9]{3} [0-9]{4} [0-9]{4}"),
    ("the United Kingdom", r"[A-CEGHJ-PR-TW-Z]{2} ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D]"),
    ("Korea", r"[0-9]{2}[01][0-9][0-3][0-9]-[1-8][0-9]{6}"),
    ("Denmark", r"[0-3][0-9][01][0-9]{3}-[0-9]{4}"),
    ("Sweden", r"(?:19|20)?[0-9]{2}[01][0-9][0-9]{2}[-+][0-9]{4}"),
    ("Czechia or Slovakia", r"[0-9]{2}[0156][0-9][0-3][0-9]/[0-9]{3,4}"),
    ("Germany", r"[0-9]{2} ?[0-3][0-9][01][0-9]{3} ?[A-Z] ?[0-9]{3}"),
    ("France", r"[12] ?[0-9]{2} ?[01][0-9] ?(?:[0-9]{2}|2[AB]) ?[0-9]{3} ?[0-9]{3}(?: ?[0-9]{2})?"),
)
"""Country and the form, where the form alone tells."""
