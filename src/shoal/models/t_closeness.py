"""t-closeness (Li, Li, Venkatasubramanian 2007): every class looks like the whole table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import ClassVar, Self

from shoal.core.arrays import Floats
from shoal.core.errors import ParameterError
from shoal.core.parameters import Number, Numeral
from shoal.microdata.histogram import Attributes, Histogram, Values
from shoal.models.base import Counting, Rule, SensitiveModel, ShareSet, quoted
from shoal.models.emd import COMBINED, SUM, GroundDistance, attribute_distances, ground_distance, is_combined
from shoal.models.metric import Metric


@dataclass(frozen=True)
class TCloseness(SensitiveModel):
    """Guarantees that the Earth Mover's Distance from every class to the published table is at most `t`.

    `distance` is `equal`, `ordered` (ranks of the distinct values, which must have an order), `numeric` (the values
    themselves), `hierarchy` (the attribute's own), or a `Metric`, or `auto`: ordered for numbers, dates and values with
    a stated order, hierarchy if one is given, else equal. The domain is the published table's distinct values; the
    missing value is one of them: last in an order, a leaf of its own under the root of a hierarchy, refused by the
    numeric distance. Of several attributes read jointly the distance is equal between any two combinations, or `sum`
    or `maximum` of the attributes' distances, the sum divided by their number; behind it may stand what the distance
    of each attribute is, in their order: `sum:numeric:hierarchy`.

    >>> str(TCloseness(0.2, "salary", distance="ordered")), str(TCloseness("1/3", "job"))
    ('t(salary:ordered)=0.2', 't(job)=1/3')
    >>> str(TCloseness(0.2, ("salary", "job"), distance="sum:numeric:equal"))
    't(salary+job:sum:numeric:equal)=0.2'
    """

    name: ClassVar[str] = "t"
    title: ClassVar[str] = "t-closeness"
    meaning: ClassVar[str] = "the sensitive values of a class are distributed within distance t of the whole table's"
    parameters: ClassVar[tuple[Number, ...]] = (Number("t", "largest Earth Mover's Distance", 0, 1),)
    monotone: ClassVar[bool] = True
    larger_is_stricter: ClassVar[bool] = False
    by_people: ClassVar[Counting] = "counted"
    rule: ClassVar[Rule | None] = Rule.CLOSENESS

    t: Numeral
    attribute: str | Attributes
    others: str | Attributes = ()
    distance: str | Metric = "auto"

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.attributes) > 1:
            check_joint_distance(self.distance, self.attributes)
        elif isinstance(self.distance, str) and self.distance not in WORDS:
            raise ParameterError(
                f"t-closeness of one attribute has no distance {self.distance!r}",
                expected=f"{', '.join(WORDS)}, or a file with a metric",
            )

    @property
    def ordered_attributes(self) -> Attributes:
        """The attributes whose distance counts steps between values."""
        return attributes_in_order(self.distance, self.attributes)

    @classmethod
    def parse(
        cls, attributes: Attributes, given: Attributes, option: str | Metric | None, numbers: Sequence[str]
    ) -> Self:
        """Build from `t(attribute:distance)=t`; a distance that names a file is read as a metric."""
        cls.expect(numbers)
        known = option is None or isinstance(option, Metric) or option in WORDS or is_combined(option)
        distance = (option or "auto") if known else Metric.read(Path(str(option)))
        return cls(numbers[0], attributes, given, distance)

    def ground(self, values: Values) -> GroundDistance:
        """Return the distance between values, bound to the domain."""
        return ground_distance(self.distance, values, "+".join(self.attributes))

    def shares(self, values: Values) -> ShareSet | None:
        """The model itself."""
        return ShareSet(ground=self.ground(values), t=self.limit, of_table=True) if self.limit < 1 else None

    def stricter(self, share: Fraction) -> TCloseness:
        """Return t-closeness with a share of t."""
        return replace(self, t=self.limit * share)

    def measure(self, histogram: Histogram) -> Floats:
        """Return the distance of every slice to the table."""
        return self.ground(histogram.values).many(histogram)

    def decide(self, histogram: Histogram, index: int) -> bool:
        """Decide in rational arithmetic."""
        return self.exact(histogram, index) <= self.limit

    def exact(self, histogram: Histogram, index: int) -> Fraction:
        """Return the distance of one slice to the table as a fraction."""
        return self.ground(histogram.values).one(histogram.one(index), histogram.values.totals)

    def _option(self) -> str:
        return spelled_distance(self.distance)


WORDS = ("auto", *GroundDistance.names())
"""The distances of one attribute that need no file."""


def check_joint_distance(distance: str | Metric, attributes: Attributes) -> None:
    """Refuse a distance between combinations that is neither the equal one nor combined of the attributes' own."""
    if isinstance(distance, str) and distance in ("auto", "equal"):
        return
    words = attribute_distances(distance, len(attributes)) if isinstance(distance, str) else []
    if not is_combined(distance) or len(words) != len(attributes) or not set(words) <= set(WORDS):
        raise ParameterError(
            f"t-closeness of {' and '.join(attributes)} jointly has no distance {spelled_distance(distance)[1:]!r}",
            expected=f"equal, {' or '.join(COMBINED)}, perhaps with {len(attributes)} distances: {', '.join(WORDS)}",
            hint=f"for example t({'+'.join(map(quoted, attributes))}:{':'.join((SUM, *['equal'] * len(attributes)))})",
        )


def attributes_in_order(distance: str | Metric, attributes: Attributes) -> Attributes:
    """Return the attributes whose distance counts steps between values, so that these must have an order."""
    if isinstance(distance, str) and is_combined(distance):
        words = attribute_distances(distance, len(attributes))
        return tuple(name for name, word in zip(attributes, words, strict=True) if word == "ordered")
    return attributes if distance == "ordered" else ()


def spelled_distance(distance: str | Metric) -> str:
    """Return how a distance is written behind an attribute's name; nothing for the one that is chosen by itself."""
    if isinstance(distance, Metric):
        return f":{quoted(distance.source)}"
    return "" if distance == "auto" else f":{distance}"
