"""Tables as counts of sensitive values, and the axes over them; helpers of the tests of fragments."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.methods.t_closeness.fragmentation import Axis, Fragmentation, Sizes, Tuples
from shoal.methods.t_closeness.fragmentation.axes import axis
from shoal.models.emd import GroundDistance, Line, Matrix, Tree
from shoal.models.metric import Metric


def ordered(size: int) -> Line:
    """The ordered distance on so many values."""
    return Line((1,) * (size - 1))


def equal(size: int) -> Tree:
    """The equal distance on so many values."""
    return Tree(np.arange(size)[None, :])


def random_ground(rng: np.random.Generator, size: int) -> GroundDistance:
    """Any kind of distance on so many values."""
    kind = int(rng.integers(5))
    if kind == 0:
        return Line(tuple(rng.integers(1, 9, size - 1).tolist()))
    if kind == 1:
        return ordered(size)
    if kind == 2:
        return equal(size)
    if kind == 3:
        halves = np.sort(rng.integers(0, 3, size))
        return Tree(np.stack([np.arange(size), np.unique(halves, return_inverse=True)[1]]))
    points = rng.random((size, 2)) + np.arange(size)[:, None] * 1e-3
    apart = np.abs(points[:, None] - points[None, :]).sum(axis=2)
    apart = np.ceil(apart / max(apart.max(), 1e-9) * 500) / 500
    return Matrix(Metric.of([str(value) for value in range(size)], apart.tolist()))


def grid(counts: Sequence[Sequence[int]] | Ints, t: tuple[float, float] = (0.0, 0.0)) -> Fragmentation:
    """A table of two ordered attributes, given how often each pair of values occurs, as one fragment."""
    matrix = np.array(counts)
    rows, columns = np.nonzero(matrix)
    many = matrix[rows, columns]
    tuples = Tuples(np.column_stack([rows, columns]), many, np.repeat(np.arange(len(many)), many))
    axes = tuple(axis(name, t[a], matrix.shape[a], ordered(matrix.shape[a])) for a, name in enumerate("xy"))
    return Fragmentation.whole(axes, tuples)


def drawn(
    rng: np.random.Generator, grounds: Sequence[GroundDistance], sizes: Sequence[int], rows: int
) -> Fragmentation:
    """A table of any attributes whose values hang together, as one fragment; every value occurs."""
    base = rng.random(rows)
    codes = [np.clip((base * size + rng.normal(0, size / 4, rows)).astype(int), 0, size - 1) for size in sizes]
    columns = [np.unique(one, return_inverse=True)[1] for one in codes]
    columns = [np.concatenate([one, np.arange(size)]) for one, size in zip(columns, sizes, strict=True)]
    longest = max(map(len, columns))
    columns = [np.concatenate([one, one[: longest - len(one)]]) for one in columns]
    axes = tuple(axis(f"s{a}", 0.2, size, ground) for a, (ground, size) in enumerate(zip(grounds, sizes, strict=True)))
    return Fragmentation.whole(axes, Tuples.of(columns, list(sizes), longest))


def distances(cut: Fragmentation, rows: Ints) -> Floats:
    """The true distance of some rows to the table, along each axis, from the exact one."""
    codes = cut.tuples.codes[cut.tuples.of_row]
    found = []
    for number, one in enumerate(cut.axes):
        totals = np.bincount(codes[:, number], minlength=one.size)
        counts = dict(enumerate(np.bincount(codes[rows, number], minlength=one.size).tolist()))
        found.append(float(one.ground.one({v: c for v, c in counts.items() if c}, totals)))
    return np.array(found)


def adversarial(rng: np.random.Generator, cut: Fragmentation, sizes: Sizes, one: int, along: Axis) -> Ints:
    """Rows of a class of these sizes, chosen badly: the lowest, the highest, of one value, or any of each fragment."""
    fragments = cut.of_tuple[cut.tuples.of_row]
    codes = cut.tuples.codes[cut.tuples.of_row, list(cut.axes).index(along)]
    chosen = []
    for entry in range(int(sizes.starts[one]), int(sizes.starts[one + 1])):
        rows = rng.permutation(np.flatnonzero(fragments == sizes.fragments[entry]))
        kind = int(rng.integers(4))
        favourite = codes[rows[0]]
        keys = [codes[rows], -codes[rows], (codes[rows] != favourite) * 1, np.zeros(len(rows))][kind]
        chosen.append(rows[np.argsort(keys, kind="stable")][: sizes.counts[entry]])
    return np.concatenate(chosen)
