"""Models at their edges: what they refuse, what they say of themselves, and what a broken solver does not get past."""

from __future__ import annotations

from fractions import Fraction
from math import log
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.core.arrays import Ints
from shoal.core.errors import Infeasible, ParameterError, RoleError, Unsupported
from shoal.hierarchies import Taxonomy
from shoal.microdata.histogram import Attributes, Classes, Persons, Values, numbered
from shoal.models import Model, Models, emd, nt_closeness
from shoal.models.base import check_households
from shoal.models.by_people import ByPeople
from shoal.models.ck_safety import CKSafetyByClass
from shoal.models.emd import Line, Matrix
from shoal.models.metric import Metric
from shoal.models.orders import read_as_asked
from shoal.models.parameter_range import Vary
from shoal.models.personal import _nodes
from shoal.models.requirement import parse_requirement
from shoal.models.skyline import SkylineByClass
from shoal.tables.encoded_column import Coded
from shoal.tables.table import Table

ILL = Coded.of(pl.Series("ill", ["a", "b", "a", "c", "b", "c"]))


def model_of(text: str) -> Model:
    (model,) = parse_requirement(text)
    return model


def classes_of(labels: list[int], **more: object) -> Classes:
    values = Values.of(ILL)
    return Classes(np.array(labels), max(labels) + 1, {("ill",): values}, **more)  # type: ignore[arg-type]


TWO = [0, 0, 0, 1, 1, 1]


def test_the_average_distance_is_one_number_and_implied_by_t_closeness() -> None:
    model = model_of("average-t(ill)=0.4")
    assert str(model.surrogate(6)) == "t(ill)=0.4"
    assert model.shares(Values.of(ILL)) is None
    assert model.level(classes_of(TWO)).tolist() == pytest.approx([1 / 3, 1 / 3])
    with pytest.raises(Unsupported, match="is not defined where other attributes are known"):
        model_of("average-t(ill|town)=0.4")


@pytest.mark.parametrize(
    ("text", "rows", "values"), [("ck(ill)=(1/2,1)", 4, 4), ("skyline(ill)=(1,1,1,0.5)", 5, 3), ("ck(ill)=(1,0)", 2, 2)]
)
def test_what_an_attacker_may_know_says_how_small_classes_may_be(text: str, rows: int, values: int) -> None:
    model = model_of(text)
    assert (model.least_rows, model.least_values, model.is_trivial) == (rows, values, False)
    shares = model.shares(Values.of(ILL))
    assert (shares is None) == (model.limit == 1)
    assert shares is None or shares.caps == (model.limit,) * 3


def test_safety_reads_back_with_the_confidence_reached() -> None:
    assert model_of("ck(ill)=(1/2,1)").reading(0.25) == [0.25, 1.0]


@pytest.mark.parametrize("by_class", [CKSafetyByClass("1/2", 1, "ill"), SkylineByClass(0, 1, 1, "1/2", "ill")])
def test_class_by_class_they_are_their_own_surrogates_and_decided_exactly(by_class: Model) -> None:
    assert by_class.surrogate(6) is by_class
    assert by_class.admits(classes_of([0] * 6)).tolist() in ([True], [False])


def test_near_the_limit_a_class_alone_is_decided_in_fractions() -> None:
    """Of a, b and c twice each, one fact leaves the attacker two of five: 2/5 is not below 2/5."""
    sure = float(CKSafetyByClass("1/2", 1, "ill").level(classes_of([0] * 6))[0])
    exact = Fraction(sure).limit_denominator(100)
    assert not CKSafetyByClass(exact, 1, "ill").admits(classes_of([0] * 6)).any()
    assert CKSafetyByClass(exact + Fraction(1, 100), 1, "ill").admits(classes_of([0] * 6)).all()


def test_a_model_without_a_distance_says_so_and_knows_no_largest_part() -> None:
    with pytest.raises(Unsupported, match="k=2 measures no distance between values"):
        model_of("k=2").ground(Values.of(ILL))
    assert model_of("kmap=2").largest(np.array([1, 2])) is None


