"""The costs that the checker recomputes, worked by hand for a table of four rows."""

from __future__ import annotations

from math import log2, sqrt
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.checking.original_cost import ReadColumn, _charged, original_cost, tells_cost
from shoal.checking.published_cost import recomputed_cost
from shoal.hierarchies import Taxonomy
from shoal.hierarchies.cell_forms import form_of

PUBLISHED = pl.DataFrame(
    {
        "age": ["20-29", "20-29", "*", "*"],
        "town": ["Oslo", "Oslo", "*", "Nordic"],
        "illness": ["flu", "gout", "flu", "flu"],
        "job": ["cook", "cook", "nurse", "smith"],
    }
)
"""Classes of 2, 1 and 1 rows; a fifth row is dropped."""
COLUMNS = [
    {
        "name": "age",
        "role": "quasi",
        "cells": [{"cell": "20-29", "ncp": 0.25, "height": 0.5}, {"cell": "*", "ncp": 1, "height": 1}],
    },
    {
        "name": "town",
        "role": "quasi",
        "cells": [
            {"cell": "Oslo", "ncp": 0, "height": 0},
            {"cell": "Nordic", "ncp": 0.5, "height": 0.5},
            {"cell": "*", "ncp": 1, "height": 1},
        ],
    },
    {"name": "illness", "role": "sensitive"},
]


def recomputed(
    cost: str,
    sensitive: tuple[str, ...] = ("illness",),
    star: str = "*",
    table: pl.DataFrame = PUBLISHED,
    counted: pl.DataFrame | None = None,
    **given: Any,
) -> float | None:
    """The cost of a published table."""
    stated = SimpleNamespace(cost=SimpleNamespace(name=cost), dropped=1, quasi=("age", "town"), sensitive=sensitive)
    book = {
        "marks": {"star": star},
        "columns": COLUMNS,
        "cost": {"weights": {"age": 2.0}, "k": 2, "parameters": given},
        "names": {"group": "group", "count": "count"},
    }
    return recomputed_cost(table, stated, book, counted)


@pytest.mark.parametrize(
    ("cost", "value"),
    [
        ("stars", 3 + 2),
        ("starred-rows", 2 + 1),
        ("discernibility", 4 + 1 + 1 + 5),
        ("average-class-size", 4 / (3 * 2)),
        ("classification", (1 + 1) / 5),
        ("height", 2 * (0.5 + 0.5 + 1 + 1) + (0.5 + 1) + 3),
        ("precision", ((0.5 + 0.5 + 1 + 1) / 2 + (0.5 + 1) / 2 + 1) / 5),
        ("ncp", (2 * (0.25 + 0.25 + 1 + 1) + (0.5 + 1) + 3) / (5 * 3)),
        ("attribute-loss", (0.25 + 0.25 + 1 + 1 + 1) / 5),
        ("geometric-loss", sqrt((1 + 3.5 / 5) * (1 + 2.5 / 5)) - 1),
        ("level-loss", ((3 + 1) + (1.5 + 1)) / 2 / 5),
    ],
)
def test_each_cost_is_that_of_its_definition(cost: str, value: float) -> None:
    assert recomputed(cost) == pytest.approx(value, abs=1e-12)


def test_levels_lose_what_is_given_for_them() -> None:
    """Of three levels of age, halfway up is the second; the dropped row loses the last."""
    assert recomputed("level-loss", losses={"age": "0/1/4"}) == pytest.approx((2 * 1 + 2 * 4 + 4 + 1.5 + 1) / 2 / 5)


@pytest.mark.parametrize(
    ("sensitive", "value"), [((), 1 / 5), (("illness", "job"), (0.5 + 1) / 5), (("illness", "illness"), 2 / 5)]
)
def test_classification_is_a_mean_over_sensitive_columns(sensitive: tuple[str, ...], value: float) -> None:
    assert recomputed("classification", sensitive) == pytest.approx(value)


@pytest.mark.parametrize(
    ("cost", "star", "told"),
    [
        ("ncp", "null", False),
        ("stars", "null", False),
        ("entropy", "*", False),
        ("reconstruction", "*", False),
        ("discernibility", "null", True),
    ],
)
def test_a_cost_that_cells_and_codebook_do_not_tell_is_not_recomputed(cost: str, star: str, told: bool) -> None:
    assert (recomputed(cost, star=star) is not None) is told


COUNTED = pl.DataFrame({"group": [1, 1, 2], "illness": ["flu", "gout", "flu"], "count": [1, 1, 2]})


