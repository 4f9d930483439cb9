"""The thesis on t-closeness of several attributes beside `fragments`: its Figures 16 to 19, and both methods.

`python -m benchmarks conformance` writes two pictures into `docs/figures`, so it is not among those that run by
themselves. The table of government employees is not part of this repository; where it is not at hand, it is skipped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import gcd
from typing import Any

import numpy as np
import polars as pl

import shoal
from benchmarks.closeness import COLOURS, DATA, FIGURES
from benchmarks.measure import show
from shoal.core.arrays import Ints
from shoal.core.plots import write_plot
from shoal.methods.t_closeness.conforming_fragments import Box, aggregate_bounds, find_boxes
from shoal.methods.t_closeness.fragmentation import DistanceBound, Fragmentation, Tuples, find_fragmentation, size
from shoal.methods.t_closeness.fragmentation.axes import axis
from shoal.methods.t_closeness.fragmentation.sizing import Sizing
from shoal.models.emd import Line

SMALL = ((6, 3, 1), (2, 5, 2), (1, 3, 7))
LIMITS = (0.3, 0.3)
"""The table whose fragmentations are all drawn, and what is allowed of each attribute."""
QUARTERS, SLACK = (250, 100, 350), 0.02
LAST = range(295, 311)
METHODS = ("conforming-fragments", "fragments")
ROWS, QUASI, SENSITIVE = 20_000, ("sex", "age", "race", "marital", "education_level"), ("hours_worked", "weeks_worked")


def main() -> None:
    show("boxes for 400 records of 8 by 8 values", ("t", "on their own scale", "on the table's"), boxes_needed())
    write_plot(_regions(), FIGURES / "conformance_regions.svg")
    write_plot(_sizes(), FIGURES / "conformance_sizes.svg")
    if DATA.is_file():
        heads = ("t", "method", "classes", "NCP", "what it says")
        show(f"{ROWS:,} government employees, hours and weeks worked, k = 5", heads, _beside())


# --- Figures 16 and 17: all fragmentations of a table ----------------------------------------------------------------


def fragmentations(whole: Box) -> Iterator[tuple[Box, ...]]:
    """Yield every fragmentation that full cuts of single boxes reach, once."""
    waiting: list[tuple[Box, ...]] = [(whole,)]
    seen = set()
    while waiting:
        boxes = waiting.pop()
        key = frozenset((one.corner, one.counts.shape) for one in boxes)
        if key not in seen:
            seen.add(key)
            yield boxes
            waiting += [
                (*boxes[:place], *one.cut(along, after), *boxes[place + 1 :])
                for place, one in enumerate(boxes)
                for along, after in zip(one.cuts.along.tolist(), one.cuts.after.tolist(), strict=True)
            ]


def _above(boxes: Sequence[Box]) -> float:
    return float(np.maximum(aggregate_bounds(boxes) - np.array(LIMITS), 0).sum())


def _regions() -> Any:
    """Draw every fragmentation by its number of boxes and by what is above the limits, and the one that is found."""
    import altair as alt

    whole = Box((0, 0), np.array(SMALL))
    found = find_boxes(whole, LIMITS)
    assert found is not None
    every = sorted({(len(boxes), round(_above(boxes), 9)) for boxes in fragmentations(whole)})
    points = [
        {"boxes": number, "above": above, "region": "above a limit" if above else "accepted"} for number, above in every
    ]
    number = sum(1 for _ in fragmentations(whole))
    end = [{"boxes": len(found), "above": 0.0, "region": "found by the search"}]
    shades = alt.Scale(domain=["above a limit", "accepted", "found by the search"], range=["#cbd5e1", *COLOURS])
    marks = alt.Chart(alt.InlineData(values=points + end)).mark_circle(size=45, opacity=0.9)
    title = f"All {number:,} fragmentations of a table of 3 by 3 values, 0.3 allowed of each attribute"
    return marks.encode(
        x=alt.X("boxes:O", title="boxes (layer)", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("above:Q", title="bounds above the limits, in sum"),
        color=alt.Color("region:N", title=None, scale=shades),
    ).properties(width=520, height=240, title=title, background="white", padding=12)


# --- Figures 18 and 19: class sizes ----------------------------------------------------------------------------------


def in_quarters(last: int, slack: float) -> Sizing:
    """Ten by four values in quarters of 250, 100, 350 and so many records, spread evenly; of t so much is left."""
    matrix = np.zeros((10, 4), dtype=np.int64)
    for top, left, records in ((0, 0, QUARTERS[0]), (0, 2, QUARTERS[1]), (5, 0, QUARTERS[2]), (5, 2, last)):
        matrix[top : top + 5, left : left + 2] += records // 10
        matrix[top + 4, left + 1] += records % 10
    cut = _fragmentation(matrix).cut(0, 0, 20).cut(0, 1, 10).cut(2, 1, 10)
    limits = [float(bound) + slack for bound in cut.bounds]
    cut = _fragmentation(matrix, limits).cut(0, 0, 20).cut(0, 1, 10).cut(2, 1, 10)
    return Sizing(DistanceBound(cut), 1)


def _fragmentation(matrix: Ints, limits: Sequence[float] = (0.0, 0.0)) -> Fragmentation:
    """Return a table of two ranked attributes as one fragment."""
    rows, columns = np.nonzero(matrix)
    many = matrix[rows, columns]
    tuples = Tuples(np.column_stack([rows, columns]), many, np.repeat(np.arange(len(many)), many))
    lines = [Line((1,) * (length - 1)) for length in matrix.shape]
    axes = [axis(name, limits[a], matrix.shape[a], lines[a]) for a, name in enumerate("xy")]
    return Fragmentation.whole(tuple(axes), tuples)


def _sizes() -> Any:
    """Draw how many classes there are by the records of the last fragment: by the divisor, and by halving."""
    import altair as alt

    points = [
        {"records": last, "classes": number, "sizes": name}
        for last in LAST
        for name, number in (
            ("greatest common divisor", gcd(*QUARTERS, last)),
            (f"halved, {SLACK} of t left", len(size(in_quarters(last, SLACK))[0])),
        )
    ]
    return (
        alt.Chart(alt.InlineData(values=points))
        .mark_line(point=True)
        .encode(
            x=alt.X("records:O", title="records of the fourth fragment; the others have 250, 100 and 350"),
            y=alt.Y("classes:Q", title="classes"),
            color=alt.Color("sizes:N", title=None, scale=alt.Scale(range=list(COLOURS))),
        )
        .properties(
            width=520, height=220, title="Figures 18 and 19: 300 and 301 records", background="white", padding=12
        )
    )


# --- beside `fragments` ----------------------------------------------------------------------------------------------


def boxes_needed() -> list[list[object]]:
    """Count the boxes that bounds on their own scale and on the table's need, for records that hang together."""
    rng = np.random.default_rng(0)
    first = rng.integers(0, 8, 400)
    second = np.clip(first + rng.integers(-2, 3, 400), 0, 7)
    matrix = np.zeros((8, 8), dtype=np.int64)
    np.add.at(matrix, (first, second), 1)
    lines: list[list[object]] = []
    for t in (0.1, 0.2, 0.3):
        printed = [box for box in find_boxes(Box((0, 0), matrix), (t, t)) or [] if box.counts.any()]
        lines.append([t, len(printed), len(find_fragmentation(_fragmentation(matrix, (t, t)), [t, t], 1_000))])
    return lines


def _beside() -> list[list[object]]:
    people = pl.read_csv(DATA).select(*QUASI, *SENSITIVE).sample(ROWS, seed=0)
    lines: list[list[object]] = []
    for t in (0.1, 0.2, 0.4):
        asked = f"k=5 t(hours_worked)={t} t(weeks_worked)={t}"
        for method in METHODS:
            found = shoal.anonymize(
                people, quasi=QUASI, sensitive=SENSITIVE, require=asked, recoding="range", method=method
            )
            said = next((note for note in found.decisions if " boxes with" in note or " fragments; " in note), "")
            lines.append([t, method, found.certificate.classes, f"{float(found.certificate.cost):.3f}", said])
    return lines


if __name__ == "__main__":
    main()
