"""The contract of a privacy model: a requirement that every class of a release must meet.

A model is a frozen dataclass in a file of its own. It declares its word in the requirement grammar, its parameters,
whether merging two admitted classes keeps them admitted (`monotone`), and which direction is stricter; and it answers
two questions: `level` measures many classes at once, and `admits` decides them in exact arithmetic. A model of a
sensitive attribute (`SensitiveModel`) defines `measure`, for all slices of a histogram, and `decide`, for one slice in
exact arithmetic: the measure is trusted only where it is far from the limit, and near it `decide` has the say.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from itertools import accumulate
from math import ceil, floor
from typing import TYPE_CHECKING, ClassVar, Literal, Self, TypeAlias

import numpy as np
import polars as pl

from shoal.core.arrays import Bools, Floats, Ints
from shoal.core.errors import ParameterError, Unsupported
from shoal.core.parameters import Number, spelled
from shoal.microdata.histogram import Attributes, Classes, Histogram, Values

if TYPE_CHECKING:
    from shoal.hierarchies import Builder
    from shoal.models.emd import GroundDistance
    from shoal.models.metric import Metric

DOUBT = 1e-9
"""Relative distance from the limit below which a class is decided in exact arithmetic."""


Counting: TypeAlias = Literal["counted", "same", "refused"]
"""What a model does where a person may have several rows: it counts people, says the same as of rows, or is refused."""
MOST_ROWS = 1_000
"""How many numbers of rows are tried to find out whether whole numbers of rows have shares in a set."""
MOST_COUNTED = 200_000
"""The same, times the number of values."""


class Rule(Enum):
    """What decides a class, in numbers, for those who have a quicker way than to ask the model class by class.

    A model declares the rule it is equal to and gives its `rule_numbers`, n and where there is a second one m.
    """

    ROWS = "rows >= n"
    VALUES = "different values >= n"
    SHARE = "n * (rows with the commonest value) <= rows"
    ENTROPY = "exp(entropy of the values) >= n"
    RECURSIVE = "rows with the commonest value < n * (rows with the m-th commonest and rarer ones)"
    CLOSENESS = "Earth Mover's Distance to the published table, over `ground`, <= n"


@dataclass(frozen=True, eq=False)
class ShareSet:
    """Contains the shares q that the values of an attribute have in any class that a model admits.

    It may contain others: a lower bound that rests on it is then lower, never wrong.
    """

    caps: tuple[Fraction, ...] | None = None
    """q_v <= caps[v]; None for no caps."""
    ground: GroundDistance | None = None
    """The Earth Mover's Distance from q to the table's shares, over this distance, is at most t; None for any."""
    t: Fraction = Fraction(1)
    diversity: Fraction = Fraction(1)
    """exp(entropy of q) is at least this."""
    of_table: bool = False
    """Whether the limits follow from the table's shares, so that dropping rows would change them."""

    @property
    def is_equal(self) -> bool:
        """Whether the distance is the equal one: 1 between any two values."""
        return self.ground is not None and self.ground.is_equal

    @property
    def same_cap(self) -> Fraction | None:
        """The cap of all values, where it is the same and above 0."""
        caps = set(self.caps or ())
        return caps.pop() or None if len(caps) == 1 else None

    @property
    def is_whole(self) -> bool:
        """Whether it says no more than that every value has at most 1/l of a class, l a whole number."""
        cap = self.same_cap
        return self.ground is None and cap is not None and (1 / cap).denominator == 1

    def least_rows(self, totals: Ints, start: int) -> int:
        """Return a number of rows, at least `start`, that no admitted class of rows of the table is below.

        A class has a row of each of its values. Counts are whole, so few rows have few possible shares. Numbers are
        tried one after the other, up to MOST_ROWS of them, fewer where there are many values.
        """
        start, counts = max(start, self.least_values(totals)), totals.tolist()
        tries = min(MOST_ROWS, MOST_COUNTED // len(counts))
        return next((rows for rows in range(start, start + tries) if self._has_rows(rows, counts)), start + tries)

    def least_values(self, totals: Ints) -> int:
        """Return a number of different values that no admitted class of rows of the table is below.

        The values of a class must have caps of 1 in all; at equal distance t they have at least 1 - t of the table.

        >>> ShareSet(caps=(Fraction(1, 2), Fraction(1, 3), Fraction(1, 3))).least_values(np.array([5, 3, 2]))
        3
        """
        needed = _fewest(self.caps or (), Fraction(1))
        if self.is_equal:
            needed = max(needed, _fewest(totals.tolist(), (1 - self.t) * int(totals.sum())))
        return max(needed, ceil(self.diversity))

    def _has_rows(self, rows: int, totals: Sequence[int]) -> bool:
        """Whether so many rows could have shares in the set; True where that is not known."""
        held = totals
        if self.caps is not None:
            held = [min(count, floor(cap * rows)) for count, cap in zip(totals, self.caps, strict=True)]
        return sum(held) >= rows and (self.ground is None or self.ground.least(rows, totals) <= self.t)


def _fewest(numbers: Iterable[Fraction | int], least: Fraction) -> int:
    """Return how many of the largest numbers have at least so much together; all of them where no number does."""
    summed = accumulate(sorted(numbers, reverse=True))
    return 1 + sum(1 for found in list(summed)[:-1] if found < least)


class Model(ABC):
    """A privacy requirement. Subclasses are frozen dataclasses found by discovery."""

    name: ClassVar[str]
    """The word in the requirement grammar, as in `k=5` or `l(disease)=3`."""
    title: ClassVar[str]
    """What people call it."""
    meaning: ClassVar[str]
    """What it asks of a class, in one sentence."""
    parameters: ClassVar[tuple[Number, ...]]
    """The numbers it takes, in the order of the grammar."""
    monotone: ClassVar[bool]
    """Whether the union of two admitted classes is admitted."""
    larger_is_stricter: ClassVar[bool]
    """Whether a larger level means more privacy (k, l) or less (t)."""
    nested: ClassVar[bool] = True
    """Whether classes that meet a stricter level meet every laxer one."""
    least_asked: ClassVar[tuple[int, ...]] = (1,)
    """Parameters that ask for as little as can be."""
    measured_unasked: ClassVar[bool] = True
    """Whether an audit without a requirement measures it: not if its level depends on a second parameter."""
    needs_cells: ClassVar[bool] = False
    """Whether it is decided from published cells: of all classes of a release, or of each class by itself."""
    of_release: ClassVar[bool] = False
    """Whether it speaks of all classes of a release together, so that no class can be decided by itself."""
    reads_hierarchies: ClassVar[bool] = False
    """Whether it counts values under published cells, so that hierarchies of quasi-identifiers must be known."""
    needs_population: ClassVar[bool] = False
    """Whether it compares with a population."""
    needs_households: ClassVar[bool] = False
    """Whether it counts households, so that it must be known which household a row belongs to."""
    needs_guards: ClassVar[bool] = False
    """Whether what stands after the bar is the column of people's guarding nodes, and no known attribute."""
    reads_attribute: ClassVar[bool] = True
    """Whether it measures a sensitive attribute (else the sizes of classes only)."""
    by_people: ClassVar[Counting] = "refused"
    """What it does where a person may have several rows."""
    rule: ClassVar[Rule | None] = None
    """What it is equal to, for every class or slice; None where only the model itself can say."""

    @property
    def attributes(self) -> Attributes:
        """The sensitive attribute measured; several are read jointly; none if only sizes count."""
        return ()

    @property
    def given(self) -> Attributes:
        """Sensitive attributes that the attacker is taken to know, besides the quasi-identifiers."""
        return ()

    @property
    def ordered_attributes(self) -> Attributes:
        """The attributes in which it counts steps between values, so that these must have an order."""
        return ()

    def __post_init__(self) -> None:
        for parameter in self.parameters:
            value = parameter.read(getattr(self, parameter.name), self.name)
            object.__setattr__(self, parameter.name, int(value) if parameter.whole else value)

    @classmethod
    def speaks_of_groups(cls) -> bool:
        """Whether groups whose quasi-identifiers are published as they are can meet it: it reads their values alone."""
        return cls.reads_attribute and not (cls.needs_cells or cls.needs_population)

    @property
    def asked(self) -> tuple[Fraction, ...]:
        """The parameters' values, in the order of the grammar."""
        return tuple(Fraction(getattr(self, parameter.name)) for parameter in self.parameters)

    @property
    def limit(self) -> Fraction:
        """The value that `level` is compared with."""
        return self.asked[0]

    @property
    def rule_numbers(self) -> tuple[Fraction, ...]:
        """The numbers of its rule; mostly its parameters."""
        return self.asked

    def ground(self, values: Values) -> GroundDistance:
        """Return the distance between values over which closeness is measured; only models of closeness have one."""
        raise Unsupported(f"{self} measures no distance between values")

    def stricter(self, share: Fraction) -> Model:
        """Return the model that allows a share of the distance; itself where it measures none."""
        return self

    def surrogate(self, rows: int | None) -> Model:
        """Return the model that methods work with, which can be decided class by class; usually this one.

        Where it does not imply this one, the release is decided as a whole afterwards. `rows` is the number of rows of
        the table, None where it is not known yet.
        """
        return self

    @property
    def of_rows(self) -> Model:
        """The most that it implies where rows alone are counted; itself, unless it counts people or households."""
        return self

    def check_population(self, fewest: int, most: int, people: int) -> None:  # noqa: B027 - most models ask nothing
        """Raise `Infeasible` where no release of this many rows about this many people can meet it."""

    def check_columns(  # noqa: B027 - most models ask nothing
        self, trees: Mapping[str, Builder], quasi: Sequence[str], *, one_level: bool
    ) -> None:
        """Raise `Unsupported` where it cannot be met with these hierarchies, or without one level for every column."""

    @abstractmethod
    def level(self, classes: Classes) -> Floats:
        """Measure every class (the vectorised measure; see `admits` for the decision)."""

    @abstractmethod
    def admits(self, classes: Classes) -> Bools:
        """Decide every class, exactly."""

    @abstractmethod
    def reached(self, classes: Classes) -> float:
        """Return the level of the worst class: what the classes together guarantee."""

    def reading(self, reached: float) -> float | list[float]:
        """Return the level reached in the form of the grammar: a number, or a list where it takes several."""
        return reached

    @property
    def least_rows(self) -> int:
        """A number of rows below which no class is admitted."""
        return 1

    @property
    def least_values(self) -> int:
        """A number of different values of its attribute below which no class is admitted."""
        return 1

    def shares(self, values: Values) -> ShareSet | None:
        """Return a set that contains the shares of the values in every admitted class; None where nothing is known."""
        return None

    def largest(self, counts: Ints) -> Ints | None:
        """Return the largest admitted sub-class of rows with these value counts; None if there is none."""
        return None

    @classmethod
    def parse(
        cls, attributes: Attributes, given: Attributes, option: str | Metric | None, numbers: Sequence[str]
    ) -> Self:
        """Build the model from the parts of a requirement such as `t(salary:ordered)=0.2`."""
        if option is not None:
            raise ParameterError(f"{cls.name} takes nothing after a colon", expected=cls.grammar())
        cls.expect(numbers)
        if not cls.reads_attribute:
            return cls(*numbers)
        return cls(*numbers, attributes, given)  # type: ignore[call-arg]

    @classmethod
    def expect(cls, numbers: Sequence[str]) -> None:
        """Raise unless there are as many numbers as parameters."""
        if len(numbers) != len(cls.parameters):
            raise ParameterError(f"{cls.name} was given {len(numbers)} numbers", expected=cls.grammar())

    @classmethod
    def applies_to(cls, column: pl.Series) -> bool:
        """Whether it can measure a sensitive column of this kind."""
        return True

    @property
    def is_trivial(self) -> bool:
        """Whether it asks for no more than the least demanding parameters do: `k=1` is met by every table."""
        return tuple(self.asked) == self.least_asked

    @classmethod
    def lenient(cls, attribute: str | None = None) -> Self:
        """Return the model with the least demanding parameters, for measuring what a table reaches."""
        numbers = [str(number) for number in cls.least_asked]
        return cls.parse((attribute,) if attribute is not None else (), (), None, numbers)

    @classmethod
    def grammar(cls) -> str:
        """Return how the requirement is written.

        >>> from shoal.models import KAnonymity, RecursiveLDiversity
        >>> KAnonymity.grammar(), RecursiveLDiversity.grammar()
        ('k=K', 'recursive-l(ATTRIBUTE)=(C,L)')
        """
        numbers = ",".join(parameter.name.upper() for parameter in cls.parameters)
        where = "(ATTRIBUTE)" if cls.reads_attribute else ""
        return f"{cls.name}{where}={f'({numbers})' if len(cls.parameters) > 1 else numbers}"

    def __str__(self) -> str:
        where = (
            "+".join(map(quoted, self.attributes)) + "".join(f"|{quoted(name)}" for name in self.given) + self._option()
        )
        numbers = ",".join(spelled(number) for number in self.asked)
        return f"{self.name}{f'({where})' if where else ''}={f'({numbers})' if len(self.asked) > 1 else numbers}"

    def _option(self) -> str:
        return ""

    def __and__(self, other: Model | Models) -> Models:
        return Models((self,)) & other


class AttributeModel(Model):
    """A model of a sensitive attribute.

    Several names in `attribute` are read jointly; `others` are sensitive attributes counted as quasi-identifiers.
    """

    attribute: str | Attributes
    others: str | Attributes

    def __post_init__(self) -> None:
        super().__post_init__()
        read = self.attributes
        if not read or len({*read, *self.given}) < len(read) + len(self.given):
            raise ParameterError(
                f"{self.name} reads {', '.join(read + self.given) or 'no column'}", expected="each column named once"
            )
        object.__setattr__(self, "attribute", read if len(read) > 1 else read[0])
        object.__setattr__(self, "others", self.given)

    @property
    def attributes(self) -> Attributes:
        """The sensitive attribute measured; several are read jointly."""
        return names(self.attribute)

    @property
    def given(self) -> Attributes:
        """Sensitive attributes that the attacker is taken to know, besides the quasi-identifiers."""
        return names(self.others)


class SensitiveModel(AttributeModel):
    """A model that is measured slice by slice of its attribute's histogram.

    Subclasses define `measure` (all slices, fast) and `decide` (one slice, exactly).
    """

    @abstractmethod
    def measure(self, histogram: Histogram) -> Floats:
        """Measure every slice."""

    @abstractmethod
    def decide(self, histogram: Histogram, index: int) -> bool:
        """Decide one slice in exact arithmetic."""

    def exact(self, histogram: Histogram, index: int) -> Fraction | float:
        """Return one slice's level, exactly where it is a rational number."""
        return float(self.measure(histogram)[index])

    def also(self, histogram: Histogram) -> dict[str, float]:
        """Return what other tools report under the same name where their convention differs, by a name that says so."""
        return {}

    def slices(self, classes: Classes) -> Histogram:
        """Return the histogram this model reads."""
        return classes.histogram(self.attributes, self.given)

    def level(self, classes: Classes) -> Floats:
        """Measure every class: its worst slice."""
        histogram = self.slices(classes)
        return self._worst_slice(histogram, self.measure(histogram), classes.number)

    def admits(self, classes: Classes) -> Bools:
        """Decide every class: all its slices must be admitted."""
        histogram = self.slices(classes)
        admitted = self._decided(histogram)
        result = np.ones(classes.number, dtype=bool)
        result[histogram.class_of_slice[~admitted]] = False
        return result

    def _decided(self, histogram: Histogram) -> Bools:
        levels, limit = self.measure(histogram), float(self.limit)
        admitted = levels >= limit if self.larger_is_stricter else levels <= limit
        for index in np.flatnonzero(np.abs(levels - limit) <= DOUBT * max(1.0, abs(limit))).tolist():
            admitted[index] = self.decide(histogram, index)
        return admitted

    def reached(self, classes: Classes) -> float:
        """Return the level of the worst class, taken exactly among those that measure alike."""
        histogram = self.slices(classes)
        levels = self.measure(histogram)
        worst = levels.min() if self.larger_is_stricter else levels.max()
        if not np.isfinite(worst):
            return float(worst)
        near = np.flatnonzero(np.abs(levels - worst) <= DOUBT * max(1.0, abs(worst)))[:100].tolist()
        exact = [self.exact(histogram, index) for index in near]
        return float(min(exact) if self.larger_is_stricter else max(exact))

    def _worst_slice(self, histogram: Histogram, levels: Floats, number: int) -> Floats:
        if len(levels) == number:
            return levels
        worst = np.full(number, np.inf if self.larger_is_stricter else -np.inf)
        (np.minimum if self.larger_is_stricter else np.maximum).at(worst, histogram.class_of_slice, levels)
        return worst


class DiversityModel(SensitiveModel):
    """A model whose limit l is a number of different values that every admitted class has at least."""

    @property
    def least_rows(self) -> int:
        """A number of rows below which no class is admitted."""
        return ceil(self.limit)

    @property
    def least_values(self) -> int:
        """A number of different values of its attribute below which no class is admitted."""
        return self.least_rows


@dataclass(frozen=True)
class Models:
    """Several models at once: a class is admitted if each of them admits it.

    >>> from shoal.models import KAnonymity, LDiversity
    >>> print(KAnonymity(5) & LDiversity(3, "disease"))
    k=5 l(disease)=3
    """

    all: tuple[Model, ...]

    def __post_init__(self) -> None:
        for metric in self.metrics:
            if any(other.source == metric.source and other != metric for other in self.metrics):
                raise ParameterError(f"two metrics are called {metric.source!r}", hint="rename one of the files")

    def __and__(self, other: Model | Models) -> Models:
        more = other.all if isinstance(other, Models) else (other,)
        return Models(self.all + tuple(model for model in more if model not in self.all))

    def __iter__(self) -> Iterator[Model]:
        return iter(self.all)

    def __len__(self) -> int:
        return len(self.all)

    def __str__(self) -> str:
        return " ".join(map(str, self.all))

    @property
    def monotone(self) -> bool:
        """Whether merging admitted classes is always safe."""
        return all(model.monotone for model in self.all)

    @property
    def least_rows(self) -> int:
        """A number of rows below which no class is admitted."""
        return max((model.least_rows for model in self.all), default=1)

    def surrogates(self, rows: int) -> Models:
        """Return the models that methods work with in place of these: they can be decided class by class."""
        return Models(tuple(dict.fromkeys(model.surrogate(rows) for model in self.all)))

    @property
    def needs_population(self) -> bool:
        """Whether one of them compares with a population."""
        return any(model.needs_population for model in self.all)

    @property
    def needs_cells(self) -> bool:
        """Whether one of them is decided from published cells."""
        return any(model.needs_cells for model in self.all)

    @property
    def needs_households(self) -> bool:
        """Whether one of them counts households."""
        return any(model.needs_households for model in self.all)

    @property
    def of_release(self) -> bool:
        """Whether one of them speaks of all classes of a release together."""
        return any(model.of_release for model in self.all)

    @property
    def of_rows(self) -> Models:
        """What they imply where rows alone are counted: it can be checked where nobody knows whose the rows are."""
        return Models(tuple(dict.fromkeys(model.of_rows for model in self.all)))

    @property
    def rows_asked(self) -> int | None:
        """The k of k-anonymity: the rows asked for by models that count rows alone; None without one."""
        return max((int(model.rule_numbers[0]) for model in self.all if model.rule is Rule.ROWS), default=None)

    @property
    def count_rows_alone(self) -> bool:
        """Whether counting rows decides all of them."""
        return all(model.rule is Rule.ROWS for model in self.all)

    @property
    def metrics(self) -> list[Metric]:
        """The distances that were read from files."""
        distances = (getattr(model, "distance", None) for model in self.all)
        return [distance for distance in distances if not isinstance(distance, str | None)]

    @property
    def joints(self) -> list[Attributes]:
        """The attributes that are read jointly."""
        return [model.attributes for model in self.all if len(model.attributes) > 1]

    @property
    def in_order(self) -> list[str]:
        """The attributes whose values must have an order, as a distance counts steps between them."""
        return list(dict.fromkeys(name for model in self.all for name in model.ordered_attributes))

    def check_groups(self) -> None:
        """Raise `Unsupported` for a model that two tables cannot meet, in which groups show who is in them."""
        for model in self.all:
            if not model.speaks_of_groups():
                raise Unsupported(
                    f"{model} cannot be met by two tables (anatomy): quasi-identifiers are published as they are, "
                    "so everybody can see who is in the table",
                    hint="ask for models of sensitive columns only, such as l, or choose another recoding",
                )

    def admits(self, classes: Classes) -> Bools:
        """Decide every class, exactly."""
        admitted = np.ones(classes.number, dtype=bool)
        for model in self.all:
            admitted &= model.admits(classes)
        return admitted


def ratio_at_least(above: Ints, below: Ints, limit: Fraction) -> Bools:
    """Decide `above / below >= limit` for many counts at once, in integers that cannot overflow.

    >>> ratio_at_least(np.array([3, 3]), np.array([1, 2]), Fraction(2)).tolist()
    [True, False]
    """
    largest = max(int(above.max(initial=0)) * limit.denominator, int(below.max(initial=0)) * limit.numerator)
    kind = np.int64 if largest < 2**62 else object
    return np.asarray(above.astype(kind) * limit.denominator >= below.astype(kind) * limit.numerator, dtype=bool)


def cap(counts: Ints, admitted: Callable[[Ints], bool]) -> Ints | None:
    """Return the counts cut at the largest height at which they are admitted; None if at none.

    Right where lowering the tallest values never turns an admitted class into a refused one.

    >>> cap(np.array([5, 1, 1]), lambda capped: 2 * int(capped.max()) <= int(capped.sum())).tolist()
    [2, 1, 1]
    """
    low, high = 0, int(counts.max(initial=0))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if admitted(np.minimum(counts, middle)) else (low, middle - 1)
    return np.minimum(counts, low) if low else None


def names(attribute: str | Iterable[str]) -> Attributes:
    """Return an attribute, or several to be read jointly, as a tuple."""
    return (attribute,) if isinstance(attribute, str) else tuple(attribute)


def check_households(models: Iterable[Model], *, known: bool) -> None:
    """Refuse models that count households where no column says which household a row belongs to."""
    for model in models:
        if model.needs_households and not known:
            raise ParameterError(
                f"{model} counts households, and no column says which household a row belongs to",
                hint="name it with --household COLUMN",
            )


def quoted(name: str) -> str:
    """Quote a column name where the requirement grammar needs it.

    >>> quoted("age"), quoted("marital status")
    ('age', '"marital status"')
    """
    plain = name and not any(character.isspace() or character in "()|+:=,\"'" for character in name)
    return name if plain else '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
