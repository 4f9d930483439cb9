"""Top-down specialization: which block is replaced first, that cuts are global, that nothing more could be replaced."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.contracts.test_worked_examples import B

import shoal
from shoal.hierarchies import Taxonomy
from shoal.methods.base import Deadline, silent
from shoal.methods.l_diversity.tds import Cuts, TopDownSpecialization
from shoal.problem import Problem
from shoal.request import Request
from shoal.steps.preparation import prepare
from shoal.studies.synth import census, census_hierarchies
from shoal.tables.table import Table

TOWNS = Taxonomy((("Oslo", "north"), ("Bergen", "north"), ("Rome", "south"), ("Milan", "south")))
PEOPLE = {
    "sex": ["m", "f", "m", "f", "m", "f", "m", "f"],
    "town": ["Oslo", "Oslo", "Bergen", "Bergen", "Rome", "Rome", "Milan", "Milan"],
    "illness": ["flu", "flu", "flu", "gout", "gout", "gout", "gout", "flu"],
}


def problem_of(require: str) -> Problem:
    request = Request(
        ["sex", "town"], require, sensitive=["illness"], hierarchies={"town": TOWNS}, recoding="generalize"
    )
    return prepare(Table.of(PEOPLE), request).problem


def test_the_gain_is_the_information_about_the_sensitive_attribute() -> None:
    cuts = Cuts.of(problem_of("l(illness)=1"))
    gains = {(block.attribute, block.level): gain for block, gain in cuts.open.items()}
    quarter = -(0.25 * np.log2(0.25) + 0.75 * np.log2(0.75))
    assert gains[1, 2] == pytest.approx(1 - quarter)  # north and south
    assert gains[0, 1] == pytest.approx(0)  # men and women


def test_it_replaces_what_tells_most_and_stops_where_a_class_would_fail() -> None:
    release = shoal.anonymize(
        PEOPLE,
        quasi=["sex", "town"],
        sensitive=["illness"],
        require="k=4",
        hierarchies={"town": TOWNS},
        recoding="generalize",
        method="tds",
    )
    assert set(release.table["town"]) == {"north", "south"}
    assert set(release.table["sex"]) == {"*"}


@pytest.mark.parametrize("require", ["k=20", "l(income)=4", "k=10 t(income)=0.3"])
def test_cuts_are_global_and_nothing_more_can_be_replaced(require: str) -> None:
    quasi = ["age", "gender", "marital", "education"]
    hierarchies = {name: builder for name, builder in census_hierarchies().items() if name in quasi}
    request = Request(quasi, require, sensitive=["income"], hierarchies=hierarchies, recoding="generalize")
    problem = prepare(Table.of(census(2_000, seed=3)), request).problem
    cuts = Cuts.of(problem)
    while (best := cuts.best(Deadline())) is not None:
        cuts.specialize(best)
    assert not cuts.open
    found = TopDownSpecialization().run(problem)
    assert len(found.partition) == len(np.unique(cuts.class_of_row))
    assert problem.models.admits(problem.classes(found.partition)).all()


# Xiao, Yi and Tao 2010, Table 1 and Table 4: the domains of age and education are divided into two parts each.
DOMAINS = {
    "age": Taxonomy([("<30", "<50"), ("[30,50)", "<50"), (">=50", ">=50")]),
    "education": Taxonomy(
        [("High Sch.", "High Sch. or below"), ("Bachelor", "Bachelor or above"), ("Master", "Bachelor or above")]
    ),
}
TABLE_4 = [
    *[("<50", "M", "Bachelor or above", disease) for disease in ("HIV", "HIV", "pneumonia", "bronchitis")],
    *[("<50", "F", "Bachelor or above", disease) for disease in ("pneumonia", "bronchitis", "bronchitis", "pneumonia")],
    *[(">=50", "F", "High Sch. or below", disease) for disease in ("dyspepsia", "pneumonia")],
]


def test_table_1_of_the_paper_becomes_table_4() -> None:
    names = (*B.quasi, *B.sensitive)
    table = {name: [row[place] for row in B.rows] for place, name in enumerate(names)}
    asked: dict[str, Any] = {
        "quasi": B.quasi,
        "sensitive": B.sensitive,
        "require": "l(disease)=2",
        "hierarchies": DOMAINS,
    }
    release = shoal.anonymize(table, method="tds", **asked)
    assert release.certificate.recoding == "single-dimensional"
    assert release.table.rows() == TABLE_4
    inside = shoal.anonymize(table, method="tds", recoding="generalize", **asked)
    assert inside.table.rows()[4] == ("[30,50)", "F", "Bachelor", "pneumonia")


@pytest.mark.parametrize("require", ["k=20", "l(income)=4"])
def test_a_value_is_in_one_block_in_every_row(require: str) -> None:
    quasi = ["age", "gender", "marital", "education"]
    people = census(2_000, seed=3).select(*quasi, "income")
    hierarchies = {name: builder for name, builder in census_hierarchies().items() if name in quasi}
    release = shoal.anonymize(
        people, quasi=quasi, sensitive=["income"], require=require, hierarchies=hierarchies, method="tds"
    )
    for name in quasi:
        pairs = set(zip(people[name].to_list(), release.table[name].cast(str).to_list(), strict=True))
        assert len(pairs) == people[name].n_unique()
    assert release.audit.holds


def test_without_time_all_rows_are_one_class() -> None:
    found = TopDownSpecialization().attempt(problem_of("k=2"), seed=0, deadline=Deadline.after(0), progress=silent)
    assert len(found.partition) == 1
