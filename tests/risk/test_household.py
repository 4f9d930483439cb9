"""The risk of households against the formula in plain Python, and k households by naming them as persons."""

from __future__ import annotations

from collections import Counter, defaultdict
from math import prod
from pathlib import Path

import pytest

import shoal
from shoal.core.errors import RoleError
from shoal.tables.table import read

TESTDATA = Path(__file__).parents[3] / "shared" / "data" / "sdcmicro" / "testdata.csv.gz"
QUASI = ["urbrur", "roof", "water", "sex"]


@pytest.mark.skipif(not TESTDATA.is_file(), reason="there is no ../shared/data/sdcmicro beside the repository")
@pytest.mark.parametrize("weight", [None, "sampling_weight"])
def test_a_household_is_found_with_any_of_its_members(weight: str | None) -> None:
    table = read(TESTDATA).frame
    found = shoal.risk.measure(table, quasi=QUASI, record_weight=weight, household="ori_hid", minimal_uniques=0)
    keys = table.select(QUASI).rows()
    crowd = Counter(keys)
    own = [1 / crowd[key] for key in keys] if weight is None else found.per_row["individual"].tolist()
    members = defaultdict(list)
    for home, risk in zip(table["ori_hid"].to_list(), own, strict=True):
        members[home].append(risk)
    expected = [1 - prod(1 - risk for risk in members[home]) for home in table["ori_hid"].to_list()]
    assert found.per_row["household"].tolist() == pytest.approx(expected)
    assert found.household is not None
    assert found.household.households == len(members)
    assert found.household.expected == pytest.approx(sum(expected))
    assert found.household.highest >= found.prosecutor.highest if weight is None else True


@pytest.mark.skipif(not TESTDATA.is_file(), reason="there is no ../shared/data/sdcmicro beside the repository")
def test_k_households_are_asked_for_by_naming_them_as_persons() -> None:
    table = read(TESTDATA).frame[:600]
    release = shoal.anonymize(table, quasi=QUASI, person=["ori_hid"], leave_out="rest", require="k=4", effort="quick")
    homes = defaultdict(set)
    for key, row in zip(release.table.rows(), release.classes.kept.tolist(), strict=True):
        homes[key].add(table["ori_hid"][row])
    assert min(map(len, homes.values())) >= 4
    assert release.certificate.people == table["ori_hid"].n_unique()


def test_alone_a_household_has_the_risk_of_its_member() -> None:
    table = {"home": [1, 2, 3], "age": [30, 30, 40]}
    found = shoal.risk.measure(table, quasi=["age"], household="home")
    assert found.per_row["household"].tolist() == found.per_row["prosecutor"].tolist()
    with pytest.raises(RoleError, match="'house'"):
        shoal.risk.measure(table, quasi=["age"], household="house")
