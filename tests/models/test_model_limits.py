"""Models at their limits: classes that meet them exactly, and what they say of the smallest classes."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from math import exp, inf, log

import numpy as np
import polars as pl
import pytest

from shoal.core.errors import ParameterError
from shoal.microdata.histogram import Classes, Histogram, Values
from shoal.models import SensitiveModel, TCloseness
from shoal.models.beta_likeness import EnhancedBetaLikeness
from shoal.models.delta_disclosure import DeltaDisclosure, below_power_of_two
from shoal.models.entropy_l_diversity import EntropyLDiversity
from shoal.models.grassberger_l_diversity import GrassbergerLDiversity
from shoal.models.range_diversity import RangeDiversity
from shoal.models.requirement import parse_requirement
from shoal.models.t_closeness import attributes_in_order
from shoal.tables.encoded_column import Coded


def first_class(counts: Sequence[int], others: Sequence[int] = ()) -> Classes:
    """A class with so many rows of each value, and the other rows of the table as a second one."""
    both = np.concatenate([np.repeat(np.arange(len(some)), some) for some in (counts, others)]).astype(np.int64)
    of_row = np.repeat([0, 1], [sum(counts), sum(others)])
    size = max(len(counts), len(others))
    values = Values(both, np.bincount(both, minlength=size), pl.Series(range(size)))
    return Classes(of_row, 1 + bool(others), {("s",): values})


@pytest.mark.parametrize(
    ("text", "rows", "values"),
    [
        ("k=3", 3, 1),
        ("k-households=4", 4, 1),
        ("l(s)=2.5", 3, 3),
        ("distinct-l(s)=3", 3, 3),
        ("entropy-l(s)=1.5", 2, 2),
        ("recursive-l(s)=(2,3)", 3, 3),
        ("alpha(s)=0.4", 3, 3),
        ("alpha(s)=1/3", 3, 3),
        ("m(s)=4", 4, 1),
        ("t(s)=0.2", 1, 1),
        ("beta(s)=1", 1, 1),
        ("delta(s)=1", 1, 1),
        ("e(s)=5", 1, 1),
    ],
)
def test_a_model_says_how_small_its_classes_may_be(text: str, rows: int, values: int) -> None:
    (model,) = parse_requirement(text)
    assert (model.least_rows, model.least_values) == (rows, values)


@pytest.mark.parametrize(
    ("name", "met", "failed", "counts", "others"),
    [
        ("l", "5/3", "1.6666666666667", [3, 1, 1], []),
        ("distinct-l", "3", "4", [3, 1, 1], []),
        ("entropy-l", "3", "3.0000000000001", [2, 2, 2], []),
        ("alpha", "0.6", "0.5999999999999", [3, 1, 1], []),
        ("recursive-l", "(1.5000000000001,2)", "(1.5,2)", [3, 1, 1], []),
        ("t", "0.3", "0.2999999999999", [4, 1], [1, 4]),
        ("beta", "0.6", "0.5999999999999", [4, 1], [1, 4]),
        ("enhanced-beta", "0.6", "0.5999999999999", [4, 1], [1, 4]),
        ("delta", "1.0000000000001", "1", [3, 1], [1, 3]),
        ("e", "2", "2.0000000000001", [1, 0, 1], []),
        ("m", "2", "3", [1, 1], []),
    ],
)
def test_a_class_at_the_limit_is_decided_by_itself_as_among_others(
    name: str, met: str, failed: str, counts: list[int], others: list[int]
) -> None:
    classes = first_class(counts, others)
    for limit, admitted in ((met, True), (failed, False)):
        (model,) = parse_requirement(f"{name}(s)={limit}")
        assert isinstance(model, SensitiveModel)
        assert model.decide(model.slices(classes), 0) is admitted
        assert bool(model.admits(classes)[0]) is admitted


@pytest.mark.parametrize(("name", "worst"), [("l", 2 - 1 / (10**10 + 1)), ("alpha", (10**10 + 1) / (2 * 10**10 + 1))])
def test_of_classes_that_measure_nearly_alike_the_worst_is_what_is_reached(name: str, worst: float) -> None:
    """One has 10^10 rows of each of two values, the other one row more of the first."""
    codes, many = np.array([0, 1, 0, 1]), np.array([10**10, 10**10, 10**10 + 1, 10**10])
    values = Values(codes, np.array([2 * 10**10 + 1, 2 * 10**10]), pl.Series(["a", "b"]))
    classes = Classes(np.array([0, 0, 1, 1]), 2, {("s",): values}, weights=many)
    (model,) = parse_requirement(f"{name}(s)=1")
    assert model.reached(classes) == worst


# --- entropy ---------------------------------------------------------------------------------------------------------

TINY = Fraction(1, 10**50)


@pytest.mark.parametrize(
    ("counts", "level"),
    [
        ([2, 2, 2], "3"),
        ([4, 1, 1, 1, 1], "4"),
        ([8, 1, 1, 1, 1], "3"),
        ([32, *[1] * 8], "5/2"),
        ([64, *[2] * 8], "5/2"),
    ],
)
def test_an_entropy_that_is_a_rational_number_is_decided_in_integers(counts: list[int], level: str) -> None:
    """Of 32 and eight times 1, 40 in all, the geometric mean by row is 32^(32/40) = 16, and 40 / 16 = 5/2."""
    exact, classes = Fraction(level), first_class(counts)
    for limit, admitted in ((exact - TINY, True), (exact, True), (exact + TINY, False)):
        assert EntropyLDiversity(limit, "s").admits(classes).tolist() == [admitted]


def test_an_entropy_of_equal_shares_is_their_number() -> None:
    model = EntropyLDiversity(1, "s")
    for size in range(1, 40):
        assert model.exact(model.slices(first_class([3] * size)), 0) == size
    uneven = model.exact(model.slices(first_class([3, 1])), 0)
    assert uneven == pytest.approx(4 / 3**0.75)


# --- gains -----------------------------------------------------------------------------------------------------------


def half_of_each(first: int, rows: int) -> Histogram:
    """A class with so many rows of the first of two values, in a table that has as many of one as of the other."""
    values = Values(np.array([0, 1]), np.array([rows, rows]), pl.Series(["a", "b"]))
    counts = np.array([first, rows - first])
    return Histogram(np.array([0, 2]), np.array([0, 1]), counts, np.array([0]), values)


def test_a_gain_next_to_the_logarithm_is_decided_in_digits() -> None:
    """With p = 1/2 a gain 2q - 1 may be up to ln 2. Of 10^17 rows one more or less changes it by less than a float."""
    rows = 10**17
    with localcontext(prec=60):
        most = int((1 + Decimal(2).ln()) / 2 * rows)
    model = EnhancedBetaLikeness(9, "s")
    for first, admitted in ((most, True), (most + 1, False), (rows // 2, True)):
        histogram = half_of_each(first, rows)
        assert model.decide(histogram, 0) is admitted
        assert np.isfinite(model.measure(histogram)).tolist() == [admitted]
        assert model._decided(histogram).tolist() == [admitted]


@pytest.mark.parametrize("name", ["beta", "enhanced-beta"])
def test_a_table_of_one_value_gains_nothing(name: str) -> None:
    (model,) = parse_requirement(f"{name}(s)=0.1")
    classes = first_class([3], [4])
    assert isinstance(model, SensitiveModel)
    assert model.decide(model.slices(classes), 0) is True
    assert model.level(classes).tolist() == [0.0, 0.0]
    assert model.admits(classes).all()


def test_an_absent_value_is_too_far_whatever_delta_is() -> None:
    model = DeltaDisclosure(1000, "s")
    classes = first_class([3, 0], [1, 2])
    assert model.decide(model.slices(classes), 0) is False
    assert model.admits(classes).tolist() == [False, True]


@pytest.mark.parametrize(
    ("ratio", "exponent", "below"),
    [
        *(("3/2", "0.58", False), ("3/2", "0.59", True), ("2/3", "-0.59", False), ("2/3", "-0.58", True)),
        *(("8", "3", False), ("7", "3", True), ("4", "-20000", False), ("4", "20000", True)),
    ],
)
def test_ratios_are_compared_with_powers_of_two(ratio: str, exponent: str, below: bool) -> None:
    """log2(3/2) is 0.58496."""
    assert below_power_of_two(Fraction(ratio), Fraction(exponent)) is below


@pytest.mark.parametrize("counts", [[5], [6, 2], [3, 3], [9, 1, 4], [1, 1, 1, 30], [12, 7], [40, 2, 2, 2]])
def test_the_estimate_of_an_entropy_is_decided_beside_its_level(counts: list[int]) -> None:
    """Grassberger's formula, with what digamma is of whole and half numbers: G(2) is 2 - gamma - ln 2, and so on."""
    rows = sum(counts)
    rises = {c: sum(2 / (2 * j - 1) for j in range(1, c // 2 + 1)) - 0.5772156649015329 - log(2) for c in counts}
    level = exp(log(rows) - sum(c * rises[c] for c in counts) / rows)
    for limit in (level * (1 - 1e-9), level * (1 + 1e-9)):
        if limit >= 1:
            model = GrassbergerLDiversity(limit, "s")
            admitted = limit <= min(level, len(counts))
            assert model.decide(model.slices(first_class(counts)), 0) is admitted
            assert model.admits(first_class(counts)).tolist() == [admitted]


# --- ranges ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("numbers", "width"),
    [
        ([-5, 0, 3], 8),
        ([-5, None], 0),
        ([None, None], 0),
        ([None, 3, -5], 8),
        ([0], 0),
        ([-5], 0),
        ([-5, -2, None], 3),
        ([3, None, 3], 0),
    ],
)
def test_a_range_is_that_of_the_numbers_whatever_is_missing(numbers: list[int | None], width: int) -> None:
    """In a table with -5, -2, 0, 3 and missing values."""
    both = Coded.of(pl.Series("s", [*numbers, -5, -2, 0, 3, None]))
    classes = Classes(np.repeat([0, 1], [len(numbers), 5]), 2, {("s",): Values.of(both)})
    model = RangeDiversity(width, "s")
    assert model.level(classes).tolist() == [width, 8]
    assert model.exact(model.slices(classes), 0) == width
    assert model.admits(classes).tolist() == [True, True]
    wider = RangeDiversity(Fraction(width) + Fraction(1, 10**15), "s")
    assert wider.admits(classes).tolist() == [False, width < 8]


def test_combinations_have_no_range() -> None:
    with pytest.raises(ParameterError, match="not a column of numbers"):
        parse_requirement("e(a+b)=1").all[0].level(
            Classes(np.array([0]), 1, {("a", "b"): Values.joint([Values.of(Coded.of(pl.Series([1])))] * 2)})
        )


# --- attacks ---------------------------------------------------------------------------------------------------------


def test_what_an_attack_brings() -> None:
    """9 is to be won; an attempt costs 2: it pays not with 5 rows or more, or people whom the cells fit."""
    sizes, fitting = [1, 4, 5, 1], np.array([0, 5, 4, 1])
    classes = Classes(np.repeat(np.arange(4), sizes), 4, {}, population=lambda: fitting)
    rows, people = (parse_requirement(f"{name}=(9,2)").all[0] for name in ("no-attack", "no-attack-journalist"))
    assert rows.level(classes).tolist() == [9, 9 / 4, 9 / 5, 9]
    assert rows.admits(classes).tolist() == [False, False, True, False]
    assert (rows.reached(classes), rows.least_rows) == (9, 5)
    assert people.level(classes).tolist() == [inf, 9 / 5, 9 / 4, 9]
    assert people.admits(classes).tolist() == [False, True, False, False]
    assert people.reached(classes) == inf
    (nothing,) = parse_requirement("no-attack-journalist=(0,2)")
    assert nothing.admits(classes).tolist() == [False, True, True, True]
    assert rows.reached(Classes(np.repeat(np.arange(2), [5, 4]), 2, {})) == 9 / 4


def test_all_classes_meet_a_mean_or_none() -> None:
    """Of 6 rows in 3 classes one is alone."""
    classes = Classes(np.array([0, 1, 1, 2, 2, 2]), 3, {})
    for text, met in (
        *(("average-risk=0.5", True), ("average-risk=0.4999999", False)),
        *(("sample-uniques=1/6", True), ("sample-uniques=0.1666", False)),
    ):
        assert parse_requirement(text).all[0].admits(classes).tolist() == [met] * 3


# --- closeness -------------------------------------------------------------------------------------------------------


def test_closeness_with_a_share_of_the_distance() -> None:
    assert str(TCloseness("0.4", "s").stricter(Fraction(1, 4))) == "t(s)=0.1"


def test_every_distance_of_one_attribute_may_be_one_of_several() -> None:
    text = "t(a+b+c+d+e:sum:auto:equal:ordered:numeric:hierarchy)=0.1"
    (model,) = parse_requirement(text)
    assert str(model) == text
    assert model.ordered_attributes == ("c",)
    with pytest.raises(ParameterError, match="jointly has no distance"):
        parse_requirement("t(a+b:sum:equal:near)=0.1")


@pytest.mark.parametrize(
    ("distance", "ordered"),
    [
        ("sum:ordered:equal", ("a",)),
        ("maximum:auto:ordered", ("b",)),
        ("sum", ()),
        ("ordered", ("a", "b")),
        ("equal", ()),
    ],
)
def test_which_attributes_a_distance_counts_steps_in(distance: str, ordered: tuple[str, ...]) -> None:
    assert attributes_in_order(distance, ("a", "b")) == ordered
