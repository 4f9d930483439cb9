"""ARX's words for models and costs, as its projects have them, in shoal's words.

A project's XML has each model and cost as one line of text; the tables here say how the lines read. What is not there
is named with the reason, so that nothing is left out silently.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from shoal.models.base import quoted

OF = r" for attribute '(?P<of>.*)'"
NUMBER = r"(\d+(?:\.\d+)?(?:E-?\d{1,2})?)"


@dataclass(frozen=True)
class Word:
    """A line of ARX in shoal's words, and what is to be said of it; no words where shoal has nothing like it."""

    asked: str | None
    remark: str = ""


def _reads(pattern: str, form: str) -> tuple[re.Pattern[str], Callable[[re.Match[str]], str]]:
    """Return a pattern and how a match is worded: numbers and the attribute are put into the form."""
    compiled = re.compile(pattern, re.IGNORECASE | re.DOTALL)
    of = compiled.groupindex.get("of")

    def worded(found: re.Match[str]) -> str:
        numbers = [number(text) for place, text in enumerate(found.groups(), start=1) if place != of]
        return form.format(*numbers, of=quoted(found["of"]) if of else "")

    return compiled, worded


def number(text: str) -> str:
    """Write a number without a needless fraction.

    >>> number("3.0"), number("0.25"), number("1.0E-4")
    ('3', '0.25', '0.0001')
    """
    return f"{Decimal(text).normalize():f}"


MODELS = (
    _reads(rf"{NUMBER}-anonymity", "k={0}"),
    _reads(rf"distinct-{NUMBER}-diversity{OF}", "distinct-l({of})={0}"),
    _reads(rf"(?:shannon-)?entropy-{NUMBER}-diversity{OF}", "entropy-l({of})={0}"),
    _reads(rf"grassberger-entropy-{NUMBER}-diversity{OF}", "grassberger-l({of})={0}"),
    _reads(rf"recursive-\({NUMBER}, ?{NUMBER}\)-diversity{OF}", "recursive-l({of})=({0},{1})"),
    _reads(rf"{NUMBER}-closeness with equal distance{OF}", "t({of}:equal)={0}"),
    _reads(rf"{NUMBER}-closeness with ordered distance{OF}", "t({of}:ordered)={0}"),
    _reads(rf"{NUMBER}-closeness with hierarchical distance{OF}", "t({of}:hierarchy)={0}"),
    _reads(rf"basic-{NUMBER}-likeness{OF}", "beta({of})={0}"),
    _reads(rf"enhanced-{NUMBER}-likeness{OF}", "enhanced-beta({of})={0}"),
    _reads(rf"{NUMBER}-disclosure privacy{OF}", "delta({of})={0}"),
)
"""How ARX writes the models that shoal has."""
MODEL_REMARKS = {
    "delta(": "shoal also refuses classes in which a value of the table is absent; ARX does not look at absent values",
    ":ordered)": "ARX orders values by their data type, or as its hierarchy has them; shoal orders no words by itself",
}
"""What differs in models that are carried over."""
SUBSET = "the rows to be published are a subset of the table, and which ones only ARX's own binary files say"
NO_MODELS: Mapping[str, str] = {
    r"\(.*\)-map.*estimated": "write kmap-truncated=(K,FRACTION,ERROR) or kmap-poisson=(K,FRACTION,ERROR),"
    " FRACTION being rows / people: the project does not say it",
    r"\(.*\)-map": SUBSET,
    r"\(.*\)-presence": SUBSET,
    r"(research )?(subset|inclusion)": SUBSET,
    r".*differential privacy": "it publishes a random sample of the rows",
    r".*(uniqueness|uniques|risk)": "write average-risk=SHARE, sample-uniques=SHARE or"
    " population-uniques=(SHARE,FRACTION), FRACTION being rows / people",
    r".*(profitability|financial|game|stackelberg)": "write no-attack=(GAIN,COST) where the attacker knows who is in"
    " the table, else no-attack-journalist=(GAIN,COST); with payouts payout=(GAIN,COST,BENEFIT,PENALTY) or"
    " payout-journalist=(GAIN,COST,BENEFIT,PENALTY), with full-domain recoding",
}
"""Models that shoal has not, or that a project does not say in full."""
COSTS: Mapping[str, str] = {
    r"loss \(.*": "geometric-loss",
    r"(monotonic )?height": "height",
    r"(monotonic |non-monotonic )?precision.*": "precision",
    r"(monotonic |non-monotonic )?(discernability|discernibility).*": "discernibility",
    r"average equivalence class size.*": "average-class-size",
    r"ambiguity": "ambiguity",
    r"kl[- ]divergence": "kl-divergence",
    r"normalized non-uniform entropy": "normalized-entropy",
    r"(monotonic |non-monotonic )?non-uniform entropy.*": "non-uniform-entropy",
    r"entropy-based information loss": "uniform-entropy",
}
"""How ARX writes the costs that shoal has."""
COST_REMARKS: Mapping[str, str] = {
    "geometric-loss": "the XML does not say how the losses of columns are added up: ARX's own choice is taken, the"
    " geometric mean; see docs/fulldomain.md for the others",
    "kl-divergence": "ARX adds up rows, shoal distinct tuples, with the sensitive values: other numbers",
    "non-uniform-entropy": "shoal states it as a share of the bits of all columns together",
    "uniform-entropy": "shoal states the mean over the rows as a share of all bits, ARX adds up rows",
    "normalized-entropy": "shoal states the mean of the columns' shares, ARX their sum",
}


def model(line: str) -> Word:
    """Return a model in the words of a requirement.

    >>> model("distinct-3-diversity for attribute 'home town'").asked
    'distinct-l("home town")=3'
    """
    for pattern, worded in MODELS:
        if found := pattern.fullmatch(line.strip()):
            asked = worded(found)
            return Word(asked, next((text for sign, text in MODEL_REMARKS.items() if sign in asked), ""))
    reasons = (why for pattern, why in NO_MODELS.items() if re.match(pattern, line.strip(), re.IGNORECASE))
    return Word(None, next(reasons, "shoal does not know it"))


def cost(line: str) -> Word:
    """Return a cost by its name.

    >>> cost("Loss (0.5/1.0/1.0)").asked, cost("Publisher payout").asked
    ('geometric-loss', None)
    """
    for pattern, name in COSTS.items():
        if re.fullmatch(pattern, line.strip(), re.IGNORECASE):
            return Word(name, COST_REMARKS.get(name, ""))
    return Word(None, "shoal has no such cost")