@pytest.mark.parametrize(("cost", "value"), [("reconstruction", (1 + 1) / 5), ("stars", 3 + 2)])
def test_a_second_table_tells_the_error_of_reconstruction_alone(cost: str, value: float) -> None:
    """Of two of the four people the chance to name their illness is a half; one person is dropped."""
    assert recomputed(cost, counted=COUNTED) == pytest.approx(value)


@pytest.mark.parametrize(("cost", "value"), [("stars", 2 + 2), ("starred-rows", 2 + 1)])
def test_a_missing_value_is_no_star(cost: str, value: float) -> None:
    """Two cells are stars, in two rows, and one row is dropped."""
    table = PUBLISHED.with_columns(age=pl.Series([None, "20-29", None, "*"]))
    assert recomputed(cost, table=table) == value


# --- with the original ---

ORIGINAL = pl.DataFrame({"town": ["Oslo", "Oslo", "Rome", "Bonn"], "age": [20, 20, 20, 20]})
TREE = Taxonomy([["Oslo", "North"], ["Bonn", "North"], ["Rome", "South"]])


def told(name: str, town: list[str | None], quasi: tuple[str, ...] = ("town",), star: str = "*", **given: Any) -> float:
    """A cost of published towns, of the rows that are left."""
    book = {
        "marks": {"star": star},
        "recoding": "generalize",
        "columns": [],
        "cost": {"name": name, "parameters": given},
    }
    shown = pl.DataFrame({"town": town, "age": ["20"] * len(town)})
    dropped = ORIGINAL.height - len(town)
    return original_cost(shown, ORIGINAL, quasi=quasi, hierarchies={"town": TREE}, codebook=book, dropped=dropped)


@pytest.mark.parametrize("star", ["*", "null"])
@pytest.mark.parametrize(
    ("cost", "value"),
    [
        ("uniform-entropy", (2 * 1 + log2(3)) / log2(3) / 4),
        ("ambiguity", (2 * 2 + 1 + 3) / 4),
    ],
)
def test_stars_that_are_written_as_missing_cover_what_stars_cover(cost: str, star: str, value: float) -> None:
    town = ["North", "North", "Rome", "*" if star == "*" else None]
    assert told(cost, town, star=star) == pytest.approx(value)


def test_a_dropped_row_leaves_open_what_a_star_does() -> None:
    assert told("uniform-entropy", ["North", "North", "Rome"]) == pytest.approx((2 * 1 + log2(3)) / log2(3) / 4)


def test_the_entropy_of_a_value_given_its_cell_is_a_share_of_that_of_the_table() -> None:
    """Of the three rows North two are Oslo."""
    given = log2(3) - 2 / 3
    assert told("entropy", ["North", "North", "Rome", "North"]) == pytest.approx(3 * given / 1.5 / 4)


def test_a_column_with_one_value_loses_no_bits() -> None:
    town: list[str | None] = ["Oslo", "Oslo", "Rome", "*"]
    one, both = (told("normalized-entropy", town, quasi) for quasi in (("town",), ("town", "age")))
    assert both == pytest.approx(one / 2)
    assert told("normalized-entropy", town, ("age",)) == told("non-uniform-entropy", town, ("age",)) == 0


@pytest.mark.parametrize(("gain", "attacked"), [(2, 0), (3, 2), (4, 2), (5, 3)])
def test_an_attack_that_gains_what_it_costs_does_not_pay(gain: int, attacked: int) -> None:
    """A class of two rows costs an attacker 4, two classes of one row 2 each."""
    prices: dict[str, Any] = {"gain": gain, "cost": 2, "benefit": 10, "penalty": 100}
    assert told("publisher-payout", ["Oslo", "Oslo", "Rome", "Bonn"], **prices) == 100 * attacked


@pytest.mark.parametrize(
    ("name", "recoding", "tells"), [("entropy", "range", True), ("ncp", "range", False), ("entropy", "centroid", False)]
)
def test_cells_that_cover_values_tell_a_cost_with_the_original(name: str, recoding: str, tells: bool) -> None:
    assert tells_cost(name, form_of(recoding)) is tells


def column(town: list[str], values: list[str], tree: Taxonomy) -> ReadColumn:
    """A published column of towns."""
    return ReadColumn.of(pl.Series("town", town), pl.Series("town", values), tree, form_of("generalize"))


