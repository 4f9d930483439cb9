"""What the campaign decides releases by: the definitions of all models on counts, each decision worked out once.

Definitions come from the oracle, and those that the oracle has not are here, from the mathematics again. Classes with
equal counts of values are decided alike, so of all classes of all tables each kind is decided once (`decided`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from tests import oracle
from tests.oracle import Asked, Counts, Group, Key, Tree, Value
from tests.oracle import Problem as OracleProblem

Texts: TypeAlias = tuple[str | None, ...]
"""The published quasi-identifiers of a row."""


def _has_small_shares(counts: Counts, totals: Counts, asked: Asked) -> bool:
    return max(counts.values()) <= asked.numbers[0] * sum(counts.values())


def _gains(counts: Counts, totals: Counts) -> list[tuple[Fraction, Fraction]]:
    """The share of each value in the table, and its relative gain in the class."""
    rows, table = sum(counts.values()), sum(totals.values())
    shares = {value: Fraction(totals[value], table) for value in counts}
    return [(share, Fraction(counts[value], rows) / share - 1) for value, share in shares.items()]


def _is_alike(counts: Counts, totals: Counts, asked: Asked) -> bool:
    return all(gain <= asked.numbers[0] for _, gain in _gains(counts, totals))


def _is_more_alike(counts: Counts, totals: Counts, asked: Asked) -> bool:
    return _is_alike(counts, totals, asked) and all(
        gain <= 0 or _digits(gain) <= -_log(share) for share, gain in _gains(counts, totals)
    )


def _digits(number: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = 60
        return Decimal(number.numerator) / Decimal(number.denominator)


def _log(number: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = 60
        return (Decimal(number.numerator) / Decimal(number.denominator)).ln()


def _discloses_little(counts: Counts, totals: Counts, asked: Asked) -> bool:
    """q/p and p/q are below 2^(a/b) where their b-th powers are below 2^a."""
    delta = asked.numbers[0]
    if len(counts) < len(totals):
        return False
    ratios = [1 + gain for _, gain in _gains(counts, totals)]
    return all(max(ratio, 1 / ratio) ** delta.denominator < 2**delta.numerator for ratio in ratios)


def _spans(counts: Counts, totals: Counts, asked: Asked) -> bool:
    places = [oracle.position(value) for value in counts if value is not None]
    return (max(places) - min(places) if places else Fraction(0)) >= asked.numbers[0]


def _is_signature(counts: Counts, totals: Counts, asked: Asked) -> bool:
    return len(counts) == sum(counts.values()) == asked.numbers[0]


OF_COUNTS: dict[str, Callable[[Counts, Counts, Asked], bool]] = oracle.MODELS | {
    "alpha": _has_small_shares,
    "beta": _is_alike,
    "enhanced-beta": _is_more_alike,
    "delta": _discloses_little,
    "e": _spans,
    "m": _is_signature,
}
"""Models that counts of values decide, class by class."""


def _is_seldom_found(sizes: Sequence[int], asked: Asked) -> bool:
    return Fraction(len(sizes), sum(sizes)) <= asked.numbers[0]


def _is_seldom_unique(sizes: Sequence[int], asked: Asked) -> bool:
    return Fraction(sizes.count(1), sum(sizes)) <= asked.numbers[0]


OF_SIZES: dict[str, Callable[[Sequence[int], Asked], bool]] = {
    "average-risk": _is_seldom_found,
    "sample-uniques": _is_seldom_unique,
}
"""Models that the sizes of all classes decide."""
OF_PEOPLE = ("kmap", "no-attack-journalist", "k-households")
"""Models that are decided by who fits the cells, and of what household the rows are."""
PAYOUTS = ("payout", "payout-journalist")
"""Models that are decided by the values under the cells, and by how many people may be meant."""
ESTIMATES = frozenset(("population-uniques", "zayatz-uniques", "pitman-uniques", "snb-uniques"))
"""Models that the campaign leaves out: an estimate that is found step by step has no definition but its steps."""
MODELS = frozenset((*OF_COUNTS, *OF_SIZES, *OF_PEOPLE, *PAYOUTS, *oracle.TOGETHER))
"""Every model that the campaign can decide."""

Spread: TypeAlias = tuple[tuple[Key, int], ...]
QUESTIONS: dict[str, Asked] = {}
"""What was asked, by a text that says all of it; there are few different ones."""


@lru_cache(maxsize=500_000)
def decided(question: str, counts: Spread, totals: Spread) -> bool:
    """Whether a class with these counts, in a table with those, meets what was asked."""
    asked = QUESTIONS[question]
    return OF_COUNTS[asked.name](dict(counts), dict(totals), asked)


def question_of(asked: Asked) -> str:
    """Return a text that two questions share only if they are the same."""
    text = repr((asked.name, asked.numbers, len(asked.attributes), asked.distance, asked.tree, asked.trees))
    QUESTIONS.setdefault(text, asked)
    return text


def spread(values: Sequence[Key]) -> Spread:
    """Count values, in an order that is the same for equal counts.

    >>> spread(["b", "a", "b"])
    (('a', 1), ('b', 2))
    """
    counts: dict[Key, int] = defaultdict(int)
    for value in values:
        counts[value] += 1
    return tuple(sorted(counts.items(), key=_in_order))


def _in_order(counted: tuple[Key, int]) -> str:
    return repr(counted[0])


class Judge:
    """Decides releases of one problem: what `problem` asks, with households and questions worked out once."""

    def __init__(self, problem: OracleProblem, homes: Sequence[int]) -> None:
        self.problem, self.homes = problem, homes
        self.questions = [question_of(asked) for asked in problem.asked]

    def failing(self, classes: Sequence[Group], cells: Sequence[Texts], starred: Group = ()) -> list[str]:
        """Return the names of the models that classes do not meet; `cells` are those of each class."""
        return [
            asked.name
            for asked, question in zip(self.problem.asked, self.questions, strict=True)
            if not self._meets(asked, question, classes, cells, starred)
        ]

    def _meets(
        self, asked: Asked, question: str, classes: Sequence[Group], cells: Sequence[Texts], starred: Group
    ) -> bool:
        if asked.name in OF_COUNTS:
            values = self._values(asked.attributes)
            totals = spread([values[row] for group in classes for row in group])
            parts = (part for group in classes for part in self._parts(group, asked.given))
            return all(decided(question, spread([values[row] for row in part]), totals) for part in parts)
        if asked.name in OF_SIZES:
            return OF_SIZES[asked.name]([len(group) for group in classes], asked)
        if asked.name == "k-households":
            return all(len({self.homes[row] for row in group}) >= asked.numbers[0] for group in classes)
        if asked.name == "kmap":
            return all(self._fitting(texts) >= asked.numbers[0] for texts in cells)
        if asked.name == "no-attack-journalist":
            gain, cost = asked.numbers
            return all(self._fitting(texts) * cost >= gain for texts in cells)
        if asked.name in PAYOUTS:
            known = asked.name == "payout"
            pairs = [
                (len(group) if known else self._fitting(texts), texts)
                for group, texts in zip(classes, cells, strict=True)
            ]
            return all(self._brings(asked, people, texts) for people, texts in pairs)
        if isinstance(asked.distance, str) and asked.distance.split(":")[0] in ("sum", "maximum"):
            shown = [self._values(asked.attributes)[row] for group in classes for row in group]
            matrix = oracle.combined(list(dict.fromkeys(shown)), asked.distance, asked.trees)
            asked = replace(asked, distance=matrix)
        return oracle.TOGETHER[asked.name](self.problem.settled(classes, starred), classes, asked)

    def _brings(self, asked: Asked, people: int, texts: Texts) -> bool:
        """Whether a row with these cells, looked for among so many people, leaves its publisher more than nothing."""
        gain, cost, benefit, penalty = asked.numbers
        if people == 0:
            return False
        paid = penalty / people if gain / people > cost else Fraction(0)
        trees = [column.tree for column in self.problem.quasi]
        lost = sum((_log(Fraction(_under(text, tree))) for text, tree in zip(texts, trees, strict=True)), Decimal(0))
        most = sum((_log(Fraction(len(tree))) for tree in trees), Decimal(0))
        with localcontext() as context:
            context.prec = 60
            kept = 1 - lost / most if most else Decimal(1)
            return _digits(benefit) * kept - _digits(paid) > Decimal("1e-40")

    def _values(self, attributes: tuple[str, ...]) -> list[Key]:
        rows = self.problem.rows
        if len(attributes) == 1:
            return [row[attributes[0]] for row in rows]
        return [tuple(row[name] for name in attributes) for row in rows]

    def _parts(self, group: Group, given: tuple[str, ...]) -> list[list[int]]:
        """The rows of a class that are equal in what the attacker knows."""
        parts: dict[tuple[Value, ...], list[int]] = defaultdict(list)
        for row in group:
            parts[tuple(self.problem.rows[row][name] for name in given)].append(row)
        return list(parts.values())

    def _fitting(self, texts: Texts) -> int:
        """How many people of the population the cells of a class may be about."""
        return sum(
            all(
                covers(text, person[column.name], column, self.problem.recoding)
                for text, column in zip(texts, self.problem.quasi, strict=True)
            )
            for person in self.problem.population
        )


def _under(text: str | None, tree: Tree) -> int:
    """How many leaves of a tree a published cell stands for."""
    return len(tree) if text == "*" else max(sum(text in labels for labels in tree.values()), 1)


@lru_cache(maxsize=200_000)
def _covers(text: str | None, kind: str, value: Value, column: _Known, recoding: str) -> bool:
    return oracle.reads_as(text, value, column.column, recoding)


class _Known:
    """A column by what is known of it, so that equal columns of many tables are one."""

    def __init__(self, column: oracle.Column) -> None:
        self.column = column
        self.key = (column.name, column.domain, column.order, column.recoding, _branches(column.tree))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Known) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


def _branches(tree: Tree) -> tuple[tuple[Value, tuple[str, ...]], ...]:
    return tuple(tree.items())


def covers(text: str | None, value: Value, column: oracle.Column, recoding: str) -> bool:
    """Whether a published cell covers a value, by reading its text; each pair is read once."""
    return _covers(text, type(value).__name__, value, _Known(column), recoding)  # 1, 1.0 and true are equal in Python
