"""An oracle: the definitions once more, written from the mathematics in plain Python. It shares no code with shoal.

A row is a mapping from column to value, None the missing one. Arithmetic is exact wherever the mathematics is
rational; everything is slow on purpose and fit for tables of a few rows.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache, cached_property
from itertools import chain, combinations, pairwise, permutations, product
from math import isclose, log, prod
from typing import Any, TypeAlias, cast

Value: TypeAlias = int | float | str | bool | date | None
Row: TypeAlias = Mapping[str, Value]
Key: TypeAlias = Value | tuple[Value, ...]
"""A sensitive value, or several read jointly."""
Counts: TypeAlias = Mapping[Key, int]
Tree: TypeAlias = Mapping[Value, tuple[str, ...]]
"""The labels of each declared leaf, finest first, the root left out; without leaves: the value or a star."""
Matrix: TypeAlias = Mapping[tuple[Key, Key], Fraction]
Group: TypeAlias = tuple[int, ...]
"""Row numbers, rising."""


# --- privacy models: predicates on one class -------------------------------------------------------------------------


@dataclass(frozen=True)
class Asked:
    """A requirement as plain data: `name` and `numbers` as the grammar has them."""

    name: str
    numbers: tuple[Fraction, ...]
    attributes: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    distance: str | Matrix = "auto"
    """A word, a matrix, or of combinations `sum` or `maximum` with a word for each attribute: `sum:equal:ordered`."""
    tree: Tree | None = None
    trees: tuple[Tree | None, ...] = ()
    """The tree of each attribute, where several are read jointly."""


def admits(asked: Asked, group: Sequence[Row], table: Sequence[Row]) -> bool:
    """Whether a class of the published table meets the requirement: each part of it in which `given` are equal."""
    parts: dict[tuple[Value, ...], list[Row]] = defaultdict(list)
    for row in group:
        parts[tuple(row[name] for name in asked.given)].append(row)
    totals = _counted(table, asked.attributes)
    return all(MODELS[asked.name](_counted(part, asked.attributes), totals, asked) for part in parts.values())


def _counted(rows: Iterable[Row], attributes: tuple[str, ...]) -> Counts:
    if len(attributes) == 1:
        return Counter(row[attributes[0]] for row in rows)
    return Counter(tuple(row[name] for name in attributes) for row in rows)


def _has_k_rows(counts: Counts, totals: Counts, asked: Asked) -> bool:
    return sum(counts.values()) >= asked.numbers[0]


def _pays_no_attack(counts: Counts, totals: Counts, asked: Asked) -> bool:
    gain, cost = asked.numbers
    return gain * Fraction(1, sum(counts.values())) <= cost


def _is_eligible(counts: Counts, totals: Counts, asked: Asked) -> bool:
    return asked.numbers[0] * max(counts.values()) <= sum(counts.values())


def _has_distinct(counts: Counts, totals: Counts, asked: Asked) -> bool:
    return len(counts) >= asked.numbers[0]


def _has_entropy(counts: Counts, totals: Counts, asked: Asked) -> bool:
    """-sum p ln p >= ln l, both sides raised to the power rows: rows^rows >= l^rows * prod count^count."""
    rows = sum(counts.values())
    taken = prod(count**count for count in counts.values())
    return bool(rows**rows >= asked.numbers[0] ** rows * taken)


def _has_estimated_entropy(counts: Counts, totals: Counts, asked: Asked) -> bool:
    """Grassberger's estimate: ln N - sum n G(n) / N >= ln l, and l different values."""
    rows = sum(counts.values())
    with localcontext(prec=60):
        lost = sum((n * _grassberger(n) for n in counts.values()), Decimal(0)) / rows
        found = Decimal(rows).ln() - lost - _decimal(asked.numbers[0]).ln()
    return len(counts) >= asked.numbers[0] and found >= 0


def _grassberger(n: int) -> Decimal:
    """G(n) = psi(n) + (-1)^n / 2 * (psi((n + 1) / 2) - psi(n / 2))."""
    return _digamma(2 * n) + Decimal((-1) ** n) / 2 * (_digamma(n + 1) - _digamma(n))


def _digamma(twice: int) -> Decimal:
    """psi(twice / 2), by psi(x + 1) = psi(x) + 1/x from psi(1) and psi(1/2)."""
    start, found = (2, -_euler()) if twice % 2 == 0 else (1, -_euler() - 2 * Decimal(2).ln())
    return found + sum((Decimal(2) / x for x in range(start, twice, 2)), Decimal(0))


@cache
def _euler() -> Decimal:
    """Euler's constant by Brent and McMillan's algorithm."""
    n = 50
    with localcontext(prec=80):
        a = u = -Decimal(n).ln()
        b = v = Decimal(1)
        for k in range(1, 400):
            b = b * n * n / (k * k)
            a = (a * n * n / k + b) / k
            u, v = u + a, v + b
        return u / v


def _decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / number.denominator


def _is_enough_for_people(counts: Counts, totals: Counts, asked: Asked) -> bool:
    """Of k people a Poisson number is in the table; so many rows or more are then as rare as asked for, or k rows."""
    k, fraction, error = asked.numbers
    rows = sum(counts.values())
    with localcontext(prec=60):
        mean = _decimal(fraction * k)
        chances = [(-mean).exp()]
        for seen in range(1, rows):
            chances.append(chances[-1] * mean / seen)
        more = 1 - sum(chances)
        if asked.name == "kmap-truncated":
            more /= 1 - chances[0]
        return rows >= k or more <= _decimal(error)


def _is_recursive(counts: Counts, totals: Counts, asked: Asked) -> bool:
    c, l = asked.numbers  # noqa: E741 - the paper's name
    falling = sorted(counts.values(), reverse=True)
    return falling[0] < c * sum(falling[int(l) - 1 :])


def _is_close(counts: Counts, totals: Counts, asked: Asked) -> bool:
    distance = asked.distance
    if isinstance(distance, str) and distance.split(":")[0] in ("sum", "maximum"):
        distance = combined(list(totals), distance, asked.trees)
    return emd(counts, totals, distance, asked.tree) <= asked.numbers[0]


