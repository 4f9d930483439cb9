"""Requirements to start from, each with a sentence that says when it fits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from shoal.models import DistinctLDiversity, KAnonymity, Model, TCloseness


@dataclass(frozen=True)
class Preset:
    """A name, a sentence, the crowd, and the model that every sensitive column gets, if any."""

    name: str
    title: str
    meaning: str
    k: int
    diversity: type[Model] | None = None
    level: str = ""

    def problem(self, rows: int, sensitive: Mapping[str, int]) -> str:
        """Say why no release of a table can meet it; nothing where one can.

        `sensitive` counts the values of each sensitive column, a missing one not among them.

        >>> PRESETS["hospital"].problem(100, {"sex": 1}), PRESETS["hospital"].problem(100, {})
        ("'sex' has fewer than 2 different values", 'no column is sensitive')
        """
        if rows < self.k:
            return f"the table has fewer than {self.k} rows"
        if self.diversity is not None and not sensitive:
            return "no column is sensitive"
        if self.diversity is None or self._protected(sensitive):
            return ""
        names = ", ".join(map(repr, sensitive))
        return f"{names} {'has' if len(sensitive) == 1 else 'have'} fewer than 2 different values"

    def require(self, sensitive: Mapping[str, int]) -> tuple[str, ...]:
        """Return the requirement for a table with these sensitive columns, of which the values are counted.

        A column of two values is not asked for three, and one of a single value, which hides nothing, for none.

        >>> PRESETS["hospital"].require({"disease": 14, "smokes": 2, "country": 1})
        ('k=5', 'distinct-l(disease)=3', 'distinct-l(smokes)=2')
        """
        kind = self.diversity
        levels = {} if kind is None else {name: self._level(sensitive[name]) for name in self._protected(sensitive)}
        more = (str(kind.parse((name,), (), None, [level])) for name, level in levels.items() if kind is not None)
        return (str(KAnonymity(self.k)), *more)

    def _protected(self, sensitive: Mapping[str, int]) -> list[str]:
        """Return the columns in which there is something to tell apart."""
        return [name for name, values in sensitive.items() if values > 1]

    def _level(self, values: int) -> str:
        return str(min(int(self.level), values)) if self.diversity is DistinctLDiversity else self.level


def crowd_for(risk: str) -> int:
    """Return the smallest crowd that keeps the risk of being found at most this high.

    >>> crowd_for("0.09"), crowd_for("0.2")
    (12, 5)
    """
    return ceil(1 / Fraction(risk))


PRESETS = {
    one.name: one
    for one in (
        Preset("survey-3", "Survey, k = 3", "Everybody is in a crowd of at least 3: for tables of little risk.", 3),
        Preset(
            "survey-5", "Survey, k = 5", "Everybody is in a crowd of at least 5: common for surveys and statistics.", 5
        ),
        Preset(
            "risk-0.09",
            "Risk of at most 0.09",
            "Nobody is found with a chance above 9 %: crowds of 12, which guidelines for health data ask for.",
            crowd_for("0.09"),
        ),
        Preset(
            "hospital",
            "Hospital, l-diversity",
            "Crowds of 5 with at least 3 different values of every sensitive column (both, where it has only two): "
            "whoever finds the crowd does not learn the illness.",
            5,
            DistinctLDiversity,
            "3",
        ),
        Preset(
            "t-closeness",
            "t-closeness",
            "Crowds of 5 in which every sensitive column is distributed nearly as in the whole table (distance up to "
            "0.2): a crowd says little about its members.",
            5,
            TCloseness,
            "0.2",
        ),
    )
}
"""The presets by name."""
USUAL = ("hospital", "survey-5", "survey-3")
"""Presets from the one that is proposed first to the one that is proposed last."""


def proposed(rows: int, sensitive: Mapping[str, int]) -> Preset | None:
    """Return the preset to propose for a table, of which `sensitive` counts the values by column; None if none fits.

    >>> [proposed(*table).name for table in ((9, {"disease": 4}), (9, {"sex": 2}), (9, {}))], proposed(2, {})
    (['hospital', 'hospital', 'survey-5'], None)
    """
    return next((PRESETS[name] for name in USUAL if not PRESETS[name].problem(rows, sensitive)), None)
