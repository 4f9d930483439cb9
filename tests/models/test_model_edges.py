"""Models at their edges: what they refuse, what they say of themselves, and what a broken solver does not get past."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import inf, log
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.core.arrays import Ints
from shoal.core.errors import Infeasible, ParameterError, RoleError, Unsupported
from shoal.hierarchies import Taxonomy
from shoal.microdata.histogram import Attributes, Classes, Persons, Values, numbered
from shoal.models import LDiversity, Model, Models, emd, nt_closeness
from shoal.models.base import cap, check_households, ratio_at_least
from shoal.models.by_people import ByPeople
from shoal.models.ck_safety import CKSafetyByClass
from shoal.models.emd import Combined, Line, Matrix, Tree, ground_distance
from shoal.models.estimated_k_map import PoissonKMap, TruncatedPoissonKMap
from shoal.models.metric import Metric
from shoal.models.nt_closeness import NTCloseness
from shoal.models.orders import read_as_asked, wanted_orders
from shoal.models.parameter_range import Vary
from shoal.models.personal import _nodes
from shoal.models.presets import PRESETS
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
    ("text", "rows", "values"),
    [
        *(("ck(ill)=(1/2,1)", 4, 4), ("skyline(ill)=(1,1,1,0.5)", 5, 3), ("ck(ill)=(1,0)", 2, 2)),
        *(("skyline(ill)=(2,1,0,0.5)", 6, 4), ("skyline(ill)=(0,3,1,0.25)", 8, 2), ("skyline(ill)=(1,0,0,1)", 3, 3)),
    ],
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

HALF = Fraction(1, 2)
EQUAL = Tree(np.arange(3)[None, :])
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
        (["a", "b"], [[0, 0], [0, 0]], "is not a metric"),
        (["a", "b"], [[0, "3/2"], ["3/2", 0]], "is not a metric"),
        (["a", "b", "c"], [[0, "1/4", 1], ["1/4", 0, "1/4"], [1, "1/4", 0]], "triangle inequality via 1 values"),
    ],
)
def test_a_matrix_that_is_no_metric_is_refused(labels: list[str], rows: list[list[str]], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Metric.of(labels, rows)


def test_a_metric_is_bound_to_the_values_of_a_column() -> None:
    ground = ground_distance(THREE, Values.of(Coded.of(pl.Series("ill", ["c", "a", "c"]))), "ill")
    assert isinstance(ground, Matrix)
    assert ground.metric.labels == ("a", "c")
    assert ground.distance(0, 1) == 1


def test_many_combinations_have_no_combined_distance(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [Values.of(Coded.of(pl.Series(name, ["x", "y", "z"]))) for name in "ab"]
    both = Values.joint(parts)
    monkeypatch.setattr(emd, "MOST_COMBINATIONS", 3)
    assert isinstance(ground_distance("sum:equal:equal", both, "a+b"), Combined)
    with pytest.raises(ParameterError, match=r"t\(b:hierarchy\) needs a hierarchy of 'b'"):
        ground_distance("sum:equal:hierarchy", both, "a+b")
    monkeypatch.setattr(emd, "MOST_COMBINATIONS", 2)
    with pytest.raises(Unsupported, match="there are 3, more than 2"):
        ground_distance("sum:equal:equal", both, "a+b")


def test_a_metric_says_what_it_knows(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="no distances for 2 of 3 values"):
        THREE.restricted(["a", "y", "z"])
    part = THREE.restricted(["c", "b"])
    assert (part.labels, part.source) == (("c", "b"), "metric")
    assert [list(row) for row in part.distances] == [[0, HALF], [HALF, 0]]
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
    """The rows within x, its own and those of a, are distributed as in x; where cells are not compared, x fails too."""
    table = {"town": ["a", "a", "x", "x", "b", "b"], "ill": ["flu", "gout", "flu", "gout", "cold", "cold"]}

    def failing() -> int:
        tree = {"town": {"x": ["a", "c"], "y": ["b"]}}
        found = shoal.audit(table, quasi=["town"], sensitive=["ill"], require="nt(ill)=(4,0)", hierarchies=tree)
        return found.findings[0].failing_classes

    assert failing() == 2
    monkeypatch.setattr(nt_closeness, "MOST_PAIRS", 8)
    assert failing() == 3
    monkeypatch.setattr(nt_closeness, "MOST_PAIRS", 9)
    assert failing() == 2


@pytest.mark.parametrize("word", ["equal", "ordered", "sum"])
def test_near_t_a_distance_to_a_superset_is_decided_in_fractions(word: str) -> None:
    ground = {"equal": EQUAL, "ordered": Line((1, 1)), "sum": Combined((Line((1, 1)),), np.arange(3)[:, None], "sum")}
    for counts in product(range(4), range(4), range(1, 3)):
        apart = ground[word].one(dict(enumerate(counts)), np.array([5, 2, 3]))
        ones, others = (np.array([some], dtype=np.float64) for some in (counts, [5, 2, 3]))
        for hair, near in ((0, True), (-Fraction(1, 10**15), False)):
            if apart + hair >= 0:
                model = NTCloseness(1, apart + hair, "ill")
                assert model.near(ground[word], ones, others).tolist() == [near]


def test_rows_whose_other_cells_differ_are_in_no_superset() -> None:
    """The two men of x are like themselves alone: neither the rows of x nor all men have flu and gout alike often."""
    table = {"town": [*"xxxxyy"], "sex": [*"mmffmm"], "ill": ["flu", "gout", "cold", "cold", "gout", "gout"]}
    asked: dict[str, Any] = {"quasi": ["town", "sex"], "sensitive": ["ill"]}
    asked["hierarchies"] = {"town": {"x": ["a"], "y": ["b"]}}
    for rows, failing in ((2, 0), (3, 3)):
        found = shoal.audit(table, require=f"nt(ill)=({rows},0)", **asked).findings[0]
        assert found.failing_classes == failing


# --- who may be in the table -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "admitted"),
    [
        ("0,1", [True, True, False, False, True, True]),
        ("0,1/2", [True, False, False, False, False, True]),
        ("0.25,1", [True, True, False, False, True, False]),
        ("0.5,0.5", [True, False, False, False, False, False]),
        ("0,0", [False] * 6),
    ],
)
def test_the_ratio_of_a_class_by_itself(limits: str, admitted: list[bool]) -> None:
    """Of 2 rows or 1 whose cells fit 4, 2, 1, 0, 1 and 16 people."""
    sizes, fitting = [2, 2, 2, 2, 1, 2], np.array([4, 2, 1, 0, 1, 16])
    classes = Classes(np.repeat(np.arange(6), sizes), 6, {}, population=lambda: fitting)
    model = model_of(f"presence=({limits})").surrogate(11)
    assert model.level(classes).tolist() == [1 / 2, 1, 2, inf, 1, 1 / 8]
    assert model.admits(classes).tolist() == admitted


def test_the_mean_chance_has_to_be_within_the_limits() -> None:
    """Of 10 people 3 to 6 may be in the release: the mean chance is from 0.3 to 0.6."""
    for limits, possible in (("0,0.3", True), ("0,0.29", False), ("0.6,1", True), ("0.61,1", False), ("0.4,0.5", True)):
        if possible:
            model_of(f"presence=({limits})").check_population(3, 6, 10)
        else:
            with pytest.raises(Infeasible, match="6 rows of 10 people"):
                model_of(f"presence=({limits})").check_population(3, 6, 10)


# --- what is read ----------------------------------------------------------------------------------------------------


def test_codes_for_missing_values_and_unknown_columns() -> None:
    table = Table.of({"age": [30, 99, 40]})
    assert read_as_asked(table, missing={"age": [99]})["age"].to_list() == [30, None, 40]
    with pytest.raises(RoleError, match="the table has no column 'agee'"):
        read_as_asked(table, missing={"agee": [99]})


def test_leaves_order_words_where_a_model_counts_steps() -> None:
    models, tree = parse_requirement("t(s:ordered)=0.5 t(n:ordered)=0.5 t(w)=0.5"), Taxonomy([["b", "x"], ["a", "x"]])
    table = Table.of({"s": ["a", "b"], "n": [1, 2], "w": ["a", "b"]})
    assert wanted_orders(table, models, dict.fromkeys("snw", tree))[0] == {"s": ("b", "a")}
    assert wanted_orders(table, models, {"n": tree})[0] == {}
    assert wanted_orders(Table.of({"n": [1]}), models, {"s": tree})[0] == {}
    assert wanted_orders(table, models, {"s": shoal.hierarchies.as_builder("intervals:width=10")})[0] == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("l=2", "l needs an attribute"),
        ("k(a)=2", "k takes no attribute"),
        ("k=)234567890123456789012345", r"cannot be read at '\)2345678901234567890'"),
    ],
)
def test_a_requirement_that_cannot_be_read_says_why(text: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        parse_requirement(text)


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
        ("k=1..201..1", "for at most 200 values"),
        ("k=3..3", "the values go from 3 to 3"),
    ],
)
def test_a_range_that_cannot_be_read_is_refused(text: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Vary.of(text)


def test_ranges_give_whole_numbers_shares_or_steps() -> None:
    assert values_of("k=2,5,2") == [2, 5]
    assert values_of("k=2..5") == [2, 3, 4, 5]
    assert values_of("k=2..9") == list(range(2, 10))
    assert values_of("k=2..12") == [2, 3, 4, 5, 7, 8, 10, 12]
    assert values_of("k=1..4") == [1, 2, 3, 4]
    assert values_of("k=1..200..1") == list(range(1, 201))
    assert values_of("k=1000..1100..20") == [1000, 1020, 1040, 1060, 1080, 1100]
    assert values_of("e(pay)=0..10") == [0, Fraction(5, 2), 5, Fraction(15, 2), 10]
    assert values_of("t(ill)=0.5..1") == [Fraction(place, 8) for place in range(4, 9)]
    assert values_of("l(ill)=2..2.5") == [Fraction(place, 8) for place in range(16, 21)]
    assert values_of("t(ill)=0.1..0.5") == [Fraction(place, 10) for place in range(1, 6)]
    with pytest.raises(ParameterError, match="k=3 is required, and k is varied"):
        Vary.of("k=2..5").check_besides(Models((model_of("k=3"),)))
    Vary.of("k=2..5").check_besides(Models((model_of("l(ill)=2"),)))
    Vary.of("l(ill)=2").check_besides(parse_requirement("k=5 l(town)=2 l(ill|town)=2 t(ill)=0.5"))
    assert Vary.of("l(ill)=2").kind is LDiversity


def test_a_preset_asks_for_as_many_rows_as_it_has_in_a_crowd() -> None:
    assert [PRESETS["survey-3"].problem(rows, {}) for rows in (2, 3)] == ["the table has fewer than 3 rows", ""]
    assert PRESETS["hospital"].problem(5, {"ill": 2, "sex": 1}) == ""


# --- what every model says -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        *(("k=2", False), ("l(ill)=2", True), ("t(ill)=0.2", True), ("nt(ill)=(4,0.5)", False)),
        *(("kmap=2", False), ("payout=(1,1,1,1)", False)),
    ],
)
def test_groups_with_plain_quasi_identifiers_meet_models_of_values_alone(text: str, groups: bool) -> None:
    model = model_of(text)
    assert model.speaks_of_groups() is groups
    if groups:
        Models((model,)).check_groups()
    else:
        with pytest.raises(Unsupported, match="cannot be met by two tables"):
            Models((model,)).check_groups()


@pytest.mark.parametrize(
    ("attribute", "others", "words"),
    [
        ((), (), "no column"),
        (("ill", "ill"), (), "ill, ill"),
        ("ill", "ill", "ill, ill"),
        (("a", "b"), "b", "a, b, b"),
    ],
)
def test_a_column_is_read_once(attribute: Attributes | str, others: Attributes | str, words: str) -> None:
    with pytest.raises(ParameterError, match=f"l reads {words}; expected each column named once"):
        LDiversity(2, attribute, others)


def test_one_column_in_a_list_is_one_column() -> None:
    for model in (LDiversity(2, ("ill",)), model_of("l(ill)=2"), model_of("t(ill)=0.2"), model_of("nt(ill)=(4,0.5)")):
        assert (model.attributes, getattr(model, "attribute", None)) == (("ill",), "ill")
    assert model_of("t(ill+town)=0.2").attributes == ("ill", "town")


@pytest.mark.parametrize(
    ("text", "monotone", "rows", "asked", "alone"),
    [
        ("k=3", True, 3, 3, True),
        ("k=3 no-attack=(9,2)", True, 5, 5, True),
        ("k=2 l(ill)=4", True, 4, 2, False),
        ("l(ill)=4", True, 4, None, False),
        ("k=2 personal(ill|town)=0.5", False, 2, 2, False),
    ],
)
def test_several_models_say_what_they_ask_together(
    text: str, monotone: bool, rows: int, asked: int | None, alone: bool
) -> None:
    models = parse_requirement(text)
    assert (models.monotone, models.least_rows) == (monotone, rows)
    assert (models.rows_asked, models.count_rows_alone) == (asked, alone)


@pytest.mark.parametrize(
    ("text", "needs"),
    [
        ("k=2 l(ill)=2", []),
        ("k=2 kmap=2", ["needs_population"]),
        ("k=2 k-households=2", ["needs_households"]),
        ("k=2 average-t(ill)=0.5", ["of_release"]),
        ("k=2 nt(ill)=(4,0.5)", ["needs_cells"]),
        ("k=2 presence=(0,1)", ["needs_population", "needs_cells"]),
    ],
)
def test_several_models_need_what_one_of_them_needs(text: str, needs: list[str]) -> None:
    models, every = parse_requirement(text), ("needs_population", "needs_cells", "needs_households", "of_release")
    assert {name: getattr(models, name) for name in every} == {name: name in needs for name in every}


def test_no_models_ask_for_one_row() -> None:
    models = Models(())
    assert (models.least_rows, models.rows_asked, models.monotone, models.joints) == (1, None, True, [])
    assert parse_requirement("l(a)=2 l(a+b)=2 t(b+c)=0.5").joints == [("a", "b"), ("b", "c")]


@pytest.mark.parametrize(
    ("above", "below", "limit", "met"),
    [
        (3, 1, "3", True),
        (3, 1, "3.0000000001", False),
        (1, 2**60, "10", False),
        (2**60, 1, "1/10", True),
        (10**18, 10**18, "9999999999/10000000000", True),
        (10**18, 10**18, "10000000001/10000000000", False),
    ],
)
def test_ratios_of_any_size_are_decided(above: int, below: int, limit: str, met: bool) -> None:
    assert ratio_at_least(np.array([above]), np.array([below]), Fraction(limit)).tolist() == [met]
    assert ratio_at_least(np.array([above, 0]), np.array([below, 1]), Fraction(limit)).tolist() == [met, False]


@pytest.mark.parametrize("counts", [[], [0, 0], [5, 3, 0, 7], [1], [6, 6]])
@pytest.mark.parametrize("height", range(9))
def test_counts_are_cut_at_the_largest_height_that_is_admitted(counts: list[int], height: int) -> None:
    found = cap(np.array(counts, dtype=np.int64), lambda cut: bool(cut.max(initial=0) <= height))
    least = min(height, max(counts, default=0))
    assert (None if found is None else found.tolist()) == ([min(count, least) for count in counts] if least else None)


@pytest.mark.parametrize(
    ("text", "trivial"),
    [
        *(
            ("k=1", True),
            ("k=2", False),
            ("l(ill)=1", True),
            ("l(ill)=1.5", False),
            ("t(ill)=1", True),
            ("t(ill)=0.9", False),
        ),
        *(("no-attack=(3,3)", True), ("no-attack=(4,3)", False), ("no-attack=(0,3)", True)),
        *(("kmap-poisson=(1,0.5,0.1)", True), ("kmap-poisson=(20,0.1,0.01)", False), ("kmap-poisson=(20,0.1,1)", True)),
        *(("population-uniques=(1,0.1)", True), ("population-uniques=(0.5,0.1)", False)),
        *(("payout=(0,0,1,0)", False), ("ck(ill)=(1,0)", False), ("skyline(ill)=(0,0,0,1)", False)),
    ],
)
def test_what_every_table_meets_is_trivial(text: str, trivial: bool) -> None:
    assert model_of(text).is_trivial is trivial


@pytest.mark.parametrize(
    ("text", "surrogate"),
    [
        *(("k=3", "k=3"), ("average-risk=0.3", "k=4"), ("sample-uniques=1", "k=1"), ("sample-uniques=0.9", "k=2")),
        *(("population-uniques=(1,0.1)", "k=1"), ("population-uniques=(0.9,0.1)", "k=2")),
        *(("zayatz-uniques=(1,0.1)", "k=1"), ("zayatz-uniques=(0,0.1)", "k=2")),
        *(("average-t(ill:equal)=0.4", "t(ill:equal)=0.4"), ("nt(ill:equal)=(4,0.4)", "t(ill:equal)=0.4")),
    ],
)
def test_methods_work_with_a_model_that_implies_the_one_asked_for(text: str, surrogate: str) -> None:
    assert str(model_of(text).surrogate(10)) == surrogate


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        *(
            ("k=3", 7),
            ("recursive-l(ill)=(2,3)", [7, 3]),
            ("nt(ill)=(4,0.5)", [4, 7]),
            ("presence=(0.25,0.5)", [0.25, 7]),
        ),
        *(("no-attack=(9,2)", [9, 7]), ("no-attack-journalist=(9,2)", [9, 7]), ("sample-uniques=0.5", 7)),
        *(("population-uniques=(0.5,0.1)", [7, 0.1]), ("kmap-poisson=(20,0.125,0.25)", [7, 0.125, 0.25])),
        *(("ck(ill)=(0.5,2)", [7, 2]), ("skyline(ill)=(1,2,3,0.5)", [1, 2, 3, 7])),
    ],
)
def test_a_level_is_read_as_the_grammar_writes_it(text: str, reading: float | list[float]) -> None:
    assert model_of(text).reading(7.0) == reading


@pytest.mark.parametrize("kind", [PoissonKMap, TruncatedPoissonKMap])
@pytest.mark.parametrize(
    ("fraction", "error"), [("0.3", "0.05"), ("0.1", "0.4"), ("1/7", "1e-400"), ("1/3", "1e-30"), ("1", "0.01")]
)
def test_the_level_of_a_class_is_the_most_people_that_it_is_enough_for(
    kind: type[PoissonKMap], fraction: str, error: str
) -> None:
    sizes = range(1, 9)
    levels = kind(1, fraction, error).level(classes_of(np.repeat(np.arange(8), sizes).tolist()))
    for rows, people in zip(sizes, levels.tolist(), strict=True):
        assert kind(int(people), fraction, error).least_rows <= rows
        assert kind(int(people) + 1, fraction, error).least_rows > rows


@pytest.mark.parametrize("kind", [PoissonKMap, TruncatedPoissonKMap])
def test_where_any_error_is_allowed_a_row_is_enough(kind: type[PoissonKMap]) -> None:
    assert kind(9, "0.1", 1).level(classes_of(TWO)).tolist() == [inf, inf]
    assert kind(9, "0.1", 1).least_rows == 1