MODELS: dict[str, Callable[[Counts, Counts, Asked], bool]] = {
    "k": _has_k_rows,
    "no-attack": _pays_no_attack,
    "l": _is_eligible,
    "distinct-l": _has_distinct,
    "entropy-l": _has_entropy,
    "grassberger-l": _has_estimated_entropy,
    "kmap-poisson": _is_enough_for_people,
    "kmap-truncated": _is_enough_for_people,
    "recursive-l": _is_recursive,
    "t": _is_close,
}


# --- who of a population is in the table: assignments of rows to people ----------------------------------------------


def chances(fits: Sequence[Sequence[bool]], sizes: Sequence[int]) -> list[Fraction] | None:
    """The share of all assignments of rows to different people, each fitting, that use each person; None if none is.

    `fits` says person by class whether the cells of the class fit the person, `sizes` how many rows a class has.

    >>> chances([[True, False], [True, True]], [1, 1])
    [Fraction(1, 1), Fraction(1, 1)]
    """
    rows = [place for place, size in enumerate(sizes) for _ in range(size)]
    used, total = [0] * len(fits), 0
    for people in _assignments(fits, rows, ()):
        total += 1
        for person in people:
            used[person] += 1
    return [Fraction(number, total) for number in used] if total else None


def _assignments(
    fits: Sequence[Sequence[bool]], rows: Sequence[int], taken: tuple[int, ...]
) -> Iterator[tuple[int, ...]]:
    if len(taken) == len(rows):
        yield taken
        return
    for person, line in enumerate(fits):
        if line[rows[len(taken)]] and person not in taken:
            yield from _assignments(fits, rows, (*taken, person))


def chance_bounds(fits: Sequence[Sequence[bool]], sizes: Sequence[int]) -> list[tuple[Fraction, Fraction]]:
    """The bounds of every person's chance, by the sets of people that the argument in the documentation names."""
    own = [frozenset(place for place, fit in enumerate(line) if fit) for line in fits]
    nobody = (Fraction(0), Fraction(0))
    return [
        (_least_chance(classes, own, sizes), _most_chance(classes, own, sizes)) if classes else nobody
        for classes in own
    ]


def _most_chance(classes: frozenset[int], own: Sequence[frozenset[int]], sizes: Sequence[int]) -> Fraction:
    found = [Fraction(1)]
    for people in ([o for o in own if o == classes], [o for o in own if o >= classes]):
        found.append(Fraction(sum(sizes[place] for place in frozenset().union(*people)), len(people)))
    return min(found)


def _least_chance(classes: frozenset[int], own: Sequence[frozenset[int]], sizes: Sequence[int]) -> Fraction:
    found = [Fraction(0)]
    for among in ([classes], [o for o in own if o and o <= classes]):
        people = [o for o in own if o in among]
        inside = [place for place in range(len(sizes)) if all(o in among for o in own if place in o)]
        found.append(Fraction(sum(sizes[place] for place in inside if any(place in o for o in own)), len(people)))
    return max(found)


# --- the Earth Mover's Distance --------------------------------------------------------------------------------------


def emd(counts: Counts, totals: Counts, distance: str | Matrix = "auto", tree: Tree | None = None) -> Fraction:
    """The distance of two distributions over the values of `totals`, given as counts.

    >>> emd({"a": 1, "b": 1}, {"a": 3, "b": 3, "c": 4}, "equal")
    Fraction(2, 5)
    """
    if not isinstance(distance, str):
        return transport(counts, totals, distance)
    values = in_order(totals)
    word = _default_distance(values, tree) if distance == "auto" else distance
    if word == "hierarchy":
        assert tree is not None
        return _along_tree(counts, totals, tree)
    extra = _extra(counts, totals)
    if word == "equal":
        return sum((abs(extra[value]) for value in values), Fraction(0)) / 2
    places = [Fraction(place) for place in (range(len(values)) if word == "ordered" else map(position, values))]
    moved, ahead = Fraction(0), Fraction(0)
    for i in range(len(values) - 1):
        ahead += extra[values[i]]
        moved += abs(ahead) * (places[i + 1] - places[i])
    return moved / (places[-1] - places[0]) if moved else Fraction(0)


def combined(values: Sequence[Key], distance: str, trees: Sequence[Tree | None]) -> Matrix:
    """The mean or the maximum of the attributes' distances, between any two combinations of values.

    >>> found = combined([(1, "a"), (2, "a"), (5, "b")], "sum:numeric:equal", (None, None))
    >>> found[(1, "a"), (2, "a")], found[(1, "a"), (5, "b")]
    (Fraction(1, 8), Fraction(1, 1))
    """
    how, *words = distance.split(":")
    columns = list(zip(*cast(Sequence[tuple[Value, ...]], values), strict=True))
    parts = [_each_way(column, word, tree) for column, word, tree in zip(columns, words, trees, strict=True)]
    found = {}
    for a, b in product(cast(Sequence[tuple[Value, ...]], values), repeat=2):
        apart = [part[pair] for part, pair in zip(parts, zip(a, b, strict=True), strict=True)]
        found[a, b] = max(apart) if how == "maximum" else sum(apart, Fraction(0)) / len(apart)
    return cast(Matrix, found)


def _each_way(column: Sequence[Value], word: str, tree: Tree | None) -> dict[tuple[Value, Value], Fraction]:
    """How far the values of one attribute are apart: what it takes to move all of the one to the other."""
    once = dict.fromkeys(column, 1)
    return {
        (a, b): emd({a: 1}, {**dict.fromkeys(once, 0), b: 1}, word, tree) if a != b else Fraction(0)
        for a, b in product(once, repeat=2)
    }


def _default_distance(values: Sequence[Key], tree: Tree | None) -> str:
    known = [value for value in values if value is not None]
    if known and all(isinstance(value, int | float | date) and not isinstance(value, bool) for value in known):
        return "ordered"
    return "equal" if tree is None else "hierarchy"


def _extra(counts: Counts, totals: Counts) -> dict[Key, Fraction]:
    """X - Y, value by value."""
    rows, total = sum(counts.values()), sum(totals.values())
    return {value: Fraction(counts.get(value, 0), rows) - Fraction(totals[value], total) for value in totals}


