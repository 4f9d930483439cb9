"""What the name of a column says about its role.

A rule is a role, a topic in words, and the words that speak of it (`name_rules.py` has them). In a rule `*` stands for
any letters, `_` for the gap between two words; a word may have a plural s; accents do not count. Rules are tried in
order, and the first that fits decides.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache


class Role(StrEnum):
    """The roles a column can have; open where a person has to decide. Nothing is proposed to be left out."""

    IDENTIFIER = "identifier"
    QUASI = "quasi"
    SENSITIVE = "sensitive"
    OTHER = "other"
    LEAVE_OUT = "leave_out"
    OPEN = "open"


@dataclass(frozen=True)
class Rule:
    """Names that hold one of the words speak of the topic."""

    role: Role
    topic: str
    words: str
    whole: bool = False
    """Whether the word must be the whole name."""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The words as one expression over a name cut by `words`."""
        one = "|".join(word.replace("_", " ").replace("*", "[^ ]*") for word in folded(self.words).split())
        return re.compile(f"^(?:{one})s?$" if self.whole else f"(?:^| )(?:{one})s?(?: |$)")

    def fits(self, cut: str) -> bool:
        """Whether a name cut by `words` speaks of the topic."""
        return self.pattern.search(cut) is not None


@lru_cache
def words(name: str) -> str:
    """Cut a name into lower-case words, at signs, capitals and digits; accents are dropped.

    >>> words("HHIncomeMid"), words("marital-status"), words("BILL_AMT1"), words("Prénom"), words("Kjønn")
    ('hh income mid', 'marital status', 'bill amt 1', 'prenom', 'kjonn')
    """
    plain = folded(name)
    plain = re.sub(r"^ID(?=[a-z])", "ID ", plain)
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", plain)
    plain = re.sub(r"(?<=[^\W\d])(?=\d)|(?<=\d)(?=[^\W\d])", " ", plain)
    return " ".join(re.sub(r"[\W_]+", " ", plain).lower().split())


_LETTERS = str.maketrans({"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "ı": "i", "ß": "ss", "æ": "ae", "Æ": "Ae", "đ": "d"})
"""Letters that Unicode does not take apart into a plain one and an accent."""


def folded(text: str) -> str:
    """Return a text without accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", text.translate(_LETTERS)) if not unicodedata.combining(c))


def speaks(name: str, rules: Sequence[Rule]) -> Rule | None:
    """Return the first rule whose topic the name speaks of.

    >>> from shoal.tables.name_rules import QUASI, SENSITIVE
    >>> speaks("SexOrientation", (*SENSITIVE, *QUASI)).topic, speaks("Sex", (*SENSITIVE, *QUASI)).topic
    ('sexual life', 'sex')
    """
    cut = words(name)
    return next((rule for rule in rules if rule.fits(cut)), None)