def test_households_are_counted_only_where_they_are_known() -> None:
    model = model_of("k-households=2")
    with pytest.raises(ParameterError, match="no column says which household"):
        check_households([model], known=False)
    check_households([model], known=True)
    classes = classes_of(TWO, households=np.array([0, 0, 1, 2, 2, 2]))
    assert model.level(classes).tolist() == [2.0, 1.0]
    assert model.admits(classes).tolist() == [True, False]
    assert model.reached(classes) == 1.0


def test_counting_people_says_what_the_model_says() -> None:
    model, wrapped = model_of("l(ill)=3/2"), ByPeople(model_of("l(ill)=3/2"))
    assert (wrapped.asked, wrapped.ordered_attributes) == (model.asked, model.ordered_attributes)
    assert wrapped.reading(2.0) == model.reading(2.0)
    person = numbered([Coded.of(pl.Series("person", [1, 2, 3, 4, 5, 6]))])
    attributes: dict[Attributes, Values] = {("ill",): Values.of(ILL)}
    classes = Classes(np.array(TWO), 2, attributes, persons=Persons.of(person, attributes))
    assert wrapped.admits(classes).all()


def test_without_a_population_nobody_is_compared_with() -> None:
    with pytest.raises(Unsupported, match="kmap=2 needs a population"):
        model_of("kmap=2").admits(classes_of(TWO))
    assert model_of("no-attack-journalist=(3,2)").limit == 2


def test_the_second_figure_of_enhanced_beta_is_cut_at_the_rarest_value() -> None:
    """b gains 3 in the class y, more than its own -ln(1/4); a is rarest, with -ln(1/8)."""
    table = {"town": [*"xxxxxxyy"], "ill": [*"acccccbb"]}
    found = shoal.audit(table, quasi=["town"], sensitive=["ill"], require="enhanced-beta(ill)=9").findings[0]
    assert list(found.also.values()) == pytest.approx([log(8)])


# --- distances -------------------------------------------------------------------------------------------------------

THREE = Metric.of(["a", "b", "c"], [[0, 0.5, 1], [0.5, 0, 0.5], [1, 0.5, 0]])


def transport() -> Matrix:
    return Matrix(THREE)


def test_distances_between_many_spreads_are_those_of_one() -> None:
    ones, others = np.array([[2, 0, 0], [0, 1, 1]]), np.array([[1, 0, 1], [1, 1, 0]])
    assert transport().between(ones, others).tolist() == pytest.approx([0.5, 0.5])
    assert Line(()).between(np.array([[3.0]]), np.array([[5.0]])).tolist() == [0.0]


def test_a_plan_that_does_not_add_up_counts_as_far_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """The solver is not believed: where its plan moves nothing, a class is at distance 1."""

    def nothing(supply: Ints, demand: Ints, costs: object) -> Ints:
        return np.zeros((len(supply), len(demand)), np.int64)

    monkeypatch.setattr(emd, "cheapest_plan", nothing)
    assert transport().one({0: 2}, np.array([1, 0, 1])) == 1
    assert transport().between(np.array([[2, 0, 0]]), np.array([[1, 0, 1]])).tolist() == [1.0]