def _along_tree(counts: Counts, totals: Counts, tree: Tree) -> Fraction:
    """The node form: sum over inner nodes of height(N)/H * min(positive, negative extras of the children).

    A node's height is that of its highest child and one; a label that repeats the one below it is the same node.
    """
    extras: dict[tuple[Key, ...], Fraction] = defaultdict(Fraction)
    heights: dict[tuple[Key, ...], int] = defaultdict(int)
    for value, extra in _extra(counts, totals).items():
        path = _branch(tree, value)
        for steps in range(len(path)):
            extras[path[steps:]] += extra
            heights[path[steps:]] = max(heights[path[steps:]], steps)
    moved = Fraction(0)
    for node, height in heights.items():
        children = [extras[other] for other in extras if other[1:] == node]
        positive, negative = sum(e for e in children if e > 0), -sum(e for e in children if e < 0)
        moved += Fraction(height, heights[("the root",)]) * min(positive, negative)
    return moved


def _branch(tree: Tree, value: Key) -> tuple[Key, ...]:
    """The nodes from a leaf to the root, a label that is repeated upward once."""
    assert not isinstance(value, tuple)
    height = max((len(labels) for labels in tree.values()), default=0) + 1
    labels = [None if value is None else _text(value), *_labels(tree, value, height)]
    return (value, *(above for below, above in pairwise(labels) if above != below))


def _labels(tree: Tree, value: Key, height: int) -> tuple[Key, ...]:
    """The labels of a value from level 1 to the root's; one that is no leaf (the missing value) is alone up there."""
    assert not isinstance(value, tuple)
    return (*tree.get(value, (None,) * (height - 1)), "the root")


def transport(counts: Counts, totals: Counts, distance: Matrix) -> Fraction:
    """The transportation problem, exactly: ship along shortest paths (with way back) until all is moved."""
    values = list(totals)
    rows, total = sum(counts.values()), sum(totals.values())
    supply = {value: counts.get(value, 0) * total for value in values}
    demand = {value: totals[value] * rows for value in values}
    flow: dict[tuple[Key, Key], int] = defaultdict(int)
    while any(supply.values()):
        path = _shortest_path(values, supply, demand, flow, distance)
        start, end = path[0], path[-1]
        back = [(path[i + 1], path[i]) for i in range(1, len(path) - 1, 2)]
        amount = min([supply[start], demand[end], *(flow[way] for way in back)])
        supply[start] -= amount
        demand[end] -= amount
        for i in range(0, len(path) - 1, 2):
            flow[path[i], path[i + 1]] += amount
        for way in back:
            flow[way] -= amount
    moved = sum((distance[a, b] * amount for (a, b), amount in flow.items()), Fraction(0))
    return moved / (rows * total)


def _shortest_path(
    values: Sequence[Key],
    supply: Mapping[Key, int],
    demand: Mapping[Key, int],
    flow: Mapping[tuple[Key, Key], int],
    distance: Matrix,
) -> list[Key]:
    """Bellman and Ford in the residual graph: source, sink, source, ..., sink."""
    ahead: dict[tuple[str, Key], tuple[Fraction, list[Key]]] = {
        ("from", value): (Fraction(0), [value]) for value in values if supply[value]
    }
    for _ in range(2 * len(values)):
        for a in values:
            for b in values:
                _relax(ahead, ("from", a), ("to", b), distance[a, b])
                if flow.get((a, b), 0) > 0:
                    _relax(ahead, ("to", b), ("from", a), -distance[a, b])
    reached = [ahead["to", value] for value in values if demand[value] and ("to", value) in ahead]
    return min(reached, key=lambda one: one[0])[1]


def _relax(
    ahead: dict[tuple[str, Key], tuple[Fraction, list[Key]]],
    start: tuple[str, Key],
    end: tuple[str, Key],
    length: Fraction,
) -> None:
    if start in ahead and (end not in ahead or ahead[start][0] + length < ahead[end][0]):
        ahead[end] = ahead[start][0] + length, [*ahead[start][1], end[1]]


def position(value: Key) -> Fraction:
    """Where a number or a date lies on the line; 0.1 is a tenth."""
    if isinstance(value, datetime):
        since = value - datetime(1970, 1, 1)
        return Fraction(since.days * 86_400_000_000 + since.seconds * 1_000_000 + since.microseconds)
    if isinstance(value, date):
        return Fraction(value.toordinal())
    assert isinstance(value, int | float), f"{value!r} has no position"
    return Fraction(str(value))


def in_order(values: Iterable[Key]) -> list[Key]:
    """Values by their own order, the missing value last; combinations in any order.

    >>> in_order(["b", None, "a"])
    ['a', 'b', None]
    """
    values = list(dict.fromkeys(values))
    if any(isinstance(value, tuple) for value in values):
        return values
    known: list[Any] = [value for value in values if value is not None]
    return [*sorted(known), *(value for value in values if value is None)]


# --- recoding: how a class is shown ----------------------------------------------------------------------------------


MIXED = {"mixed": "range", "mixed-centroid": "centroid"}
"""The recodings in which columns differ, and how what is ordered is shown where nothing is said."""


@dataclass(frozen=True)
class Column:
    """A quasi-identifier: its distinct values, the tree it is generalized along, its weight."""

    name: str
    domain: frozenset[Value]
    tree: Tree = field(default_factory=dict, hash=False)
    weight: Fraction = Fraction(1)
    order: tuple[str, ...] = ()
    """The declared order of categories."""
    recoding: str = ""
    """How it is shown in a mixed release; nothing where that is left to its values."""

    def recoded(self, recoding: str) -> str:
        """How it is shown in a release: in a mixed one as asked, else what is ordered in one way, others as blocks."""
        if recoding not in MIXED:
            return recoding
        return self.recoding or (MIXED[recoding] if self.is_ordered else "generalize")

    @property
    def is_ordered(self) -> bool:
        """Numbers, dates and declared categories are shown as ranges."""
        known = self.domain - {None}
        numbers = all(isinstance(v, int | float | date) and not isinstance(v, bool) for v in known)
        return bool(known) and (numbers or bool(self.order))

    @property
    def is_numeric(self) -> bool:
        """Whether the known values are numbers."""
        return self.is_ordered and all(v is None or isinstance(v, int | float) for v in self.domain)

    @property
    def places(self) -> dict[Value, Fraction]:
        """Where each value lies: numbers and dates by themselves, categories by their rank among those that occur."""
        if self.order:
            ranked = [category for category in self.order if category in self.domain]
            return {category: Fraction(rank) for rank, category in enumerate(ranked)}
        return {value: position(value) for value in self.domain if value is not None}

    @property
    def leaves(self) -> frozenset[Value]:
        """The declared leaves, and the values that are none (the missing one)."""
        return frozenset(self.tree) | self.domain

    @property
    def height(self) -> int:
        """The level of the star."""
        return max((len(labels) for labels in self.tree.values()), default=0) + 1

    def path(self, leaf: Value) -> tuple[Key, ...]:
        """The blocks of a leaf, from level 0 to the root."""
        return (leaf, *_labels(self.tree, leaf, self.height))


