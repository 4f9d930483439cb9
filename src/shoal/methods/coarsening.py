"""Coarsening: which columns are raised to which level before a method sees the table.

A method that keeps equal tuples together, such as TP, has little to keep where every tuple is different. Raised columns
have fewer values, so fewer cells are starred; but what is left says less. `auto` looks for the levels at which cells
and stars together lose least, as Xiao, Yi and Tao (2010) advise in section 5.6: vary the levels, look at what the
method makes of them, take the best. What is compared is NCP under the hierarchies of the original: a star costs 1, a
block its share of the column. `hipaa` raises dates, postcodes and ages to what the Safe Harbor rule lets stand.

Under a time limit the levels come first: they are tried in one order, each by a release that is finished, and only once
all were tried does the method that was asked for run, at the best of them. So a longer limit never takes levels at
which the release tried loses more, and at the same levels it never gives a dearer release (`solve_raised`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from typing import TypeAlias

import numpy as np
import polars as pl

from shoal.core.errors import ParameterError, RoleError, Unsupported, nearest
from shoal.hierarchies import Automatic, Builder, Hierarchy
from shoal.hierarchies.level_range import LEVEL
from shoal.hierarchies.raising import Raised, raised_to
from shoal.hierarchies.safe_harbor import SafeHarbor, kind_of
from shoal.methods.auto import choose, methods
from shoal.methods.base import Deadline, Progress, cheapest, quick_release, silent
from shoal.methods.effort import NORMAL
from shoal.methods.l_diversity.tp import TP
from shoal.problem import Problem, Solution
from shoal.recoding.cells import Cells
from shoal.recoding.recode import Published
from shoal.tables.column_names import speaks
from shoal.tables.encoded_column import Coded
from shoal.tables.name_rules import AGES, BIRTH_DATES, DATES, POSTCODES
from shoal.tables.roles import Roles
from shoal.tables.table import Table

AUTO, HIPAA = "auto", "hipaa"
ALL_UP_TO = 64
"""Settings up to which all are tried; of more, one column at a time is changed until nothing helps."""
QUICK = ("tp", "tp-plus", "tp-plus-refined", "hilbert", "mondrian")
"""Methods that settings are tried with if asked for; else TP stands for them, or Mondrian where TP cannot."""
LINEAR = ("tp", "tp-plus", "hilbert", "mondrian")
"""Those of them with which the first setting is tried to the end, however short the limit is: they are quick enough."""
RULED = (AGES, BIRTH_DATES, DATES, POSTCODES)
"""What the Safe Harbor rule speaks of, by the names of columns."""

Given: TypeAlias = str | Mapping[str, int] | None
Levels: TypeAlias = tuple[int, ...]
Pose: TypeAlias = Callable[[Table, Mapping[str, Builder]], Problem]
"""What makes a problem of a raised table and the hierarchies of its columns."""


@dataclass(frozen=True)
class Wish:
    """What was asked: levels by column, and which words were given."""

    levels: Mapping[str, int]
    words: frozenset[str]

    @classmethod
    def of(cls, given: Given) -> Wish:
        """Read levels by column, or words such as `auto`, `hipaa`, `age=2`, with commas between.

        >>> sorted(Wish.of("hipaa, age=2").words), dict(Wish.of("hipaa, age=2").levels)
        (['hipaa'], {'age': 2})
        """
        if given is None:
            return cls({}, frozenset())
        if isinstance(given, Mapping):
            return cls({name: int(LEVEL.read(level, f"coarsen {name}")) for name, level in given.items()}, frozenset())
        parts = [part.strip() for part in given.split(",") if part.strip()]
        words = [part for part in parts if "=" not in part]
        for word in words:
            if word not in (AUTO, HIPAA):
                hint = nearest(word, [AUTO, HIPAA])
                raise ParameterError(f"coarsen is {word!r}", expected=f"{AUTO}, {HIPAA}, or COLUMN=LEVEL", hint=hint)
        pairs = (part.rsplit("=", 1) for part in parts if "=" in part)
        levels = {name.strip(): int(LEVEL.read(level, f"coarsen {name.strip()}")) for name, level in pairs}
        return cls(levels, frozenset(words))

    def __bool__(self) -> bool:
        return bool(self.levels or self.words)


@dataclass(frozen=True, eq=False)
class Choice:
    """The columns to raise, and how they were chosen, in words for the log."""

    columns: Mapping[str, Raised] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    release: Solution | None = None
    """The release that the levels were chosen by; None where they were given."""
    cut: bool = False
    """Whether time was over before all settings were tried."""

    @property
    def remark(self) -> str:
        """What a certificate says of it."""
        told = ", ".join(f"{name} to level {raised.level}" for name, raised in self.columns.items())
        return f"cost and bound are those of the table with columns raised beforehand: {told}"


def choose_levels(
    table: Table,
    roles: Roles,
    builders: Mapping[str, Builder],
    given: Given,
    pose: Pose,
    *,
    method: str,
    seed: int,
    deadline: Deadline,
    progress: Progress,
) -> Choice:
    """Return which columns to raise, for what was asked."""
    wish = Wish.of(given)
    if not wish:
        return Choice()
    for name in wish.levels:
        if name not in roles.quasi:
            raise RoleError(f"coarsen names {name!r}", expected="a quasi-identifier", hint=nearest(name, roles.quasi))
    own = {**_safe_harbor(table, roles, builders, wish), **builders}
    columns = [Ladder.of(table[name], own.get(name, Automatic())) for name in roles.quasi]
    ruled = {name for name, builder in own.items() if name in roles.quasi and HIPAA in wish.words and _rules(builder)}
    least = tuple(max(wish.levels.get(one.name, 0), int(one.name in ruled)) for one in columns)
    for one, level in zip(columns, least, strict=True):
        one.at(level)
    notes = tuple(_left_alone(table, roles, ruled)) if HIPAA in wish.words else ()
    release, cut = None, False
    if AUTO in wish.words:
        search = LevelSearch(table, columns, least, pose, method, seed, deadline, progress)
        (least, release), cut = search.best(), deadline.cut
        notes = (*notes, search.said)
    raised = {one.name: Raised(one.builder, level) for one, level in zip(columns, least, strict=True) if level}
    notes = (*notes, *(f"raised beforehand: {name} to level {r.level}" for name, r in raised.items()))
    return Choice(raised, notes, release, cut)


def solve_raised(
    problem: Problem,
    levels: Choice,
    method: str,
    effort: str = NORMAL,
    *,
    seed: int,
    deadline: Deadline,
    progress: Progress,
) -> Solution:
    """Solve a problem whose columns were raised, by the method of that name.

    Where the levels were chosen by a release of that method, that is the solution. Where time was over before all were
    tried, it is the release that they were chosen by, or the quick one. Else the former is taken if it is cheaper and
    the method was cut short, or is one whose releases never get dearer with more time.
    """
    known = levels.release
    if known is not None and levels.cut:
        quick = quick_release(problem, seed, progress)
        best = cheapest([known] if quick is None else [known, quick])
        note = f"time ran out before all levels were tried; the release is that of {best.method}"
        return replace(best, cut=True, notes=(*best.notes, note), chosen=(note,) if method == "auto" else ())
    if known is not None and method in QUICK:
        return known
    found = choose(problem, method, seed=seed, deadline=deadline, progress=progress, effort=effort)
    problem.forget_searches()
    comparable = found.cut or method == "auto" or methods()[method].anytime
    if known is None or not comparable or found.cost <= known.cost:
        return found
    note = f"the release is that of {known.method}, by which the levels were chosen: it is cheaper"
    return replace(cheapest([found, known]), cut=found.cut, notes=(*found.notes, note), chosen=found.chosen)


def _rules(builder: Builder) -> bool:
    return isinstance(builder, SafeHarbor)


def _safe_harbor(table: Table, roles: Roles, builders: Mapping[str, Builder], wish: Wish) -> dict[str, Builder]:
    """Return the rule's hierarchies for the quasi-identifiers that are dates, postcodes or ages."""
    if HIPAA not in wish.words:
        return {}
    kinds = {name: _kind(table[name]) for name in roles.quasi if name not in builders}
    return {name: SafeHarbor(kind) for name, kind in kinds.items() if kind}


