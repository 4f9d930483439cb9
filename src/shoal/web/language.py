"""The languages of the page: every text is written in English where it is used, and looked up where it is shown.

    t("{n} row|{n} rows", n=rows) --> Text --str, format--> "1.200 Zeilen"

A `Text` is a string like any other, in English; written out, it is in the language of whoever reads the page. So texts
can be constants, and parts of other texts. What has no translation, such as a sentence of the library, stays English.

languages/de.toml    for every English text the German one
languages/fr.toml    the same in French
"""

from __future__ import annotations

import tomllib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from functools import cache
from pathlib import Path

from shoal.core import number_format

ENGLISH = "en"
LANGUAGES = {ENGLISH: "English", "de": "Deutsch", "fr": "Français"}
"""The languages of the page, each by its own name."""
SIGNS = {"de": str.maketrans(",.", ".,"), "fr": str.maketrans(",.", "\u202f,")}
"""What stands between thousands, and before decimals, where it is not as in English."""
FORMS = "|"
"""Stands between the forms of a text for one and for several."""
COOKIE = "shoal-language"
"""The cookie that keeps the language that was chosen on the page; page.js writes it."""
SPOKEN: ContextVar[str] = ContextVar("SPOKEN", default=ENGLISH)
"""The language of whoever reads what is written now."""


class Spoken(str, ABC):
    """A string that is in English by itself, and in the reader's language where it is written out."""

    @abstractmethod
    def inside(self, language: str) -> str:
        """Return it in a language."""

    def __str__(self) -> str:
        """Return it in the reader's language."""
        language = SPOKEN.get()
        return str.__str__(self) if language == ENGLISH else self.inside(language)

    def __format__(self, spec: str) -> str:
        """Return it in the reader's language, as part of another string."""
        return format(str(self), spec)


class Text(Spoken):
    """A text of the page, with what is filled in by name."""

    key: str
    given: Mapping[str, object]

    def __new__(cls, key: str, given: Mapping[str, object]) -> Text:
        """Fill in."""
        made = super().__new__(cls, _filled(key, given, ENGLISH))
        made.key, made.given = key, given
        return made

    def inside(self, language: str) -> str:
        """Return it in a language, with all that is filled in."""
        return _filled(catalogue(language).get(self.key, self.key), self.given, language)


class Figure(Spoken):
    """A number as English writes it, with the signs of the reader's language."""

    def inside(self, language: str) -> str:
        """Return it with the signs of a language."""
        return self.translate(SIGNS.get(language, {}))


def t(text: str, /, **given: object) -> str:
    """Return a text of the page; of one with two forms, `n` tells which.

    Whole numbers are written as people read them, lists with commas between.

    >>> t("{n} row|{n} rows", n=1), t("{n} row|{n} rows", n=1200), t("{name!r} is read", name="a.csv")
    ('1 row', '1,200 rows', "'a.csv' is read")
    """
    return Text(text, given)


def known(text: str) -> str:
    """Return a text of the library, which the catalogue may have: else it stays as it is."""
    return Text(text, {})


def _filled(text: str, given: Mapping[str, object], language: str) -> str:
    if not given:
        return text
    many = given.get("n")
    if isinstance(many, int) and FORMS in text:
        text = text.split(FORMS)[_form(many, language)]
    return text.format(**{name: _inside(value, language) for name, value in given.items()})


def _form(many: int, language: str) -> int:
    """Return the place of the form for a number: French counts none like one."""
    return int(many > 1) if language == "fr" else int(many != 1)


def _inside(value: object, language: str) -> str:
    if isinstance(value, int):
        value = Figure(f"{value:,}")
    if isinstance(value, list | tuple):
        return ", ".join(_inside(one, language) for one in value)
    if isinstance(value, Spoken):
        return str.__str__(value) if language == ENGLISH else value.inside(language)
    return str(value)


def whole(many: int) -> str:
    """Return a whole number with its thousands apart.

    >>> whole(1200)
    '1,200'
    """
    return Figure(f"{many:,}")


def figure(written: str) -> str:
    """Return a number that is written as in English."""
    return Figure(written)


def percent(share: float) -> str:
    """Return a share as people read it."""
    return Figure(number_format.percent(share))


def amount(value: float, digits: int = 6) -> str:
    """Return an amount with its thousands apart."""
    return Figure(number_format.amount(value, digits))


def level(reached: object) -> str:
    """Return the level of a model as people read it; a pair in brackets.

    >>> level(0.25), level((0.5, 2)), level(None)
    ('0.25', '(0.5, 2)', 'unbounded')
    """
    if isinstance(reached, list | tuple):
        return Text("({pair})", {"pair": [level(one) for one in reached]})
    return t("unbounded") if reached is None else Figure(number_format.number(reached))


def listed(items: Iterable[object], between: str = ", ") -> str:
    """Return items one after the other, each in the reader's language."""
    return between.join(map(str, items))


def upper_first(said: str) -> str:
    """Return words in the reader's language, the first letter large."""
    written = str(said)
    return f"{written[:1].upper()}{written[1:]}"


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """Return the texts of a language by their English ones; of English, none."""
    path = Path(__file__).parent / "languages" / f"{language}.toml"
    return {} if language == ENGLISH else tomllib.loads(path.read_text(encoding="utf-8"))


def choose_language(cookies: str = "", accepted: str = "") -> None:
    """Speak the language of a request from now on, in all that is done because of it."""
    SPOKEN.set(preferred(cookies, accepted))


def preferred(cookies: str = "", accepted: str = "") -> str:
    """Return the language of a request: the one that was chosen, else the first that the browser asks for and there is.

    >>> preferred(accepted="pt, de-AT;q=0.8, en;q=0.9"), preferred("shoal-language=fr", "de"), preferred("", "pt")
    ('en', 'fr', 'en')
    """
    pairs = (one.partition("=") for one in cookies.split(";"))
    chosen = [value.strip() for name, _, value in pairs if name.strip() == COOKIE]
    asked = sorted(map(_asked, accepted.split(",")), key=lambda one: -one[1])
    found = [*chosen, *(name for name, wanted in asked if wanted > 0)]
    return next((name for name in found if name in LANGUAGES), ENGLISH)


def _asked(part: str) -> tuple[str, float]:
    """Return a language that a browser asks for, and how much it wants it."""
    name, _, weight = part.partition(";")
    try:
        return name.strip().lower().split("-")[0], float(weight.strip().removeprefix("q=") or 1)
    except ValueError:
        return "", 0.0