@dataclass(frozen=True)
class Cell:
    """A published cell: the values it may stand for, and what is lost by it."""

    members: frozenset[Value]
    star: bool
    ncp: Fraction
    height: Fraction | None = None


def suppressed(column: Column, values: frozenset[Value]) -> Cell:
    """The common value, or a star."""
    star = len(values) > 1
    return Cell(column.domain if star else values, star, Fraction(star), Fraction(star))


def generalized(column: Column, values: frozenset[Value]) -> Cell:
    """The smallest level at which all values fall into one block."""
    return at_level(column, values, least_level(column, values))


def least_level(column: Column, values: frozenset[Value]) -> int:
    """The smallest level at which all values fall into one block."""
    return next(h for h in range(column.height + 1) if len({column.path(value)[h:] for value in values}) == 1)


def at_level(column: Column, values: frozenset[Value], level: int) -> Cell:
    """The block of a level that the values fall into."""
    common = column.path(next(iter(values)))[level:]
    members = frozenset(leaf for leaf in column.leaves if column.path(leaf)[level:] == common)
    star = level == column.height
    share = Fraction(len(members) - 1, max(len(column.leaves) - 1, 1))
    return Cell(members, star, Fraction(1) if star else share, Fraction(level, column.height))


def ranged(column: Column, values: frozenset[Value]) -> Cell:
    """The range from least to greatest of numbers and dates, the set of other values; all of the column is a star.

    A missing value within a range counts for one value.
    """
    others = max(len(column.domain) - 1, 1)
    if not column.is_ordered:
        star = values == column.domain and len(values) > 1
        return Cell(values, star, Fraction(len(values) - 1, others))
    places = column.places
    shown = [places[value] for value in values if value is not None]
    inside = frozenset(v for v, place in places.items() if shown and min(shown) <= place <= max(shown))
    members = inside | (values & {None})
    if members == column.domain and len(members) > 1:
        return Cell(members, True, Fraction(1))
    span = max(places.values()) - min(places.values())
    share = (max(shown) - min(shown)) / span if shown and span else Fraction(0)
    beside = Fraction(1, others) if shown and None in values else Fraction(0)
    return Cell(members, False, min(share + beside, Fraction(1)))


def one_cut(column: Column, groups: Iterable[frozenset[Value]]) -> dict[Value, int]:
    """The level of each value in the lowest cut through the tree that tears no group: disjoint blocks that hold groups.

    A block with the same leaves on several levels is named on the highest, up to the highest of the column; of levels
    with the same label, on the lowest.
    """
    held = [(at_level(column, group, h := least_level(column, group)).members, h) for group in groups]
    level = {value: max((h for members, h in held if value in members), default=0) for value in column.domain}
    return {value: _named(column, value, start, max(level.values())) for value, start in level.items()}


def _named(column: Column, value: Value, start: int, highest: int) -> int:
    own = frozenset([value])
    members = at_level(column, own, start).members
    top = max(h for h in range(start, highest + 1) if at_level(column, own, h).members == members)
    labels = [None if value is None else _text(value), *column.path(value)[1:]]
    return next(h for h in range(start, top + 1) if labels[h] == labels[top])


ALONG_TREES = ("generalize", "single-dimensional", "full-domain")
"""The recodings whose cells are blocks of the trees that were given."""
RECODINGS: dict[str, Callable[[Column, frozenset[Value]], Cell]] = {
    "suppress": suppressed,
    "generalize": generalized,
    "full-domain": generalized,
    "single-dimensional": generalized,
    "range": ranged,
}


