"""The level that a table can reach: decided by an oracle that tries every partition of small tables."""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import TypeAlias

import pytest
from tests.oracle import Asked, Row, Value, admits, partitions

from shoal.core.errors import Infeasible, Unsupported
from shoal.models import Model
from shoal.models.requirement import as_models
from shoal.pipeline import run
from shoal.request import Request
from shoal.tables.table import Table
from shoal.web.desk.relax_requirement import eased, with_numbers

Columns: TypeAlias = Mapping[str, Sequence[Value]]
TABLES: tuple[Columns, ...] = (
    {"age": [1, 2, 3, 4, 5], "ill": ["a", "a", "a", "b", "c"], "pay": [10, 10, 20, 20, 45]},
    {"age": [1, 1, 2, 2], "ill": ["a", "a", "b", None], "pay": [7, 7, 7, 7]},
    {"age": [1, 2, 2], "ill": ["a", "a", "a"], "pay": [1, 2, 3]},
)
STRICT = (
    *("k=50", "l(ill)=4", "l(ill+pay)=9", "distinct-l(ill)=6", "entropy-l(ill)=5", "recursive-l(ill)=(0.1,2)"),
    *("recursive-l(ill)=(3,5)", "recursive-l(ill)=(0.1,5)", "alpha(ill)=0.1", "e(pay)=1000", "nt(ill)=(90,0.2)"),
    *("l(ill|pay)=3", "k=4 l(ill)=3.7 distinct-l(pay)=9"),
)
STEP = Fraction(1, 100)


def asked_of(require: object) -> Request:
    return Request(["age"], require, ["ill", "pay"])  # type: ignore[arg-type]


def feasible(table: Columns, models: object) -> bool:
    """Whether any partition of the rows meets the models, by trying all."""
    rows = [dict(zip(table, cells, strict=True)) for cells in zip(*table.values(), strict=True)]
    asked = [Asked(one.name, one.asked, one.attributes, one.given) for one in as_models(models)]  # type: ignore[arg-type]
    found = partitions(range(len(rows)))
    return any(all(meets(one, [rows[r] for r in group], rows) for group in part for one in asked) for part in found)


def meets(asked: Asked, group: Sequence[Row], rows: Sequence[Row]) -> bool:
    """The oracle's word; of the models that it does not know, the definition."""
    values = [row[asked.attributes[0]] for row in group] if asked.attributes else []
    if asked.name == "alpha":
        return max(Counter(values).values()) <= asked.numbers[0] * len(values)
    if asked.name == "e":
        return max(values) - min(values) >= asked.numbers[0]  # type: ignore[operator, type-var]
    return admits(asked, group, rows)


@pytest.mark.parametrize(("table", "require"), list(product(TABLES, STRICT)))
def test_what_is_offered_is_feasible_and_as_strict_as_can_be(table: Columns, require: str) -> None:
    data = Table.of(table)
    try:
        run(data, asked_of(require))
        return  # some table meets it
    except Infeasible:
        offered = eased(data, asked_of(require))
    if offered is None:
        assert require.startswith("recursive-l")
        assert not feasible(table, "recursive-l(ill)=(1000000000,2)")
        return
    assert run(data, asked_of(" ".join(offered))).audit.holds
    if "nt" not in require:
        assert feasible(table, " ".join(offered))
        assert not any(feasible(table, [harder]) for harder in stricter(require, offered))


def stricter(require: str, offered: tuple[str, ...]) -> list[Model]:
    """The models that were eased, each one step nearer to what was asked for."""
    found = []
    for asked, model in zip(as_models(require), as_models(" ".join(offered)), strict=True):
        for place, (wanted, number) in enumerate(zip(asked.asked, model.asked, strict=True)):
            step = 1 if model.parameters[place].whole else STEP
            if abs(wanted - number) >= step:
                nearer = number + (step if wanted > number else -step)
                found.append(with_numbers(model, [*model.asked[:place], nearer, *model.asked[place + 1 :]]))
    return found


def test_what_is_met_is_left_as_it_is() -> None:
    table = Table.of(TABLES[0])
    assert eased(table, asked_of("k=2 l(ill)=3")) == ("k=2", "l(ill)=1.66")


def test_people_of_a_population() -> None:
    table = {"age": [1, 2, 3], "ill": ["a", "b", "c"], "pay": [1, 2, 3]}
    people = {"age": [1, 2, 3, 4, 5]}
    request = Request(["age"], "kmap=9", ["ill", "pay"], population=people)
    offered = eased(Table.of(table), request)
    assert offered == ("kmap=5",)


def test_groups_of_one_size_have_nothing_to_offer() -> None:
    table = {"age": [1, 2, 3, 4, 5], "ill": ["a", "a", "a", "b", "c"], "pay": [10, 10, 20, 20, 45]}
    with pytest.raises((Infeasible, Unsupported)):
        run(Table.of(table), asked_of("m(ill)=9"))
    assert eased(Table.of(table), asked_of("m(ill)=9")) is None