def _kind(column: pl.Series) -> str:
    """Return what the rule speaks of in a column, by its values and its name; nothing where it is silent."""
    kind = kind_of(column.unique()) if column.null_count() < len(column) else ""
    if kind != "age":
        return kind
    number = column.dtype.is_numeric()
    if speaks(column.name, [POSTCODES]):
        return "zip" if column.dtype.is_integer() else ""
    return "age" if number and speaks(column.name, [AGES]) else ""


def _left_alone(table: Table, roles: Roles, ruled: set[str]) -> list[str]:
    """Say which columns the rule may speak of that are not raised.

    They have hierarchies of the owner or other roles, or their values are not all dates, postcodes or ages.
    """
    left = (name for name in roles.published if name not in ruled)
    shown = ", ".join(name for name in left if _kind(table[name]) or speaks(name, RULED))
    return [f"the Safe Harbor rule may apply to these columns, which are not raised by it: {shown}"] if shown else []


@dataclass(frozen=True, eq=False)
class Ladder:
    """One quasi-identifier at every level that it can be raised to, worked out once each."""

    column: Coded
    builder: Builder
    hierarchy: Hierarchy
    known: dict[int, tuple[pl.Series, Builder]] = field(default_factory=dict)

    @classmethod
    def of(cls, column: pl.Series, builder: Builder) -> Ladder:
        """Bind a hierarchy to a column."""
        coded = Coded.of(column)
        counts = np.bincount(coded.codes, minlength=coded.size)
        resolved = builder.resolved(coded.values, counts)
        hierarchy = resolved.build(coded.values, counts)
        return cls(coded, resolved, hierarchy, {0: (column, resolved)})

    @property
    def name(self) -> str:
        """The column's name."""
        return self.column.name

    @property
    def height(self) -> int:
        """The highest level below `*`."""
        return self.hierarchy.star_level - 1

    def at(self, level: int) -> tuple[pl.Series, Builder]:
        """Return the column at a level, and the builder of the hierarchy above."""
        if level not in self.known:
            self.known[level] = raised_to(self.column, self.hierarchy, level)
        return self.known[level]

    def losses(self, cells: Cells) -> list[float]:
        """Return the NCP of published cells under the whole hierarchy; a label means one block, whatever its level."""
        of_label = {
            label: float(loss)
            for labels, losses in zip(self.hierarchy.labels, self.hierarchy.ncp, strict=True)
            for label, loss in zip(labels, losses, strict=True)
        }
        return [of_label[label] for label in cells.labels]


