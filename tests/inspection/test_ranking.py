import random
from collections import Counter

import polars as pl
import pytest

from shoal.inspection import ranking as module
from shoal.inspection.ranking import CROWD, ranking
from shoal.tables.table import Table


def shares(frame: pl.DataFrame, columns: list[str]) -> tuple[float, float]:
    """Count the definition: rows that are unique, and rows in groups below the crowd."""
    sizes = Counter(frame.select(columns).rows()).values()
    return sum(size == 1 for size in sizes) / frame.height, sum(s for s in sizes if s < CROWD) / frame.height


@pytest.mark.parametrize("seed", range(12))
def test_shares_against_brute_force_and_the_worst_comes_first(seed: int) -> None:
    draw = random.Random(seed)
    names = list("abcdef")
    values = {name: draw.choices([None, *range(draw.randint(1, 9))], k=draw.choice([60])) for name in names}
    frame = pl.DataFrame(values, schema=dict.fromkeys(names, pl.Int64))
    steps = ranking(Table.of(frame), names[:4], names[4:])
    order = [step.column for step in steps]
    assert sorted(order[:4]) == names[:4]
    assert sorted(order[4:]) == names[4:]
    for place, step in enumerate(steps):
        assert (step.unique, step.below) == pytest.approx(shares(frame, order[: place + 1]))
        others = order[place:4] if place < 4 else order[place:]
        assert step.below == pytest.approx(max(shares(frame, [*order[:place], other])[1] for other in others))


def test_many_columns_are_cut_and_an_order_is_chosen_on_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pl.DataFrame({f"c{n}": [row % (n + 2) for row in range(500)] for n in range(12)})
    monkeypatch.setattr(module, "COLUMNS", 5)
    monkeypatch.setattr(module, "ROWS", 100)
    steps = ranking(Table.of(frame), frame.columns[:4], frame.columns[4:])
    assert len(steps) == 5
    assert steps[-1].unique == pytest.approx(shares(frame, [step.column for step in steps])[0])
    assert ranking(Table.of(frame)) == ()