@pytest.mark.parametrize(
    ("labels", "rows", "message"),
    [
        (["a", "a"], [[0, 1], [1, 0]], "2 rows for 1 different values"),
        (["a", "b"], [[0, 1]], "1 rows for 2 different values"),
        (["a", "b"], [[0, "x"], ["x", 0]], "cells that are not numbers"),
        (["a", "b"], [[0, 1], ["1/2", 0]], "is not a metric"),
        (["a", "b"], [[1, 1], [1, 0]], "is not a metric"),
        (["a", "b", "c"], [[0, "1/4", 1], ["1/4", 0, "1/4"], [1, "1/4", 0]], "triangle inequality via 1 values"),
    ],
)
def test_a_matrix_that_is_no_metric_is_refused(labels: list[str], rows: list[list[str]], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Metric.of(labels, rows)


def test_a_metric_says_what_it_knows(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="no distances for 1 of 2 values"):
        THREE.restricted(["a", "z"])
    with pytest.raises(ParameterError, match=r"no distance and no file called 'metric\.csv'"):
        Metric.read(tmp_path / "metric.csv")
    (tmp_path / "metric.csv").write_text("")
    with pytest.raises(ParameterError, match=r"'metric\.csv' has 0 rows for 0 different values"):
        Metric.read(tmp_path / "metric.csv")


# --- (n,t)-closeness -------------------------------------------------------------------------------------------------


def test_nt_closeness_is_measured_on_published_cells_and_asks_for_no_more_than_there_is() -> None:
    model = model_of("nt(ill)=(4,0.5)")
    with pytest.raises(Unsupported, match="measured on published cells only"):
        model.admits(classes_of(TWO))
    with pytest.raises(Infeasible, match="3 rows"):
        model.surrogate(3)
    assert str(model.surrogate(6)) == "t(ill)=0.5"
    with pytest.raises(Unsupported, match="is not defined where other attributes are known"):
        model_of("nt(ill|town)=(4,0.5)").surrogate(6)


def test_with_too_many_cells_to_compare_fewer_supersets_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows of a are near those of x, which holds them; where x is not compared, all rows together must do."""
    table = {"town": ["a", "a", "x", "x", "b", "b"], "ill": ["flu", "gout", "flu", "gout", "cold", "cold"]}

    def audited() -> bool | None:
        tree = {"town": {"x": ["a", "c"], "y": ["b"]}}
        return shoal.audit(table, quasi=["town"], sensitive=["ill"], require="nt(ill)=(4,0)", hierarchies=tree).holds

    assert audited() is False
    monkeypatch.setattr(nt_closeness, "MOST_PAIRS", 0)
    assert audited() is False


# --- what is read ----------------------------------------------------------------------------------------------------


def test_codes_for_missing_values_and_unknown_columns() -> None:
    table = Table.of({"age": [30, 99, 40]})
    assert read_as_asked(table, missing={"age": [99]})["age"].to_list() == [30, None, 40]
    with pytest.raises(RoleError, match="the table has no column 'agee'"):
        read_as_asked(table, missing={"agee": [99]})


@pytest.mark.parametrize("tree", [None, Taxonomy([["a", "lung"], ["b", "lung"], ["c", "foot"]])])
def test_guarding_nodes_are_the_blocks_the_values_and_the_root(tree: Taxonomy | None) -> None:
    values = Values.of(ILL, None if tree is None else tree.build(ILL.values))
    nodes = {label: held.tolist() for label, held in _nodes(values).items()}
    assert nodes.pop("*") == [True] * 3
    assert {nodes.pop(name)[place] for place, name in enumerate("abc")} == {True}
    assert nodes == ({} if tree is None else {"lung": [True, True, False], "foot": [False, False, True]})


def values_of(text: str) -> list[Fraction]:
    return list(Vary.of(text).values)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("k", "vary is 'k'"),
        ("k=1..2..3..4", "the values to vary are"),
        ("k=2,3..5", "the values to vary are"),
        ("k=5..2", "the values go from 5 to 2"),
        ("k=two", "'two' is not a number"),
        ("k=2..5..0", "the step is 0"),
        ("k=1..100000..1", "for at most"),
    ],
)
def test_a_range_that_cannot_be_read_is_refused(text: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Vary.of(text)


def test_ranges_give_whole_numbers_shares_or_steps() -> None:
    assert values_of("k=2,5,2") == [2, 5]
    assert values_of("k=2..5") == [2, 3, 4, 5]
    assert values_of("t(ill)=0.1..0.5") == [Fraction(place, 10) for place in range(1, 6)]
    with pytest.raises(ParameterError, match="k=3 is required, and k is varied"):
        Vary.of("k=2..5").check_besides(Models((model_of("k=3"),)))
    Vary.of("k=2..5").check_besides(Models((model_of("l(ill)=2"),)))