@dataclass(eq=False)
class LevelSearch:
    """The search for the levels at which a release loses least, each tried by making it."""

    table: Table
    columns: Sequence[Ladder]
    least: Levels
    pose: Pose
    method: str
    seed: int
    deadline: Deadline
    progress: Progress
    tried: dict[Levels, float] = field(default_factory=dict)
    found: tuple[float, Levels, Solution] | None = None
    """What the best of them loses, its levels, and its release."""

    def best(self) -> tuple[Levels, Solution]:
        """Return the best levels tried, and the release there.

        Of all settings, or by changing one column at a time, from below and above.
        """
        ranges = [range(low, max(one.height, low) + 1) for low, one in zip(self.least, self.columns, strict=True)]
        if prod(map(len, ranges)) <= ALL_UP_TO:
            for levels in product(*ranges):
                self._loss(levels)
        else:
            for start in (self.least, tuple(choices[-1] for choices in ranges)):
                self._climb(start, ranges)
        assert self.found is not None
        return self.found[1:]

    @property
    def said(self) -> str:
        """What was found, for the log."""
        plain, best = self.tried[self.least], min(self.tried.values())
        return f"levels chosen out of {len(self.tried):,} settings tried: NCP {best:.6g}, without raising {plain:.6g}"

    def _climb(self, levels: Levels, ranges: Sequence[range]) -> None:
        """Give each column in turn the level that is best beside the others', until none changes."""
        changed = True
        while changed and not self.deadline.passed:
            before = levels
            for place, choices in enumerate(ranges):
                options = [(*levels[:place], level, *levels[place + 1 :]) for level in choices]
                levels = min(options, key=lambda option: (self._loss(option), option))
            changed = levels != before

    def _loss(self, levels: Levels) -> float:
        """Return what a release at these levels loses; infinite if time was over before it was finished.

        The first setting is tried whatever the time is.
        """
        if levels not in self.tried and not (self.tried and self.deadline.passed):
            self.progress(0.0, f"levels to raise columns to: {len(self.tried):,} settings tried")
            loss, release = self._measured(levels)
            if self.tried and self.deadline.cut:
                return float("inf")
            self.tried[levels] = loss
            if self.found is None or (loss, levels) < self.found[:2]:
                self.found = loss, levels, release
        return self.tried.get(levels, float("inf"))

    def _measured(self, levels: Levels) -> tuple[float, Solution]:
        at = {one.name: one.at(level) for one, level in zip(self.columns, levels, strict=True)}
        table = self.table.with_columns(column for column, _ in at.values())
        problem = self.pose(table, {name: builder for name, (_, builder) in at.items()})
        if not problem.cells_are_blocks or problem.global_recoding_refusal:
            raise Unsupported(
                f"coarsen cannot choose levels with the recoding {problem.recoding!r}",
                expected="the recoding suppress or generalize",
                hint="name the levels, or leave --coarsen out",
            )
        method = self._quick(problem)
        until = Deadline() if method in LINEAR and not self.tried else self.deadline
        release = choose(problem, method, seed=self.seed, deadline=until, progress=silent)
        return self._ncp(problem.publish(release.partition)), release

    def _quick(self, problem: Problem) -> str:
        if self.method in QUICK:
            return self.method
        return "mondrian" if TP().accepts(problem) else "tp"

    def _ncp(self, published: Published) -> float:
        """Return the mean loss of all cells under the hierarchies of the original; a dropped row loses all."""
        partition, total = published.partition, 0.0
        for one, cells in zip(self.columns, published.cells, strict=True):
            losses = np.array(one.losses(cells))[cells.of_group]
            total += float((losses * partition.sizes).sum()) + partition.dropped
        return total / (len(self.columns) * len(partition.class_of_row))
