"""The lattice of full-domain recodings: what every choice of levels costs, which models hold there, what is suppressed.

A node says at which level of its hierarchy every quasi-identifier is published. Each is decided as the methods decide
it, and applied by naming its levels to `anonymize`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import polars as pl

from shoal.core.arrays import Ints
from shoal.core.errors import Unsupported
from shoal.core.markup import table as table_of
from shoal.core.markup import tag
from shoal.core.memory import MemoryLimit, within
from shoal.core.number_format import counted
from shoal.core.parameters import Number
from shoal.core.pictures import DrawnNode, drawn_lattice
from shoal.core.plots import lattice_chart, write_plot
from shoal.hierarchies.level_range import LevelRange
from shoal.methods.base import Deadline, Progress, silent
from shoal.methods.full_domain.full_domain import FullDomain
from shoal.methods.full_domain.lattice import (
    Fate,
    Ground,
    Lattice,
    Levels,
    PublishedMeasure,
    Seen,
    Verdicts,
    measure_of,
)
from shoal.microdata.partition import Partition
from shoal.models import Model, Models
from shoal.problem import Problem
from shoal.request import Request, Settings, takes_settings
from shoal.steps.notebook_progress import watched
from shoal.steps.preparation import prepare
from shoal.tables.table import Table, TableLike

MOST_NODES = 10_000
"""Nodes that are evaluated where no other number is given."""
FEW = 20
"""Nodes that are listed for people where no other number is given."""
TOP = Number("top", "nodes that are listed", 1, whole=True)
NODES = Number("most_nodes", "nodes that are evaluated", 1, whole=True)


@dataclass(frozen=True)
class ModelAtNode:
    """Whether all classes of a node meet a model, and how many rows are in classes that do not."""

    model: str
    holds: bool
    failing_rows: int


@dataclass(frozen=True)
class Node:
    """A choice of levels, with all its rows published at them; `suppressed` and `cost` are of the release it gives."""

    levels: Mapping[str, int]
    """By column; `anonymize` applies the node if it is given them as `levels`."""
    cost: float
    """The cost with the rows of failing classes as stars, whether they may be suppressed or not."""
    suppressed: int
    """How many rows are in classes that fail a model: to make the models hold, these are published as stars."""
    classes: int
    """How many classes the levels make, before rows are suppressed."""
    models: tuple[ModelAtNode, ...]
    outcome: Fate
    """`kept` where no class fails, `starred` or `dropped` by what becomes of the rows that do, or `refused`."""
    reason: str | None = None
    """Why it is refused."""
    tie_break: tuple[float, ...] = ()
    """What decides between nodes of the same cost, the least first; mostly nothing does."""

    @property
    def released(self) -> bool:
        """Whether applying the node gives a release."""
        return self.outcome != "refused"

    @property
    def height(self) -> int:
        """The sum of its levels."""
        return sum(self.levels.values())


@dataclass(frozen=True)
class LatticeView:
    """Nodes of a lattice: those that give a release, then the others, by cost and what breaks its ties.

    Of equal nodes the lower one comes first.

    It holds no cell of the table.
    """

    rows: int
    require: str
    cost: str
    may_suppress: int
    """How many rows may be suppressed."""
    levels: Mapping[str, tuple[int, int]]
    """By column, the least and the most level of the lattice."""
    size: int
    """How many nodes the lattice has."""
    evaluated: int
    """How many of them were evaluated: those that cost least without suppression."""
    released: int
    """How many of these give a release."""
    nodes: tuple[Node, ...]
    """Those that were evaluated, or as many of them as were asked for."""
    stopped: bool = False
    """Whether time, or a person, ended it before all nodes were evaluated that were to be."""

    @property
    def best(self) -> Node | None:
        """The cheapest node listed that gives a release; None if there is none."""
        return next((node for node in self.nodes if node.released), None)

    @property
    def partial(self) -> str:
        """Which nodes were left out, in words; nothing where all were evaluated."""
        if self.evaluated == self.size:
            return ""
        why = "time ran out" if self.stopped else "--nodes evaluates more, --level narrows the lattice"
        return (
            f"{self.evaluated:,} of {self.size:,} nodes were evaluated, those that cost least before any row is "
            f"suppressed: {why}"
        )

    def __getitem__(self, levels: Mapping[str, int] | Sequence[int]) -> Node:
        given = levels if isinstance(levels, Mapping) else dict(zip(self.levels, levels, strict=True))
        for node in self.nodes:
            if node.levels == given:
                return node
        raise KeyError(f"no node at {dict(given)} is listed")

    def frame(self) -> pl.DataFrame:
        """Return a row a node: levels, cost, rows suppressed, and for every model the rows that fail it."""
        columns: dict[str, list[Any]] = {
            f"level of {name}": [node.levels[name] for node in self.nodes] for name in self.levels
        }
        for name in ("cost", "suppressed", "classes", "released", "outcome", "reason"):
            columns[name] = [getattr(node, name) for node in self.nodes]
        for place, model in enumerate(self.nodes[0].models if self.nodes else ()):
            columns[f"rows failing {model.model}"] = [node.models[place].failing_rows for node in self.nodes]
        return pl.DataFrame(columns, schema_overrides={"reason": pl.String}, strict=False)

    def drawn(self) -> list[DrawnNode]:
        """Return the nodes as a picture needs them."""
        best = self.best
        return [
            DrawnNode(tuple(node.levels.values()), node.cost, node.suppressed, node.released, node is best, said(node))
            for node in self.nodes
        ]

    def __repr__(self) -> str:
        nodes = f"{self.evaluated:,} of {counted(self.size, 'node')}, {self.released:,} released"
        return f"<LatticeView: {counted(self.rows, 'row')}, {self.require}, {nodes}>"

    def _repr_html_(self) -> str:
        """Show the lattice in a notebook as a picture, and the cheapest nodes as a table; no cell is in it."""
        models = [one.model for one in self.nodes[0].models] if self.nodes else []
        rows = [
            [
                *map(str, node.levels.values()),
                f"{node.cost:,.6g}",
                f"{node.suppressed:,}",
                *("yes" if one.holds else "no" for one in node.models),
                "yes" if node.released else node.reason or "no",
            ]
            for node in self.nodes[:FEW]
        ]
        number = len(self.levels)
        headings = [*self.levels, self.cost, "suppressed", *models, "release"]
        title = f": {counted(self.rows, 'row')}, {self.require}, {counted(self.size, 'node')}"
        partial = [tag("p", self.partial)] if self.partial else []
        picture = drawn_lattice(self.drawn(), tuple(self.levels), self.cost)
        listed = table_of(headings, rows, numbers=range(number + 2))
        return tag("div", tag("p", tag("strong", "Lattice"), title), *partial, picture, listed)

    def to_json(self) -> str:
        """Return everything as JSON."""
        nodes = [asdict(node) | {"released": node.released} for node in self.nodes]
        best = None if self.best is None else dict(self.best.levels)
        content = asdict(self) | {"levels": {name: list(ends) for name, ends in self.levels.items()}}
        return json.dumps(content | {"best": best, "nodes": nodes}, indent=2, ensure_ascii=False, allow_nan=False)

    def plot(self, file: str | Path | None = None) -> Any:
        """Return an altair chart of the nodes; also write it to a .svg, .png or .html file if one is named."""
        about = f"{self.rows:,} rows, {self.require}"
        chart = lattice_chart(self.drawn(), columns=tuple(self.levels), cost=self.cost, about=about)
        if file is not None:
            write_plot(chart, Path(file))
        return chart


def said(node: Node) -> str:
    """Say of a node what a picture shows beside it."""
    levels = ", ".join(f"{name} {level}" for name, level in node.levels.items())
    gone = f", {node.suppressed:,} rows suppressed" if node.suppressed else ""
    return f"{levels}: cost {node.cost:,.6g}{gone}" + ("" if node.released else f"; no release: {node.reason}")


@takes_settings("lattice")
def lattice(
    data: TableLike,
    *,
    quasi: Sequence[str],
    require: str | Model | Models | Iterable[Model],
    top: int | None = None,
    released: bool = False,
    most_nodes: int = MOST_NODES,
    memory_limit: object = None,
    progress: Progress | None = None,
    **settings: Unpack[Settings],
) -> LatticeView:
    """List the nodes of the full-domain lattice by cost: levels, cost, models and suppressed rows.

    Nodes that give a release come first. `top` keeps the first so many nodes, `released` those alone that give a
    release. At most `most_nodes` are evaluated: those that cost least before any row is suppressed. `levels` narrows
    the lattice by the least and the most level of a column. To apply a node, give its levels to `shoal.anonymize` as
    `levels`, with `recoding="full-domain"`. The other settings are those of `shoal.anonymize`. Ctrl-C keeps what is
    done, if anything is.

    >>> people = {"age": [21, 22, 24, 38, 39, 60], "sex": ["f", "f", "f", "m", "m", "m"]}
    >>> asked = {"quasi": ["age", "sex"], "require": "k=2", "hierarchies": {"age": "intervals:width=10,20"}}
    >>> found = lattice(people, max_suppressed=0.4, **asked)
    >>> [(tuple(node.levels.values()), node.suppressed, node.outcome) for node in found.nodes[:2]]
    [((3, 0), 0, 'kept'), ((3, 1), 0, 'kept')]
    """
    request = Request.of("lattice", quasi=quasi, require=require, **settings)
    limit = MemoryLimit.of(memory_limit)
    with within(limit), watched(progress) as shown:
        return view(Table.of(data), request, top, most_nodes, shown, limit, released=released)


def view(
    table: Table,
    request: Request,
    top: int | None = None,
    most_nodes: int = MOST_NODES,
    progress: Progress = silent,
    limit: MemoryLimit | None = None,
    *,
    released: bool = False,
) -> LatticeView:
    """Evaluate the nodes of a request's lattice; what can never be done within a `limit` is refused."""
    if limit is not None:
        limit.check_table(table.rows, len(table.columns))
    listed = None if top is None else int(TOP.read(top, "top"))
    most = int(NODES.read(most_nodes, "most nodes"))
    request = replace(request, recoding=FullDomain.recoding)
    deadline = Deadline.after(request.start_and_limit()[1])
    problem = prepare(table, request, progress, deadline).problem
    _check_dropping(problem)
    nodes, stopped = _evaluated(Evaluation(problem), most, deadline, progress)
    nodes.sort(key=_place)
    shown = [node for node in nodes if node.released or not released]
    ends = zip(problem.microdata.least_levels, problem.microdata.most_levels, strict=True)
    return LatticeView(
        rows=problem.rows,
        require=str(problem.required),
        cost=problem.cost.name,
        may_suppress=problem.may_suppress,
        levels=dict(zip(problem.microdata.roles.quasi, ends, strict=True)),
        size=Lattice.of(problem.microdata).nodes,
        evaluated=len(nodes),
        released=sum(node.released for node in nodes),
        nodes=tuple(shown[:listed]),
        stopped=stopped,
    )


