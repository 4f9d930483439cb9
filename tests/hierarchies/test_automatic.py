from datetime import date, datetime
from itertools import pairwise

import polars as pl
import pytest

from shoal.hierarchies import Automatic, Builder, Dates, Intervals, Prefixes, StarsOnly


@pytest.mark.parametrize(
    ("values", "builder"),
    [
        (pl.Series([date(2024, 1, 1), None]), Dates()),
        (pl.Series([datetime(2024, 1, 1)]), Dates()),
        (pl.Series(["2024-01-01", "2024-01-02"]), Dates()),
        (pl.Series(["2023-01-01", "2024-02-30"]), Prefixes((7, 4))),
        (pl.Series(range(18, 91)), Intervals(width=(5, 10, 20))),
        (pl.Series([n / 100 for n in range(100)]), Intervals(width=("0.05", "0.1", "0.2", "0.4"))),
        (pl.Series([2**n for n in range(40)]), Intervals(bins=(13, 6, 3))),
        (pl.Series(range(5)), StarsOnly()),
        (pl.Series([23, 25, 27, 61, 64, 68]), Intervals(width=50)),
        (pl.Series([True, False]), StarsOnly()),
        (pl.Series(["01234", "98765", None]), Prefixes()),
        (pl.Series(["1234", "98765"]), StarsOnly()),
        (pl.Series(["01234"]), StarsOnly()),
        (pl.Series(["red", "tan"]), StarsOnly()),
        (pl.Series([None], dtype=pl.String), StarsOnly()),
        (pl.Series([None], dtype=pl.Float64), StarsOnly()),
    ],
)
def test_what_is_chosen(values: pl.Series, builder: Builder) -> None:
    assert Automatic().chosen(values) == builder
    assert Automatic().build(values).labels == builder.build(values).labels


@pytest.mark.parametrize("count", [12, 40, 300, 5000])
@pytest.mark.parametrize("scale", [1e-9, 0.3, 1, 7, 12345])
def test_levels_of_spread_numbers_get_coarser_by_about_half(count: int, scale: float) -> None:
    hierarchy = Automatic().build(pl.Series([n * scale for n in range(count)]))
    sizes = [len(level) for level in hierarchy.labels]
    assert min(count**0.5, 32) / 2.6 <= sizes[1] <= 33
    assert all(after <= before / 2 + 1 for before, after in pairwise(sizes[1:]))