def centroid(column: Column, values: Sequence[Value]) -> Value | Fraction:
    """The mean of numbers, the lower median of dates and categories, the commonest of other values.

    >>> age = Column("age", frozenset([1, 2, 6, None]))
    >>> centroid(age, [1, 2, 6]), centroid(age, [1, None]), centroid(age, [1, None, None])
    (Fraction(3, 1), Fraction(1, 1), None)
    """
    known = [value for value in values if value is not None]
    if not column.is_ordered:
        counts: Counter[Key] = Counter(values)
        return cast(Value, max(in_order(values), key=lambda value: counts[value]))
    if 2 * len(known) < len(values):
        return None
    if column.is_numeric:
        return sum((column.places[value] for value in known), Fraction(0)) / len(known)
    return sorted(known, key=lambda value: column.places[value])[(len(known) - 1) // 2]


def shows(cell: str | None, middle: Value | Fraction) -> bool:
    """Whether the text of a published cell is that of a centroid."""
    if cell is None or middle is None:
        return cell is None and middle is None
    return isclose(float(cell), middle, rel_tol=1e-12) if isinstance(middle, Fraction) else cell == _text(middle)


def reads_as(cell: str | None, value: Value, column: Column, recoding: str) -> bool:
    """Whether the text of a published cell covers a value, by reading the text.

    >>> reads_as("[1, 3] | missing", 2, Column("age", frozenset([1, 2, 3, None])), "range")
    True
    """
    recoding = column.recoded(recoding)
    if cell == "*":
        return recoding != "anatomy"
    if cell is None:
        return value is None
    if value is not None and cell == _text(value):
        return True
    if recoding in ALONG_TREES:
        return cell in column.tree.get(value, ())
    if recoding in ("suppress", "anatomy"):
        return False
    if value is None:
        return cell.endswith(" | missing")
    body = cell.removesuffix(" | missing")
    if not column.is_ordered:
        return _text(value) in _members(body)
    texts = {_text(known): place for known, place in column.places.items()}
    pairs = [(body, body), *((body[1 : cut.start()], body[cut.end() : -1]) for cut in re.finditer(", ", body))]
    ends = [(texts[low], texts[high]) for low, high in pairs if low in texts and high in texts]
    return any(low <= column.places[value] <= high for low, high in ends)


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    return "\\" + text if re.fullmatch(r"\\*\*", text) else text


def _members(body: str) -> list[str]:
    if not (body.startswith("{") and body.endswith("}")):
        return []
    pieces = re.findall(r'(?:^|, )(?:"((?:[^"\\]|\\.)*)"|([^",{}]+))', body[1:-1])
    return [plain or re.sub(r"\\(.)", r"\1", quoted) for quoted, plain in pieces]


# --- a problem: what a release may look like, and what it costs ------------------------------------------------------


@dataclass(frozen=True)
class Problem:
    """Publish these rows so that every class meets what is asked."""

    rows: Sequence[Row]
    quasi: tuple[Column, ...]
    sensitive: tuple[str, ...]
    asked: tuple[Asked, ...]
    recoding: str = "suppress"
    k: int = 1
    may_drop: int = 0
    may_suppress: int = 0
    population: Sequence[Row] = ()
    """The people whom the table may be about."""
    levels: tuple[int, ...] | None = None
    """In a full-domain release, the level of every column; None where each class has its own."""
    starred: Group = ()
    """In a full-domain release, the rows that are stars whatever they are."""
    cuts: tuple[Mapping[Value, int], ...] | None = None
    """In a single-dimensional release, the level of every value of every column; None where each class has its own."""
    _cells: dict[Group, tuple[Cell, ...]] = field(default_factory=dict, repr=False)

    def cells(self, group: Group) -> tuple[Cell, ...]:
        """How a class is shown."""
        if group not in self._cells:
            self._cells[group] = tuple(self._cell(place, group) for place in range(len(self.quasi)))
        return self._cells[group]

    def _cell(self, place: int, group: Group) -> Cell:
        column = self.quasi[place]
        shown = [self.rows[row][column.name] for row in group]
        if column.recoded(self.recoding) == "centroid":
            return Cell(frozenset([cast(Value, centroid(column, shown))]), False, Fraction(0))
        if self.cuts is not None:
            return at_level(column, frozenset(shown), self.cuts[place][shown[0]])
        if self.levels is None:
            return RECODINGS[column.recoded(self.recoding)](column, frozenset(shown))
        return at_level(column, frozenset(shown), column.height if group == self.starred else self.levels[place])

    def classes(self, groups: Iterable[Group]) -> list[Group]:
        """Groups shown alike are one class; but two tables number their groups, so none is shown as another is."""
        if self.recoding == "anatomy":
            return [tuple(sorted(group)) for group in groups]
        groups = list(groups)
        if (settled := self.settled(groups)) is not self:
            return settled.classes(groups)
        shown: dict[tuple[frozenset[Value], ...], list[int]] = defaultdict(list)
        for group in groups:
            shown[tuple(cell.members for cell in self.cells(group))].extend(group)
        return [tuple(sorted(rows)) for rows in shown.values()]

    def admits(self, classes: Iterable[Group]) -> bool:
        """Whether these classes, published alone, meet everything that is asked."""
        classes = list(classes)
        table = [self.rows[row] for group in classes for row in group]
        alone = [asked for asked in self.asked if asked.name not in TOGETHER]
        each = all(admits(asked, [self.rows[row] for row in group], table) for group in classes for asked in alone)
        return each and self.admits_together(classes)

    def admits_together(self, classes: Sequence[Group], starred: Group = ()) -> bool:
        """Whether the release of these classes meets what speaks of all of them."""
        shown = self.settled(classes, starred)
        together = [asked for asked in self.asked if asked.name in TOGETHER]
        return all(TOGETHER[asked.name](shown, classes, asked) for asked in together)

    @cached_property
    def is_hopeless(self) -> bool:
        """Whether not even all rows as one class are admitted, whichever may be dropped."""
        return not any(self.admits([kept]) for kept in self.keeps())

    def keeps(self) -> Iterator[Group]:
        """Every choice of the rows to publish, never none."""
        everyone = range(len(self.rows))
        for dropped in range(min(self.may_drop, len(self.rows) - 1) + 1):
            yield from combinations(everyone, len(self.rows) - dropped)

    def releases(self) -> Iterator[list[Group]]:
        """Every way to publish: the classes of every partition of every choice of rows that meets what is asked."""
        verdicts: dict[tuple[Group, Group], bool] = {}
        for kept in self.keeps():
            table = [self.rows[row] for row in kept]
            for groups in partitions(kept):
                classes = self.classes(groups)
                each = all(self._admitted(group, kept, table, verdicts) for group in classes)
                if each and self.admits_together(classes):
                    yield classes

    def _admitted(
        self, group: Group, kept: Group, table: Sequence[Row], verdicts: dict[tuple[Group, Group], bool]
    ) -> bool:
        if (group, kept) not in verdicts:
            rows = [self.rows[row] for row in group]
            alone = [asked for asked in self.asked if asked.name not in TOGETHER]
            verdicts[group, kept] = all(admits(asked, rows, table) for asked in alone)
        return verdicts[group, kept]

    def cost(self, name: str, classes: Sequence[Group]) -> float:
        """What publishing these classes costs, the other rows dropped."""
        return float(COSTS[name](self.settled(classes), classes))

    def optimum(self, cost: str) -> float:
        """The least cost of all releases; infinite where there is none."""
        if self.recoding == "full-domain":
            found = list(self._full_domain(tuple(range(len(self.rows)))))
            found = found or [one for kept in self.keeps() for one in self._full_domain(kept)]
            return min((problem.cost(cost, classes) for problem, classes in found), default=float("inf"))
        return min((self.cost(cost, classes) for classes in self.releases()), default=float("inf"))

    def settled(self, classes: Sequence[Group], starred: Group = ()) -> Problem:
        """The same, the levels known where they are chosen for all classes together."""
        if self.recoding == "full-domain" and self.levels is None:
            return self.at_one_level(classes, starred)
        if self.recoding == "single-dimensional" and self.cuts is None:
            values = [[frozenset(self.rows[row][c.name] for row in group) for group in classes] for c in self.quasi]
            return replace(self, cuts=tuple(map(one_cut, self.quasi, values)), _cells={})
        return self

    def at_one_level(self, classes: Sequence[Group], starred: Group = ()) -> Problem:
        """The same, every column shown at the least level that holds each class but the starred one."""
        shown = [group for group in classes if group != starred]
        values = [[frozenset(self.rows[row][c.name] for row in group) for group in shown] for c in self.quasi]
        levels = [max((least_level(c, v) for v in of), default=0) for c, of in zip(self.quasi, values, strict=True)]
        return replace(self, levels=tuple(levels), starred=starred, _cells={})

    def _full_domain(self, kept: Group) -> Iterator[tuple[Problem, list[Group]]]:
        """Every choice of a level for each column whose failing rows are few, and hold as stars or may be dropped."""
        table = [self.rows[row] for row in kept]
        for levels in product(*(range(column.height + 1) for column in self.quasi)):
            shown: dict[tuple[tuple[Key, ...], ...], list[int]] = defaultdict(list)
            for row in kept:
                pairs = zip(self.quasi, levels, strict=True)
                shown[tuple(column.path(self.rows[row][column.name])[level:] for column, level in pairs)].append(row)
            verdicts: dict[tuple[Group, Group], bool] = {}
            groups = [tuple(rows) for rows in shown.values()]
            fine = [group for group in groups if self._admitted(group, kept, table, verdicts)]
            for also in self._also_gone(fine):
                held = [group for group in fine if group not in also]
                gone = tuple(sorted(row for group in groups if group not in held for row in group))
                held_as_stars = self._admitted(gone, kept, table, verdicts) if gone else True
                yield from self._without(held, gone, held_as_stars)

    def _also_gone(self, fine: Sequence[Group]) -> Iterator[tuple[Group, ...]]:
        """Which classes that are admitted by themselves may go as well: any, where a model speaks of all together."""
        together = any(asked.name in TOGETHER for asked in self.asked)
        for size in range(len(fine) + 1 if together else 1):
            yield from combinations(fine, size)

    def _without(self, held: list[Group], gone: Group, held_as_stars: bool) -> Iterator[tuple[Problem, list[Group]]]:
        """The release in which some rows are stars, or else dropped, if it is admitted."""
        if not gone:
            if self.admits_together(held):
                yield self.at_one_level(held), held
        elif len(gone) <= self.may_suppress:
            if held_as_stars and self.admits_together([*held, gone], gone):
                yield self.at_one_level([*held, gone], gone), [*held, gone]
            elif held and len(gone) <= self.may_drop and self.admits(held):
                yield self.at_one_level(held), held

    def dropped(self, classes: Iterable[Group]) -> list[int]:
        """The rows that no class has."""
        return sorted(set(range(len(self.rows))) - {row for group in classes for row in group})


# --- models that speak of all classes of a release -------------------------------------------------------------------


def _is_near(problem: Problem, classes: Sequence[Group], asked: Asked) -> bool:
    """(n,t)-closeness: each class is within t of n rows or more that it covers once some of its cells are starred."""
    n, t = asked.numbers
    rows = {group: _counted([problem.rows[row] for row in group], asked.attributes) for group in classes}
    values = {value for counts in rows.values() for value in counts}
    for group in classes:
        found = []
        for size in range(len(problem.quasi) + 1):
            for known in combinations(range(len(problem.quasi)), size):
                inside = [other for other in classes if _covers(problem, group, other, known)]
                counts = Counter({value: sum(rows[other].get(value, 0) for other in inside) for value in values})
                if sum(counts.values()) >= n:
                    found.append(emd(rows[group], dict(counts), asked.distance, asked.tree))
        if not found or min(found) > t:
            return False
    return True


def _covers(problem: Problem, group: Group, other: Group, known: Sequence[int]) -> bool:
    """Whether the cells of one class hold those of another in some columns."""
    pairs = [(problem.cells(group)[place], problem.cells(other)[place]) for place in known]
    return all(cell.star or (not inner.star and inner.members <= cell.members) for cell, inner in pairs)


def _is_present(problem: Problem, classes: Sequence[Group], asked: Asked) -> bool:
    """delta-presence: the chance of every person of the population lies between two numbers."""
    fits = [[_fits(problem, group, person) for group in classes] for person in problem.population]
    found = chances(fits, [len(group) for group in classes])
    return found is not None and asked.numbers[0] <= min(found) and max(found) <= asked.numbers[1]


def _fits(problem: Problem, group: Group, person: Row) -> bool:
    pairs = zip(problem.quasi, problem.cells(group), strict=True)
    return all(cell.star or person[column.name] in cell.members for column, cell in pairs)


def _is_close_on_average(problem: Problem, classes: Sequence[Group], asked: Asked) -> bool:
    """Average t-closeness: the mean over rows of the distance from their class to the table is at most t."""
    table = _counted([problem.rows[row] for group in classes for row in group], asked.attributes)
    counts = [_counted([problem.rows[row] for row in group], asked.attributes) for group in classes]
    moved = [sum(one.values()) * emd(one, table, asked.distance, asked.tree) for one in counts]
    return sum(moved, Fraction(0)) <= asked.numbers[0] * sum(table.values())


World: TypeAlias = tuple[Key, ...]
"""The value of everybody, class by class."""


def worlds(groups: Sequence[Sequence[Key]]) -> list[World]:
    """Every different way to hand out the values of classes to their people; all are as probable.

    >>> len(worlds([["a", "b"], ["a", "a", "b"]]))
    6
    """
    dealt = [sorted(set(permutations(values)), key=repr) for values in groups]
    return [tuple(value for part in parts for value in part) for parts in product(*dealt)]


def surest_by_implications(groups: Sequence[Sequence[Key]], k: int) -> Fraction:
    """How sure k implications with one conclusion make an attacker at most of it, by trying all premises."""
    every = worlds(groups)
    atoms = sorted({(person, value) for world in every for person, value in enumerate(world)}, key=repr)
    surest = Fraction(0)
    for target, value in atoms:
        true = sum(world[target] == value for world in every)
        for size in range(k + 1):
            for premises in combinations(atoms, size):
                false = [world for world in every if all(world[person] != other for person, other in premises)]
                surest = max(surest, Fraction(true, true + sum(world[target] != value for world in false)))
    return surest


def surest_by_facts(groups: Sequence[Sequence[Key]], facts: tuple[int, int, int]) -> Fraction:
    """How sure l values not had, k known people and m sharers make an attacker at most, by trying all of them."""
    l, k, m = facts  # noqa: E741 - the paper's name
    every = worlds(groups)
    people, values = range(len(every[0])), sorted({value for world in every for value in world}, key=repr)
    surest = Fraction(0)
    for target, value in product(people, values):
        others, rest = [one for one in people if one != target], [one for one in values if one != value]
        for not_had in chain(*(combinations(rest, size) for size in range(l + 1))):
            for known in chain(*(combinations(others, size) for size in range(k + 1))):
                free = [one for one in others if one not in known]
                for sharers in chain(*(combinations(free, size) for size in range(m + 1))):
                    told: dict[World, list[World]] = defaultdict(list)
                    for world in every:
                        apart = world[target] != value and any(world[one] == value for one in sharers)
                        if world[target] not in not_had and not apart:
                            told[tuple(world[one] for one in known)].append(world)
                    for left in told.values():
                        surest = max(surest, Fraction(sum(world[target] == value for world in left), len(left)))
    return surest


def _secrets(problem: Problem, classes: Sequence[Group], asked: Asked) -> list[list[Key]]:
    return [
        list(Counter(_counted([problem.rows[row] for row in group], asked.attributes)).elements()) for group in classes
    ]


def _is_safe(problem: Problem, classes: Sequence[Group], asked: Asked) -> bool:
    """(c,k)-safety: k implications make nobody sure by c or more."""
    return surest_by_implications(_secrets(problem, classes, asked), int(asked.numbers[1])) < asked.numbers[0]


def _is_below_the_skyline(problem: Problem, classes: Sequence[Group], asked: Asked) -> bool:
    """Skyline privacy: facts of three kinds make nobody sure by c or more."""
    l, k, m, c = asked.numbers  # noqa: E741 - the paper's name
    return surest_by_facts(_secrets(problem, classes, asked), (int(l), int(k), int(m))) < c


def _guards(problem: Problem, classes: Sequence[Group], asked: Asked) -> bool:
    """Personalised privacy: in everybody's class at most a share p of the values lie under their guarding node."""
    (attribute,), (guard,) = asked.attributes, asked.given
    for group in classes:
        values = [problem.rows[row][attribute] for row in group]
        for node in {problem.rows[row][guard] for row in group} - {None}:
            inside = [value for value in values if node in ("*", value, *(asked.tree or {}).get(value, ()))]
            if len(inside) > asked.numbers[0] * len(values):
                return False
    return True


TOGETHER: dict[str, Callable[[Problem, Sequence[Group], Asked], bool]] = {
    "nt": _is_near,
    "presence": _is_present,
    "average-t": _is_close_on_average,
    "ck": _is_safe,
    "skyline": _is_below_the_skyline,
    "personal": _guards,
}


def partitions(items: Sequence[int]) -> Iterator[list[Group]]:
    """Every way to cut items into groups.

    >>> [len(list(partitions(range(n)))) for n in range(1, 7)]
    [1, 2, 5, 15, 52, 203]
    """
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for groups in partitions(rest):
        yield [(first,), *groups]
        for i, group in enumerate(groups):
            yield [*groups[:i], (first, *group), *groups[i + 1 :]]


# --- costs -----------------------------------------------------------------------------------------------------------

RowLoss: TypeAlias = Callable[[Problem, tuple[Cell, ...]], Fraction]


def _stars(problem: Problem, cells: tuple[Cell, ...]) -> Fraction:
    return Fraction(sum(cell.star for cell in cells))


def _starred(problem: Problem, cells: tuple[Cell, ...]) -> Fraction:
    return Fraction(any(cell.star for cell in cells))


def _height(problem: Problem, cells: tuple[Cell, ...]) -> Fraction:
    return sum((c.weight * (cell.height or 0) for c, cell in zip(problem.quasi, cells, strict=True)), Fraction(0))


def _ncp(problem: Problem, cells: tuple[Cell, ...]) -> Fraction:
    weights = sum(column.weight for column in problem.quasi)
    lost = sum((c.weight * cell.ncp for c, cell in zip(problem.quasi, cells, strict=True)), Fraction(0))
    return lost / weights / len(problem.rows)


def _summed(loss: RowLoss) -> Callable[[Problem, Sequence[Group]], Fraction]:
    """A cost that each row pays for its own cells; a dropped row pays for stars only."""

    def cost(problem: Problem, classes: Sequence[Group]) -> Fraction:
        gone = tuple(Cell(column.domain, True, Fraction(1), Fraction(1)) for column in problem.quasi)
        paid = sum((len(group) * loss(problem, problem.cells(group)) for group in classes), Fraction(0))
        return paid + len(problem.dropped(classes)) * loss(problem, gone)

    return cost


def _discernibility(problem: Problem, classes: Sequence[Group]) -> Fraction:
    dropped = len(problem.dropped(classes))
    return Fraction(sum(len(group) ** 2 for group in classes) + dropped * len(problem.rows))


def _centroid_error(problem: Problem, classes: Sequence[Group]) -> Fraction:
    errors = [column.weight * _column_error(problem, column, classes) for column in problem.quasi]
    return sum(errors, Fraction(0)) / sum(column.weight for column in problem.quasi)


def _mixed_loss(problem: Problem, classes: Sequence[Group]) -> Fraction:
    n, gone, lost = len(problem.rows), len(problem.dropped(classes)), Fraction(0)
    for place, column in enumerate(problem.quasi):
        if column.recoded(problem.recoding) == "centroid":
            lost += column.weight * _column_error(problem, column, classes)
        else:
            paid = sum((len(group) * problem.cells(group)[place].ncp for group in classes), Fraction(gone))
            lost += column.weight * paid / n
    return lost / sum(column.weight for column in problem.quasi)


def _column_error(problem: Problem, column: Column, classes: Sequence[Group]) -> Fraction:
    """The distances of all rows to the centroids they show, as a share of those to the centroid of the table."""
    values = [row[column.name] for row in problem.rows]
    shown = {row: centroid(column, [values[row] for row in group]) for group in classes for row in group}
    counted = [row for row, value in enumerate(values) if value is not None or not column.is_ordered]
    if not counted:
        return Fraction(0)
    middle = centroid(column, [values[row] for row in counted])
    most = {row: _apart(column, values[row], middle) for row in counted}
    gone = {row for row in counted if row not in shown or (column.is_ordered and shown[row] is None)}
    paid = sum((most[row] if row in gone else _apart(column, values[row], shown[row]) for row in counted), Fraction(0))
    return paid / sum(most.values()) if sum(most.values()) else Fraction(0)


def _apart(column: Column, value: Value, middle: Value | Fraction) -> Fraction:
    if not column.is_ordered:
        return Fraction(value != middle)
    if isinstance(middle, Fraction):
        return (column.places[value] - middle) ** 2
    return abs(column.places[value] - column.places[middle])


def _average_class_size(problem: Problem, classes: Sequence[Group]) -> Fraction:
    return Fraction(sum(map(len, classes)), len(classes) * problem.k)


def _geometric_loss(problem: Problem, classes: Sequence[Group]) -> float:
    """The geometric mean of the columns' losses, each raised by 1, less 1."""
    n, gone = len(problem.rows), len(problem.dropped(classes))
    columns = range(len(problem.quasi))
    paid = [sum((len(group) * problem.cells(group)[j].ncp for group in classes), Fraction(gone)) for j in columns]
    return float(float(prod(1 + total / n for total in paid)) ** (1 / len(paid))) - 1


def _ambiguity(problem: Problem, classes: Sequence[Group]) -> Fraction:
    """How many combinations of values a row's cells stand for, on average."""
    whole = prod(len(_span(problem, column)) for column in problem.quasi)
    total = Fraction(len(problem.dropped(classes)) * whole)
    for group in classes:
        pairs = zip(problem.quasi, problem.cells(group), strict=True)
        total += len(group) * prod(len(_box(problem, column, cell)) for column, cell in pairs)
    return total / len(problem.rows)


def _uniform_entropy(problem: Problem, classes: Sequence[Group]) -> float:
    """The bits that cells leave open if all that they cover is equally likely, as a share of all bits."""
    bits = [log(len(_span(problem, column)), 2) for column in problem.quasi]
    total = len(problem.dropped(classes)) * sum(bits)
    for group in classes:
        pairs = zip(problem.quasi, problem.cells(group), strict=True)
        total += len(group) * sum(log(len(_box(problem, column, cell)), 2) for column, cell in pairs)
    return total / (sum(bits) or 1) / len(problem.rows)


def _level_loss(problem: Problem, classes: Sequence[Group]) -> Fraction:
    """The mean height of the cells."""
    weightless = replace(problem, quasi=tuple(replace(column, weight=Fraction(1)) for column in problem.quasi))
    return _summed(_height)(weightless, classes) / len(problem.quasi) / len(problem.rows)


def _publisher_payout(problem: Problem, classes: Sequence[Group]) -> float:
    """The benefit of all rows less the payout: bits that are lost, and a fine for each class worth an attack."""
    gain, cost, benefit, penalty = 300, 4, 1200, 300
    bits = sum(log(len(_span(problem, column)), 2) for column in problem.quasi)
    total = float(len(problem.dropped(classes)) * benefit)
    for group in classes:
        pairs = zip(problem.quasi, problem.cells(group), strict=True)
        open_bits = sum(log(len(_box(problem, column, cell)), 2) for column, cell in pairs)
        fined = Fraction(gain, len(group)) > cost
        total += len(group) * (benefit * open_bits / (bits or 1) + (penalty / len(group) if fined else 0))
    return total


def _classification(problem: Problem, classes: Sequence[Group]) -> Fraction:
    """The share of the rows that have not the commonest sensitive value of their class, averaged over columns."""
    wrong = Fraction(0)
    for name in problem.sensitive:
        for group in classes:
            wrong += len(group) - max(Counter(problem.rows[row][name] for row in group).values())
    wrong = wrong / len(problem.sensitive) if problem.sensitive else wrong
    return (wrong + len(problem.dropped(classes))) / len(problem.rows)


def _reconstruction(problem: Problem, classes: Sequence[Group]) -> Fraction:
    """The mean squared distance of each row's own value from the shares of the values in its group."""
    total = Fraction(len(problem.dropped(classes)))
    for group in classes:
        values = [_point(problem, row)[1] for row in group]
        shares = {value: Fraction(count, len(group)) for value, count in Counter(values).items()}
        total += sum(sum(((value == own) - share) ** 2 for value, share in shares.items()) for own in values)
    return total / len(problem.rows)


def _kl_divergence(problem: Problem, classes: Sequence[Group]) -> float:
    """sum f ln(f / f*), f* as every row spreads its mass evenly over the box of its cells."""
    n = len(problem.rows)
    points = Counter(_point(problem, row) for row in range(n))
    whole = tuple(Cell(_span(problem, column), True, Fraction(1)) for column in problem.quasi)
    boxes = [(problem.cells(group), group) for group in classes] + [(whole, tuple(problem.dropped(classes)))]
    divergence = 0.0
    for (qi, sa), count in points.items():
        spread = Fraction(0)
        for cells, group in boxes:
            if all(
                value in _box(problem, column, cell)
                for value, column, cell in zip(qi, problem.quasi, cells, strict=True)
            ):
                volume = prod(len(_box(problem, *pair)) for pair in zip(problem.quasi, cells, strict=True))
                spread += Fraction(sum(_point(problem, row)[1] == sa for row in group), volume)
        divergence += count / n * log(Fraction(count) / spread)
    return divergence


def _point(problem: Problem, row: int) -> tuple[tuple[Value, ...], tuple[Value, ...]]:
    values = problem.rows[row]
    return tuple(values[c.name] for c in problem.quasi), tuple(values[name] for name in problem.sensitive)


def _span(problem: Problem, column: Column) -> frozenset[Value]:
    """Everything that a star may stand for."""
    return column.leaves if column.recoded(problem.recoding) in ALONG_TREES else column.domain


def _box(problem: Problem, column: Column, cell: Cell) -> frozenset[Value]:
    return _span(problem, column) if cell.star else cell.members


COSTS: dict[str, Callable[[Problem, Sequence[Group]], Fraction | float]] = {
    "stars": _summed(_stars),
    "starred-rows": _summed(_starred),
    "height": _summed(_height),
    "ncp": _summed(_ncp),
    "discernibility": _discernibility,
    "average-class-size": _average_class_size,
    "centroid-error": _centroid_error,
    "mixed-loss": _mixed_loss,
    "kl-divergence": _kl_divergence,
    "geometric-loss": _geometric_loss,
    "ambiguity": _ambiguity,
    "uniform-entropy": _uniform_entropy,
    "publisher-payout": _publisher_payout,
    "level-loss": _level_loss,
    "arx-loss": _geometric_loss,
    "classification": _classification,
    "reconstruction": _reconstruction,
}