@pytest.mark.parametrize(
    ("gs", "gone", "loss"),
    [
        (0.0, 1, 0.375),
        (0.25, 1, 0.375 + 0.5 * (0.625 - 0.375)),
        (0.5, 1, 0.625),
        (0.75, 1, (0.5 * (0.625 * 2 / 3 - 0.25) + 0.25) / (1 - 0.5 / 3)),
        (1.0, 1, 0.25),
    ],
)
def test_a_loss_weighs_generalization_against_suppression(gs: float, gone: int, loss: float) -> None:
    """North covers two of three towns, which loses 1/2: of the original rows three are in North; one row is a star."""
    read = column(["North", "North", "North", "*"], ["Oslo", "Oslo", "Bonn", "Rome"], TREE)
    assert _charged(read, gone, gs) == pytest.approx(loss)


def test_a_column_with_one_value_loses_the_rows_that_are_gone() -> None:
    one = column(["Oslo", "Oslo", "*", "*"], ["Oslo"] * 4, Taxonomy([["Oslo", "North"]]))
    assert _charged(one, 2, 0.75) == 0.5


def test_of_two_values_a_cell_of_both_loses_all() -> None:
    two = column(["North", "North"], ["Oslo", "Bonn"], Taxonomy([["Oslo", "North"], ["Bonn", "North"]]))
    assert _charged(two, 0, 0.0) == pytest.approx(1)
    assert np.asarray(two.volume).tolist() == [2]


@pytest.mark.parametrize(
    ("towns", "gs", "gone", "loss"),
    [
        (2, 0.75, 0, (0.5 * 0.5) / (1 - 0.5 / 2)),
        (2, 0.5, 0, 1.0),
        (1, 0.5, 0, 1.0),
        (1, 0.75, 0, 0.0),
        (1, 0.75, 3, 0.75),
    ],
)
def test_the_loss_of_a_column_of_stars_depends_on_how_many_values_there_are(
    towns: int, gs: float, gone: int, loss: float
) -> None:
    """Nothing is shown: generalization loses all of it; of one value alone, only rows that are gone lose anything."""
    names = ["Oslo", "Bonn"][:towns]
    tree = Taxonomy([[name, "North"] for name in names])
    assert _charged(column(["*"] * 4, (names * 4)[:4], tree), gone, gs) == pytest.approx(loss)


@pytest.mark.parametrize(
    ("gs", "loss"), [(0.0, 0.375), (0.25, 0.375 + 0.5 * (0.875 - 0.375)), (0.5, 0.875), (1.0, 0.5)]
)
def test_a_dropped_row_loses_all(gs: float, loss: float) -> None:
    """Three of four rows are in North, which loses 1/2; of the original rows one is dropped, and two are stars."""
    read = column(["North", "*", "*"], ["Oslo", "Oslo", "Bonn", "Rome"], TREE)
    assert _charged(read, 2, gs) == pytest.approx(loss)


@pytest.mark.parametrize(
    ("aggregate", "loss"),
    [
        ("maximum", 0.625),
        ("rank", 0.625),
        ("arithmetic", (0.625 + 0.25) / 2),
        ("geometric", sqrt(1.625 * 1.25) - 1),
    ],
)
def test_the_losses_of_columns_are_one_number_as_asked(aggregate: str, loss: float) -> None:
    """Of towns 5/8 are lost; the ages are shown, but for one row of stars."""
    town = ["North", "North", "North", "*"]
    assert _arx(town, ["20", "20", "21", "*"], gs="0.5", aggregate=aggregate) == pytest.approx(loss)


@pytest.mark.parametrize(
    ("town", "age", "gone"),
    [
        (["Oslo", "Oslo", "Rome", "*"], ["20", "20", "21", "*"], 1),
        (["Oslo", "Oslo", "Rome", "*"], ["20", "20", "*", "21"], 0),
        (["Oslo", "Oslo", "*"], ["20", "20", "*"], 2),
        (["Oslo", "Oslo", "Rome"], ["20", "20", "21"], 1),
    ],
)
def test_only_rows_that_show_nothing_are_charged_as_suppressed(town: list[str], age: list[str], gone: int) -> None:
    """Where only suppression counts, the loss is the share of the rows that are gone."""
    assert _arx(town, age, gs="1", aggregate="maximum") == pytest.approx(gone / 4)


def _arx(town: list[str], age: list[str], **given: str) -> float:
    """The loss of published towns and ages."""
    original = ORIGINAL.with_columns(age=pl.Series(["20", "20", "21", "21"]))
    trees = {"town": TREE, "age": Taxonomy([["20", "young"], ["21", "old"]])}
    book = {
        "marks": {"star": "*"},
        "recoding": "generalize",
        "columns": [],
        "cost": {"name": "arx-loss", "parameters": given},
    }
    shown = pl.DataFrame({"town": town, "age": age})
    return original_cost(
        shown, original, quasi=["town", "age"], hierarchies=trees, codebook=book, dropped=4 - len(town)
    )
