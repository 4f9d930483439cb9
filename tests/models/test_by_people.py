"""Models where a person may have several rows, against a count of people in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import exp, inf, isclose, log

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategies import MODELS
from tests.thorough import examples

import shoal.models
from shoal.core.discovery import discover
from shoal.core.errors import Unsupported
from shoal.microdata.histogram import Attributes, Classes, Persons, Values, numbered
from shoal.models import Models
from shoal.models.base import Model
from shoal.models.by_people import ByPeople, by_people
from shoal.models.requirement import parse_requirement
from shoal.tables.encoded_column import Coded

Row = tuple[int, int, str]
"""Class, person, value."""
Held = Mapping[str, int]
"""By value, how many people have it."""

ROWS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4), st.sampled_from("abc")), min_size=1, max_size=14)


def classes_of(rows: list[Row]) -> Classes:
    """What shoal sees of rows."""
    labels = np.unique([row[0] for row in rows], return_inverse=True)[1].astype(np.int64)
    values = Values.of(Coded.of(pl.Series("ill", [row[2] for row in rows])))
    person = numbered([Coded.of(pl.Series("person", [row[1] for row in rows]))])
    attributes: dict[Attributes, Values] = {("ill",): values}
    return Classes(labels, int(labels.max()) + 1, attributes, persons=Persons.of(person, attributes))


def parts(rows: list[Row]) -> list[list[Row]]:
    """The rows of each class."""
    return [[row for row in rows if row[0] == one] for one in sorted({row[0] for row in rows})]


def people(rows: list[Row]) -> int:
    return len({row[1] for row in rows})


def held(rows: list[Row]) -> dict[str, int]:
    return {value: people([row for row in rows if row[2] == value]) for value in sorted({row[2] for row in rows})}


def is_certain(rows: list[Row]) -> bool:
    """Whether some value is that of everybody."""
    return max(held(rows).values()) == people(rows)


def entropy(counts: Held) -> float:
    total = sum(counts.values())
    return exp(-sum(n / total * log(n / total) for n in counts.values()))


def apart(counts: Held, of_all: Held) -> Fraction:
    """The total variation between two distributions of the values of people."""
    mine, all_ = sum(counts.values()), sum(of_all.values())
    return sum((abs(Fraction(counts.get(v, 0), mine) - Fraction(n, all_)) for v, n in of_all.items()), Fraction(0)) / 2


def gains(part: list[Row], rows: list[Row]) -> list[Fraction]:
    whole, everybody, here = held(rows), people(rows), people(part)
    return [Fraction(n * everybody, here * whole[v]) for v, n in held(part).items()]


def recursive(counts: Held, rank: int) -> float:
    falling = sorted(counts.values(), reverse=True)
    return falling[0] / tail if (tail := sum(falling[rank - 1 :])) else inf


BRUTE: dict[str, Callable[[list[Row], list[Row]], bool]] = {
    "k=2": lambda part, rows: people(part) >= 2,
    "k=3": lambda part, rows: people(part) >= 3,
    "l(ill)=2": lambda part, rows: 2 * max(held(part).values()) <= people(part),
    "l(ill)=1.5": lambda part, rows: 3 * max(held(part).values()) <= 2 * people(part),
    "alpha(ill)=0.5": lambda part, rows: 2 * max(held(part).values()) <= people(part),
    "distinct-l(ill)=2": lambda part, rows: len(held(part)) >= 2 and not is_certain(part),
    "entropy-l(ill)=2": lambda part, rows: (
        not is_certain(part) and (entropy(held(part)) > 2 or isclose(entropy(held(part)), 2))
    ),
    "recursive-l(ill)=(2,2)": lambda part, rows: not is_certain(part) and recursive(held(part), 2) < 2,
    "t(ill:equal)=0.25": lambda part, rows: apart(held(part), held(rows)) <= Fraction(1, 4),
    "beta(ill)=0.5": lambda part, rows: max(gains(part, rows)) - 1 <= Fraction(1, 2),
    "delta(ill)=1": lambda part, rows: (
        len(held(part)) == len(held(rows)) and all(Fraction(1, 2) < gain < 2 for gain in gains(part, rows))
    ),
}


@pytest.mark.parametrize("require", BRUTE)
@settings(max_examples=examples(15), deadline=None)
@given(rows=ROWS)
def test_a_model_of_people_decides_as_a_count_of_people_does(require: str, rows: list[Row]) -> None:
    (model,) = by_people(parse_requirement(require))
    assert model.admits(classes_of(rows)).tolist() == [BRUTE[require](part, rows) for part in parts(rows)]


@pytest.mark.parametrize("require", BRUTE)
@settings(max_examples=examples(8), deadline=None)
@given(rows=ROWS)
def test_where_everybody_has_one_row_people_are_rows(require: str, rows: list[Row]) -> None:
    rows = [(one, number, value) for number, (one, _, value) in enumerate(rows)]
    classes, models = classes_of(rows), parse_requirement(require)
    assert by_people(models).admits(classes).tolist() == models.admits(classes).tolist()
    (model,), (of_rows,) = by_people(models), models
    if not is_certain(rows):
        worst = model.reached(classes)
        assert worst == of_rows.reached(classes) or any(is_certain(part) for part in parts(rows))


@pytest.mark.parametrize("require", BRUTE)
@settings(max_examples=examples(8), deadline=None)
@given(rows=ROWS)
def test_what_is_implied_of_rows_holds_where_the_model_of_people_does(require: str, rows: list[Row]) -> None:
    models, classes = by_people(parse_requirement(require)), classes_of(rows)
    assert models.of_rows.admits(classes)[models.admits(classes)].all()


@settings(max_examples=examples(8), deadline=None)
@given(rows=ROWS)
def test_a_level_is_on_the_side_of_the_limit_that_the_decision_is(rows: list[Row]) -> None:
    classes = classes_of(rows)
    for require in ("k=2", "l(ill)=2", "distinct-l(ill)=2", "alpha(ill)=0.5", "t(ill:equal)=0.25"):
        (model,) = by_people(parse_requirement(require))
        levels, limit = model.level(classes), float(model.limit)
        near = levels >= limit - 1e-9 if model.larger_is_stricter else levels <= limit + 1e-9
        assert (near | ~model.admits(classes)).all()


def test_models_that_nobody_has_defined_for_people_are_refused() -> None:
    for require in ("m(ill)=2", "nt(ill)=(2,0.5)", "presence=(0,1)"):
        with pytest.raises(Unsupported, match="is not defined for people with several rows"):
            by_people(parse_requirement(require))


def test_every_model_says_what_it_does_where_a_person_has_several_rows() -> None:
    told = {name: kind.by_people for name, kind in MODELS.items()}
    assert {name for name, said in told.items() if said == "refused"} == {"m", "grassberger-l"}
    assert {name for name, said in told.items() if said == "same"} == {"e"}
    of_release = [kind for kind in discover(shoal.models, Model).values() if kind.of_release]
    assert {kind.by_people for kind in of_release} == {"refused"}


def test_a_model_of_people_needs_to_know_whom_rows_are_about() -> None:
    (model,) = by_people(parse_requirement("k=2"))
    with pytest.raises(Unsupported, match="no column says which person a row belongs to"):
        model.admits(Classes(np.zeros(3, dtype=np.int64), 1, {}))


def test_a_value_that_everybody_has_is_certain_whatever_else_they_have() -> None:
    rows = [(0, person, value) for person in (1, 2, 3) for value in ("a", "bcd"[person - 1])]
    classes = classes_of(rows)
    for require in ("distinct-l(ill)=2", "entropy-l(ill)=2", "recursive-l(ill)=(9,2)", "l(ill)=2"):
        assert parse_requirement(require).admits(classes)[0]  # as rows it has four values
        models: Models = by_people(parse_requirement(require))
        model: Model = models.all[0]
        assert isinstance(model, ByPeople)
        assert not model.admits(classes)[0]
        assert model.reached(classes) == (1.0 if model.larger_is_stricter else inf)


@pytest.mark.parametrize(
    ("require", "of_rows", "monotone"),
    [
        ("k=3", "k=3", True),
        ("no-attack=(3,1)", "no-attack=(3,1)", True),
        ("l(ill)=2", "distinct-l(ill)=2", False),
        ("recursive-l(ill|town)=(2,3)", "distinct-l(ill|town)=3", False),
        ("l(ill)=1", "k=1", False),
        ("t(ill)=0.2", "k=1", False),
    ],
)
def test_a_model_of_people_says_what_it_implies_of_rows(require: str, of_rows: str, monotone: bool) -> None:
    (model,) = by_people(parse_requirement(require))
    assert (str(model.of_rows), model.monotone) == (of_rows, monotone)


def test_two_classes_of_the_same_people_may_give_away_more_together() -> None:
    """In each of them one of the two has a and the other b; together both have both."""
    (model,) = by_people(parse_requirement("l(ill)=2"))
    apart = classes_of([(0, 1, "a"), (0, 2, "b"), (1, 1, "b"), (1, 2, "a")])
    together = classes_of([(0, 1, "a"), (0, 2, "b"), (0, 1, "b"), (0, 2, "a")])
    assert (model.admits(apart).tolist(), model.admits(together).tolist()) == ([True, True], [False])


@pytest.mark.parametrize(
    ("require", "levels"), [("l(ill)=2", [2.0, 1.0]), ("alpha(ill)=0.5", [0.5, inf]), ("k=2", [2.0, 2.0])]
)
def test_a_class_with_a_certain_value_is_at_the_worst_level(require: str, levels: list[float]) -> None:
    """In the first class each of two people has a value of their own; in the second both have b."""
    classes = classes_of([(0, 1, "a"), (0, 2, "b"), (1, 1, "b"), (1, 2, "b"), (1, 2, "c")])
    (model,) = by_people(parse_requirement(require))
    assert model.level(classes).tolist() == levels
