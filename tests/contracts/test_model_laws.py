"""The laws of every privacy model that discovery finds."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import prod
from typing import Any, cast

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests import oracle
from tests.strategies import MODELS, NEARNESS, QUASI, SENSITIVE, Case, models, numbers, tables
from tests.thorough import examples

from shoal.core.arrays import Bools, Ints
from shoal.microdata.histogram import Classes, Values
from shoal.microdata.partition import Partition
from shoal.models import Model, Rule, SensitiveModel
from shoal.models.base import DOUBT
from shoal.models.emd import is_combined
from shoal.models.requirement import parse_requirement

every_model = pytest.mark.parametrize("kind", MODELS.values(), ids=MODELS)
few = settings(max_examples=examples(12))
HAIR = Fraction(1, 10**15)


@st.composite
def classified(draw: st.DrawFn, kind: type[Model], max_rows: int = 12) -> tuple[Case, Model, Ints]:
    """A table, a model of it, and a class for every row."""
    columns = draw(tables(max_rows, ["number"], 1))
    model = draw(models(kind, columns))
    labels = draw(st.lists(st.integers(0, 2), min_size=len(columns["number"]), max_size=len(columns["number"])))
    case = Case({name: (QUASI | SENSITIVE)[name] for name in columns}, columns, (model,))
    return case, model, Partition.of(np.array(labels)).class_of_row


def classes_of(case: Case, labels: Ints) -> Classes:
    return case.problem.classes(Partition.of(labels))


def every_class(case: Case, rows: int) -> Classes:
    """Every set of rows as a class: class c has the rows that the bits of c + 1 name."""
    owner, row = np.nonzero(np.arange(1, 1 << rows)[:, None] >> np.arange(rows) & 1)
    return case.problem.candidates(row, owner, (1 << rows) - 1)


def groups_of(case: Case, labels: Ints) -> list[list[oracle.Row]]:
    return [[case.rows[row] for row in np.flatnonzero(labels == label)] for label in range(int(labels.max()) + 1)]


def decided(case: Case, model: Model, labels: Ints) -> list[bool]:
    return [oracle.admits(case.asked(model), group, case.rows) for group in groups_of(case, labels)]


def at_the_limit(model: Model, level: Fraction) -> Iterator[Model]:
    """The model with its first parameter at a level, and a hair to either side."""
    parameter = model.parameters[0]
    for limit in (level - HAIR, level, level + HAIR):
        low, high = parameter.minimum, parameter.maximum
        outside = (low is not None and limit <= low) or (high is not None and limit > high)
        if not outside and not (parameter.whole and limit.denominator > 1):
            yield cast(Model, replace(cast(Any, model), **{parameter.name: limit}))


@every_model
@few
@given(data=st.data())
def test_admits_what_the_oracle_admits(kind: type[Model], data: st.DataObject) -> None:
    if kind.name not in oracle.MODELS:
        pytest.skip("the oracle does not know this model")
    case, model, labels = data.draw(classified(kind))
    assert model.admits(classes_of(case, labels)).tolist() == decided(case, model, labels)


RULES: dict[Rule, Callable[..., bool]] = {
    Rule.ROWS: lambda counts, n: sum(counts) >= n,
    Rule.VALUES: lambda counts, n: len(counts) >= n,
    Rule.SHARE: lambda counts, n: n * max(counts) <= sum(counts),
    Rule.ENTROPY: lambda counts, n: sum(counts) ** sum(counts) >= n ** sum(counts) * prod(c**c for c in counts),
    Rule.RECURSIVE: lambda counts, n, m: max(counts) < n * sum(sorted(counts, reverse=True)[int(m) - 1 :]),
}
"""The rules once more, of the counts of the values of a class."""


@every_model
@few
@given(data=st.data())
def test_a_model_decides_as_the_rule_that_it_declares(kind: type[Model], data: st.DataObject) -> None:
    if kind.rule is None:
        pytest.skip("only the model itself can say")
    case, model, labels = data.draw(classified(kind))
    assume(not model.given)
    classes, numbers = classes_of(case, labels), model.rule_numbers
    if not model.attributes:
        expected = [RULES[kind.rule]([size], *numbers) for size in classes.sizes.tolist()]
    else:
        histogram = classes.histogram(model.attributes)
        slices = [histogram.one(index) for index in range(classes.number)]
        if kind.rule is Rule.CLOSENESS:
            ground, totals = model.ground(histogram.values), histogram.values.totals
            expected = [ground.one(counts, totals) <= numbers[0] for counts in slices]
        else:
            expected = [RULES[kind.rule](list(counts.values()), *numbers) for counts in slices]
    assert model.admits(classes).tolist() == expected


@every_model
@few
@given(data=st.data())
def test_a_class_at_the_limit_is_decided_exactly(kind: type[Model], data: st.DataObject) -> None:
    if kind.name not in oracle.MODELS or not issubclass(kind, SensitiveModel):
        pytest.skip("the oracle does not know this model, or it counts rows only")
    case, model, labels = data.draw(classified(kind))
    assert isinstance(model, SensitiveModel)
    classes = classes_of(case, labels)
    slices = model.slices(classes)
    finite = np.flatnonzero(np.isfinite(model.measure(slices))).tolist()
    assume(finite)
    level = model.exact(slices, data.draw(st.sampled_from(finite)))
    for near in at_the_limit(model, Fraction(level)):
        assert near.admits(classes).tolist() == decided(case, near, labels), str(near)


@every_model
@few
@given(data=st.data())
def test_many_classes_are_decided_as_each_one_alone(kind: type[Model], data: st.DataObject) -> None:
    case, model, labels = data.draw(classified(kind))
    classes = classes_of(case, labels)
    if not isinstance(model, SensitiveModel):
        pytest.skip("it has no exact decision of its own")
    slices = model.slices(classes)
    refused = {int(owner) for index, owner in enumerate(slices.class_of_slice) if not model.decide(slices, index)}
    assert model.admits(classes).tolist() == [label not in refused for label in range(classes.number)]


@every_model
@few
@given(data=st.data())
def test_the_level_agrees_with_the_decision_away_from_the_limit(kind: type[Model], data: st.DataObject) -> None:
    if not kind.monotone:
        pytest.skip("it admits one level only, not all on one side of it")
    case, model, labels = data.draw(classified(kind))
    classes = classes_of(case, labels)
    level, limit = model.level(classes), float(model.limit)
    clear = np.abs(level - limit) > DOUBT * max(1.0, abs(limit))
    met: Bools = level > limit if model.larger_is_stricter else level < limit
    assert (model.admits(classes) == met)[clear].all()


@every_model
@few
@given(data=st.data())
def test_what_meets_a_stricter_number_meets_a_laxer_one(kind: type[Model], data: st.DataObject) -> None:
    if not kind.nested or len(kind.parameters) > 1:
        pytest.skip("it does not say so, or it takes several numbers")
    case, model, labels = data.draw(classified(kind))
    (parameter,) = kind.parameters
    more = model.limit + (1 if parameter.whole else data.draw(st.fractions(0, 1, max_denominator=20)))
    assume(parameter.maximum is None or more <= parameter.maximum)
    larger = cast(Model, replace(cast(Any, model), **{parameter.name: more}))
    strict, lax = (larger, model) if kind.larger_is_stricter else (model, larger)
    classes = classes_of(case, labels)
    assert not (strict.admits(classes) & ~lax.admits(classes)).any()


@every_model
@few
@given(data=st.data())
def test_what_is_reached_is_the_level_of_the_worst_class(kind: type[Model], data: st.DataObject) -> None:
    case, model, labels = data.draw(classified(kind))
    classes = classes_of(case, labels)
    level = model.level(classes)
    worst = level.min() if model.larger_is_stricter else level.max()
    assert model.reached(classes) == pytest.approx(worst, rel=1e-9, abs=1e-12)


@every_model
@few
@given(data=st.data())
def test_merging_admitted_classes_stays_admitted(kind: type[Model], data: st.DataObject) -> None:
    if not kind.monotone:
        pytest.skip("it does not say so")
    case, model, labels = data.draw(classified(kind, max_rows=6))
    admitted = np.append(False, model.admits(every_class(case, len(labels))))
    sets = np.arange(len(admitted))
    one, other = np.nonzero(admitted[:, None] & admitted & (sets[:, None] & sets == 0))
    assert admitted[one | other].all()


@every_model
@few
@given(data=st.data())
def test_the_order_of_rows_changes_nothing(kind: type[Model], data: st.DataObject) -> None:
    case, model, labels = data.draw(classified(kind))
    order = data.draw(st.permutations(range(len(labels))))
    shuffled = case.taken(order)
    before, after = classes_of(case, labels), classes_of(shuffled, labels[order])
    np.testing.assert_allclose(model.level(after), model.level(before), rtol=1e-12, atol=1e-15)
    assert model.admits(after).tolist() == model.admits(before).tolist()


@every_model
@few
@given(data=st.data())
def test_its_words_read_back_as_the_same_model(kind: type[Model], data: st.DataObject) -> None:
    _, model, _ = data.draw(classified(kind, max_rows=3))
    assert parse_requirement(str(model), {NEARNESS.source: NEARNESS}).all == (model,)


@every_model
@few
@given(data=st.data())
def test_no_class_below_its_least_rows_is_admitted(kind: type[Model], data: st.DataObject) -> None:
    case, model, labels = data.draw(classified(kind))
    classes = classes_of(case, labels)
    assert (classes.sizes[model.admits(classes)] >= model.least_rows).all()


@every_model
@few
@given(data=st.data())
def test_what_the_attacker_knows_only_makes_it_stricter(kind: type[Model], data: st.DataObject) -> None:
    case, model, labels = data.draw(classified(kind))
    if not model.given:
        return
    alone = replace(cast(Any, model), others=())
    classes = classes_of(case, labels)
    if model.monotone:
        assert (alone.admits(classes) >= model.admits(classes)).all()


@every_model
@few
@given(data=st.data())
def test_a_joint_reading_is_that_of_one_column_of_combinations(kind: type[Model], data: st.DataObject) -> None:
    case, model, labels = data.draw(classified(kind))
    if len(model.attributes) < 2 or is_combined(getattr(model, "distance", "")):
        return  # one column of combinations knows nothing of the distances of its parts
    pairs = list(zip(*(case.columns[name] for name in model.attributes), strict=True))
    codes = [sorted(set(pairs), key=repr).index(pair) for pair in pairs]
    values = Values(np.array(codes), np.bincount(codes), pl.Series([f"#{code}" for code in range(max(codes) + 1)]))
    single = Classes(labels, int(labels.max()) + 1, {("both",): values})
    alone = replace(cast(Any, model), attribute="both", others=())
    np.testing.assert_allclose(alone.level(single), model.level(classes_of(case, labels)), rtol=1e-12, atol=1e-15)


# --- the largest admitted sub-class ----------------------------------------------------------------------------------


def only_class(counts: Sequence[int]) -> Classes:
    """A table that is one class, its sensitive values occurring so often."""
    present = [count for count in counts if count]
    codes = np.repeat(np.arange(len(present)), present)
    values = Values(codes, np.array(present), pl.Series([f"value {code}" for code in range(len(present))]))
    return Classes(np.zeros(len(codes), dtype=np.int64), 1, {("illness",): values})


def admitted_sizes(model: Model, counts: Sequence[int]) -> list[int]:
    """How many rows each admitted sub-class has."""
    subs = (sub for sub in product(*(range(count + 1) for count in counts)) if any(sub))
    return [sum(sub) for sub in subs if model.admits(only_class(sub))[0]]


def declaring_largest() -> list[Any]:
    return [pytest.param(kind, id=name) for name, kind in MODELS.items() if kind.largest is not Model.largest]


@pytest.mark.parametrize("kind", declaring_largest())
@few
@given(data=st.data())
def test_the_largest_subclass_is_admitted_and_none_is_larger(kind: type[Model], data: st.DataObject) -> None:
    if not kind.applies_to(pl.Series(["flu"])):
        pytest.skip("it does not measure text")
    counts = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    drawn = [data.draw(numbers(parameter)) for parameter in kind.parameters]
    model = kind.parse(("illness",) if kind.reads_attribute else (), (), None, drawn)
    found, sizes = model.largest(np.array(counts)), admitted_sizes(model, counts)
    if found is None:
        assert not sizes
    else:
        assert (found <= counts).all()
        assert model.admits(only_class(found.tolist()))[0]
        assert found.sum() == max(sizes)


def test_the_largest_eligible_subclass_of_every_small_histogram() -> None:
    kind = MODELS["l"]
    for counts in combinations_with_replacement(range(1, 5), 3):
        for limit in ("1", "3/2", "2", "5/2", "3"):
            model = kind.parse(("illness",), (), None, [limit])
            found = model.largest(np.array(counts))
            assert (0 if found is None else int(found.sum())) == max(admitted_sizes(model, counts), default=0)
