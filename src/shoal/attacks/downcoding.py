"""Downcoding (Cohen 2022): who knows that nothing is generalized without need reads finer cells than are published."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.attacks.base import NO_OWN_ROWS, Attack, Outcome
from shoal.attacks.scene import Scene
from shoal.core.arrays import Bools, Ints
from shoal.core.sorting import distinct_rows
from shoal.hierarchies import Hierarchy, StarsOnly, as_builder
from shoal.hierarchies.raising import seen
from shoal.tables.encoded_column import Coded
from shoal.tables.star_marks import STAR, text_of


@dataclass(frozen=True)
class Downcoding(Attack):
    """Guarantees that `after` counts the people one of whose published cells the attacker rightly makes finer.

    A cell is a block of a hierarchy; the blocks just below it are its parts. Two rules:

    1. *Split*: the values of a class lie in two parts or more, else the cell would be a part. So a class of two rows,
       with a cell of two parts, has one row in each: the finer cells of the two are known. Always right.
    2. *Taken*: if another class has the same cells but for a part in one column, rows of that part would be there, as
       long as the coarser class can spare them (it has more than k rows, and only k is asked). So its rows are in the
       other parts. Right of methods that leave no such row behind; figure `wrong` counts the people it is wrong of.

    Limits: cells along hierarchies and stars only; no other class is looked at than one that differs in one column, by
    one level; nothing is concluded from several classes together.
    """

    name: ClassVar[str] = "downcoding"
    meaning: ClassVar[str] = "a published cell can be replaced by a finer one that is true of the person"
    knows: ClassVar[str] = "the hierarchies, k, and that needless generalization is avoided"
    excluded_by: ClassVar[str] = "full-domain recoding; the rule 'taken' also by any model besides k"
    gains: ClassVar[str] = "replaces a published cell of {people} by a finer one that is true"

    def untried(self, scene: Scene) -> Mapping[str | None, str]:
        """Take cells along hierarchies or stars, with the part that says whose row is whose."""
        if not scene.shown.form.blocks:
            return {None: f"cells of recoding {scene.shown.recoding} are not all stars or blocks of a hierarchy"}
        if scene.shown.form.one_level:
            return {None: "all cells of a column have one level, so no finer cell can be inferred"}
        if scene.linked:
            return {None: "a pseudonym links the rows of a person, and it looks at classes of rows"}
        return {} if scene.after.own_row is not None else {None: NO_OWN_ROWS}

    def run(self, scene: Scene) -> Iterator[Outcome]:
        """Try both rules on every column."""
        shown, view = scene.shown, scene.after
        if self.untried(scene):
            return
        assert view.own_row is not None
        label = scene.crowds()[1].class_of_row
        blocks = [Blocks.of(_hierarchy(scene, name)) for name in shown.quasi]
        cells = np.column_stack([_cells(scene, name, one) for name, one in zip(shown.quasi, blocks, strict=True)])
        sizes, own = np.bincount(label), label[view.own_row]
        classes = cells[np.unique(label, return_index=True)[1]]
        spare = sizes > _least(scene)
        split, taken, wrong = (np.zeros(view.number, dtype=bool) for _ in range(3))
        for column, (name, one) in enumerate(zip(shown.quasi, blocks, strict=True)):
            coarse, part = _taken(classes, column, one, spare)
            left = one.parts[classes[:, column]] - np.bincount(coarse, minlength=len(classes))
            split |= ((sizes == 2) & (left == 2))[own]
            mine = one.part_with(classes[own, column], view.people[name])
            width = len(one.parts)
            taken |= np.isin(own, coarse)
            wrong |= np.isin(own * width + mine, coarse * width + part)
        figures = {"split": view.hits(split), "taken": view.hits(taken), "wrong": view.hits(wrong)}
        hit = view.hits((split | taken) & ~wrong)
        yield self.outcome(scene, None, hit, "own class", figures={**figures})


@dataclass(frozen=True, eq=False)
class Blocks:
    """The different blocks of a hierarchy: two levels may have the same block, which is one here."""

    above: Ints
    """The next larger block of each; that of the largest is itself."""
    parts: Ints
    """How many blocks have each as their next larger one."""
    leaf: Ints
    """The smallest block of each value."""
    named: dict[str | None, int]

    @classmethod
    def of(cls, hierarchy: Hierarchy) -> Blocks:
        """Number the blocks from the finest level on.

        >>> import polars as pl
        >>> from shoal.hierarchies import Taxonomy
        >>> tree = Taxonomy((("e", "east"), ("f", "east"), ("v", "west"))).build(pl.Series(["e", "f", "v"]))
        >>> blocks = Blocks.of(tree)
        >>> blocks.named, blocks.above.tolist(), blocks.parts.tolist()
        ({'e': 0, 'f': 1, 'v': 2, 'east': 3, 'west': 2, '*': 4}, [3, 3, 4, 4, 4], [0, 0, 0, 2, 2])
        """
        here = hierarchy.up[0].astype(np.int64)
        leaf, above = here, list(range(int(here.max()) + 1))
        named: dict[str | None, int] = {label: block for block, label in enumerate(hierarchy.labels[0])}
        for up, labels in zip(hierarchy.up[1:], hierarchy.labels[1:], strict=True):
            for block, label in enumerate(labels):
                inside = np.unique(here[up == block])
                if len(inside) > 1:
                    above.append(len(above))
                    for one in inside.tolist():
                        above[one] = len(above) - 1
                named[label] = above[int(inside[0])] if len(inside) > 1 else int(inside[0])
            here = np.array([named[labels[block]] for block in up.tolist()], dtype=np.int64)
        parents = np.array(above)
        inner = parents != np.arange(len(parents))
        return cls(parents, np.bincount(parents[inner], minlength=len(parents)), leaf, named)

    def part_with(self, cells: Ints, values: Ints) -> Ints:
        """Return the part of each cell that the value beside it is in."""
        part = self.leaf[values]
        while True:
            higher = (self.above[part] != cells) & (self.above[part] != part)
            if not higher.any():
                return part
            part = np.where(higher, self.above[part], part)


def _taken(classes: Ints, column: int, blocks: Blocks, spare: Bools) -> tuple[Ints, Ints]:
    """Return the classes that have rows to spare and a class beside them with a part of one cell; and which part."""
    finer = np.flatnonzero(blocks.above[classes[:, column]] != classes[:, column])
    coarser = classes[finer].copy()
    coarser[:, column] = blocks.above[coarser[:, column]]
    both = np.concatenate([classes, coarser])
    key = distinct_rows(list(both.T), [int(codes.max()) + 1 for codes in both.T])[0]
    owner = np.full(int(key.max()) + 1, -1)
    owner[key[: len(classes)]] = np.arange(len(classes))
    beside = owner[key[len(classes) :]]
    fits = (beside >= 0) & spare[beside]
    return beside[fits], classes[finer[fits], column]


def _least(scene: Scene) -> float:
    """Return the number of rows that a class must have; nothing can be spared where more than that is asked."""
    models = scene.shown.models
    return float(models.rows_asked or 1) if models.count_rows_alone else float("inf")


def _cells(scene: Scene, name: str, blocks: Blocks) -> Ints:
    """Return the block that each published row shows."""
    texts = text_of(scene.shown.frame[name])
    if scene.shown.stars_are_null:
        texts = texts.fill_null(STAR)
    return np.array([blocks.named[text] for text in texts.to_list()], dtype=np.int64)


def _hierarchy(scene: Scene, name: str) -> Hierarchy:
    """Return the hierarchy that the cells of a column are blocks of."""
    column = Coded.of(seen(scene.original[name], scene.shown.raised))
    along = scene.shown.form.along_hierarchies
    builder = as_builder(scene.shown.hierarchies.get(name, "auto")) if along else StarsOnly()
    return builder.build(column.values, np.bincount(column.codes))
