"""The Hilbert curve: its visiting order, neighbours, both ways of computing it, the order of a table's tuples."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest

from shoal.hierarchies import Builder, StarsOnly, Taxonomy
from shoal.methods.general import hilbert_curve
from shoal.methods.general.hilbert_curve import hilbert_keys, hilbert_order
from shoal.microdata.microdata import Microdata, encode
from shoal.tables.roles import Roles
from shoal.tables.table import Table

FOUR_BY_FOUR = [
    *[(0, 0), (1, 0), (1, 1), (0, 1), (0, 2), (0, 3), (1, 3), (1, 2)],
    *[(2, 2), (2, 3), (3, 3), (3, 2), (3, 1), (2, 1), (2, 0), (3, 0)],
]


def encoded(columns: dict[str, list[object]], **hierarchies: Builder) -> Microdata:
    table = Table.of(pl.DataFrame(columns))
    return encode(table, Roles.of(table.columns, quasi=tuple(columns)), hierarchies)


def test_the_curve_visits_a_four_by_four_grid_in_this_order() -> None:
    keys = hilbert_keys(np.array(FOUR_BY_FOUR), 2)
    assert keys.tolist() == [list(range(16))]


@pytest.mark.parametrize(("axes", "bits"), [(1, 5), (2, 1), (2, 4), (3, 3), (4, 2), (5, 2), (7, 1)])
def test_steps_along_the_curve_go_to_a_neighbouring_point(axes: int, bits: int) -> None:
    points = np.array(list(product(range(1 << bits), repeat=axes)))
    (keys,) = hilbert_keys(points, bits)
    assert sorted(keys.tolist()) == list(range(len(points)))
    along = points[np.argsort(keys)]
    assert (np.abs(np.diff(along, axis=0)).sum(axis=1) == 1).all()


@pytest.mark.parametrize(("axes", "bits"), [(1, 20), (2, 31), (3, 7), (7, 9), (9, 7), (6, 21), (20, 16)])
def test_the_compiled_loop_finds_the_same_keys(axes: int, bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    points = np.random.default_rng(axes).integers(0, 1 << bits, (500, axes))
    plain = hilbert_keys(points, bits)
    monkeypatch.setattr(hilbert_curve, "COMPILED_FROM", 0)
    assert len(plain) == -(-axes * bits // hilbert_curve.WIDTH)
    assert (hilbert_keys(points, bits) == plain).all()


def test_keys_of_several_words_sort_as_one_long_number() -> None:
    points = np.random.default_rng(5).integers(0, 1 << 30, (300, 5))
    high, middle, low = hilbert_keys(points, 30).tolist()
    whole = [
        (a << 2 * hilbert_curve.WIDTH) + (b << hilbert_curve.WIDTH) + c
        for a, b, c in zip(high, middle, low, strict=True)
    ]
    assert np.lexsort(hilbert_keys(points, 30)[::-1]).tolist() == np.argsort(np.array(whole, dtype=object)).tolist()


def test_a_domain_that_is_no_power_of_two_is_stretched_without_collisions() -> None:
    data = encoded({"a": [i // 3 for i in range(21)], "b": [i % 3 for i in range(21)]})
    assert sorted(hilbert_order(data).tolist()) == list(range(21))


def test_numbers_lie_in_their_order() -> None:
    data = encoded({"a": [10, 9, 400, None, 9]})
    assert data.tuples[hilbert_order(data), 0].tolist() == [0, 1, 2, 3]


def test_words_lie_by_their_hierarchy_and_else_by_frequency() -> None:
    words: list[object] = ["ant", "bee", "cod", "cod", "bee", "cod"]
    plain = encoded({"a": words}, a=StarsOnly())
    assert plain.tuples[hilbert_order(plain), 0].tolist() == [2, 1, 0]
    tree = Taxonomy.from_tree({"sea": ["ant", "cod"], "land": ["bee"]})
    told = encoded({"a": words}, a=tree)
    assert told.tuples[hilbert_order(told), 0].tolist() in ([0, 2, 1], [1, 0, 2])


def test_the_order_of_rows_changes_nothing() -> None:
    columns: dict[str, list[object]] = {"q": ["u", "v", "w", "v"], "r": [3, 1, 2, 2]}
    one, other = encoded(columns), encoded({name: values[::-1] for name, values in columns.items()})
    assert (hilbert_order(one) == hilbert_order(other)).all()