def _place(node: Node) -> tuple[Any, ...]:
    """Return what nodes are listed by: releases first, then cost and what breaks ties, then levels."""
    return not node.released, node.cost, node.tie_break, node.height, tuple(node.levels.values())


def _check_dropping(problem: Problem) -> None:
    """Refuse a table of which rows must be dropped before its nodes can be decided."""
    if problem.may_drop and any(model.monotone for model in problem.models):
        whole = problem.classes(Partition.whole(problem.rows))
        if not all(model.admits(whole)[0] for model in problem.models if model.monotone):
            raise Unsupported(
                f"with all rows no node meets {problem.required}: some must be dropped before levels are chosen",
                hint="leave --max-dropped out, or ask for less",
            )


def _evaluated(evaluation: Evaluation, most: int, deadline: Deadline, progress: Progress) -> tuple[list[Node], bool]:
    """Return what was found of up to so many nodes, and whether time or a person ended it."""
    nodes: list[Node] = []
    order = evaluation.order[:most]
    try:
        for place, number in enumerate(order.tolist()):
            if nodes and deadline.passed:
                return nodes, True
            nodes.append(evaluation.node(evaluation.lattice.at(number)))
            progress((place + 1) / len(order), "evaluating nodes")
    except KeyboardInterrupt:
        if not nodes:
            raise
        return nodes, True
    return nodes, False


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What is found of nodes, decided as the methods decide them."""

    problem: Problem

    @cached_property
    def lattice(self) -> Lattice:
        """The lattice of the levels that are asked for."""
        found = Lattice.of(self.problem.microdata)
        if found.refusals:
            raise Unsupported(
                f"the lattice has {found.nodes:,} nodes, too many to list",
                hint="narrow the levels of columns with --level, or leave columns out",
            )
        return found

    @cached_property
    def _verdicts(self) -> Verdicts:
        return Verdicts(Ground(self.problem))

    @cached_property
    def _measure(self) -> Any:
        return measure_of(self._verdicts.ground, self.lattice)

    @cached_property
    def order(self) -> Ints:
        """All nodes, those that cost least without suppression first, of equals the lower ones."""
        floor: Any = self._measure.floor.round(12)
        heights = self.lattice.levels.sum(axis=1, dtype=np.int64)
        return np.lexsort((np.arange(len(floor)), heights, floor))

    def node(self, levels: Levels) -> Node:
        """Return what is found of a node."""
        pinned = self._pinned(levels)
        verdicts = Verdicts(Ground(pinned)) if self._by_cells else self._verdicts
        seen = verdicts.at(levels)
        outcome, reason = self._outcome(seen)
        starred = replace(seen, fate="starred" if seen.suppressed and outcome != "dropped" else seen.fate)
        cost, *ties = self._order(starred, pinned)
        return Node(
            levels=dict(zip(self.problem.microdata.roles.quasi, levels, strict=True)),
            cost=float(cost),
            suppressed=seen.suppressed,
            classes=len(seen.grouping),
            models=tuple(self._models(seen, pinned, verdicts.ground)),
            outcome=outcome,
            reason=reason,
            tie_break=tuple(ties),
        )

    @property
    def _by_cells(self) -> bool:
        """Whether what is shown decides, so that a node is decided at its own levels, as where it is applied."""
        models = self.problem.models
        return self.problem.uses_surrogates or models.needs_cells or models.needs_population

    def _pinned(self, levels: Levels) -> Problem:
        """Return the problem with every column at a level of its own, as it is when a node is applied."""
        microdata = self.problem.microdata
        ranges = {name: LevelRange(at, at) for name, at in zip(microdata.roles.quasi, levels, strict=True)}
        return replace(self.problem, microdata=replace(microdata, level_ranges=ranges))

    def _outcome(self, seen: Seen) -> tuple[Fate, str | None]:
        """Return what becomes of the rows of failing classes, and why there is no release."""
        if seen.suppressed > self.problem.may_suppress:
            return "refused", f"{counted(seen.suppressed, 'row')} to suppress, {self.problem.may_suppress:,} allowed"
        if seen.fate == "refused":
            others = ", or the others without them" if self.problem.suppress_sensitive else ""
            return "refused", f"the suppressed rows together{others} fail a model"
        if not seen.admitted:
            return "refused", f"the release as a whole does not meet {self.problem.required}"
        return seen.fate, None

    def _order(self, seen: Seen, pinned: Problem) -> tuple[float, ...]:
        """Return the cost of a node with the rows of failing classes suppressed, and what breaks ties."""
        if isinstance(self._measure, PublishedMeasure):
            return pinned.order_of(self._verdicts.partition(seen))
        found: tuple[float, ...] = self._measure.order(seen)
        return found

    def _models(self, seen: Seen, pinned: Problem, ground: Ground) -> Iterator[ModelAtNode]:
        """Decide every model for the classes of a node, none suppressed."""
        sizes = seen.grouping.sizes
        if not self.problem.uses_surrogates:
            classes = ground.classes(seen.grouping, np.ones(len(sizes), dtype=bool))
            for model in self.problem.required:
                yield _decided(model, int(sizes[~model.admits(classes)].sum()))
            return
        plain = replace(seen, failing=np.zeros_like(seen.failing), fate="kept")
        published = pinned.publish(self._verdicts.partition(plain))
        for model in self.problem.required:
            refused = ~replace(pinned, asked=Models((model,))).admitted(published)
            yield _decided(model, int(published.partition.sizes[refused].sum()))


def _decided(model: Model, failing: int) -> ModelAtNode:
    return ModelAtNode(str(model), not failing, failing)
