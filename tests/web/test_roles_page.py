"""What the step Roles decides besides roles: persons of rows, record weights, codes for missing values."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.web.tab import Tab

from shoal.web import roles
from shoal.web.desk import Desk, Draft, queries
from shoal.web.desk.draft import OPEN
from shoal.web.desk.draft_checks import counting_problems

TEXT = "patient,age,ill,weight\n" + "".join(
    f"{i // 2},{'?' if i % 10 == 3 else 20 + i * 23 % 61},{('flu', 'gout', 'cold')[i % 3]},{5 + i % 4}\n"
    for i in range(60)
)
ROLES = {"patient": "other", "age": "quasi", "ill": "sensitive", "weight": OPEN}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A desk with a table of visits."""
    one = Desk(tmp_path / "desk")
    one.upload("visits.csv", TEXT.encode())
    one.change(roles=ROLES, require=["k=3"])
    yield one
    one.close()


def told(desk: Desk) -> tuple[list[str], str | None]:
    """Whom a row is about, and how many people it stands for, as the draft has it."""
    return list(desk.draft.person), desk.draft.record_weight


def opened(tab: Tab, name: str) -> Tab:
    """A tab on which the other settings of a column are shown."""
    if f"use-{name}" not in tab.keys:
        tab.tell(f"more-{name}")
    return tab


def test_a_column_that_tells_whom_a_row_is_about_is_not_published_as_it_is(desk: Desk) -> None:
    tab = Tab(desk, roles.STEP)
    opened(tab, "patient").tell("use-patient", roles.PERSON)
    assert told(desk) == (["patient"], None)
    assert desk.draft.roles["patient"] == "identifier"
    assert desk.draft.request().person == ("patient",)
    tab.tell("role-patient-other", "other")
    assert "Do not publish 'patient' as it is: it identifies the person of a row." in tab.words
    assert ("roles", counting_problems(desk.draft)[0]) in desk.ready()
    tab.tell("role-patient-quasi", "quasi")
    assert counting_problems(desk.draft) == []
    opened(tab, "patient").tell("use-patient", "")
    assert told(desk) == ([], None)
    assert desk.draft.roles["patient"] == "quasi"


def test_a_warning_of_repeated_identifiers_ends_when_people_are_counted(desk: Desk) -> None:
    desk.change(roles={**ROLES, "patient": "identifier"})
    tab = Tab(desk, roles.STEP)
    assert "--person patient" in tab.words
    opened(tab, "patient").tell("use-patient", roles.PERSON)
    assert "--person patient" not in tab.words


def test_a_record_weight_is_left_out_unless_its_role_is_changed(desk: Desk) -> None:
    tab = Tab(desk, roles.STEP)
    opened(tab, "weight").tell("use-weight", roles.WEIGHT)
    assert told(desk) == ([], "weight")
    assert desk.draft.roles["weight"] == "leave_out"
    opened(tab, "weight").tell("use-weight", roles.PERSON)
    assert told(desk) == (["weight"], None)
    desk.undo()
    tab.tell("role-weight-other", "other")
    assert desk.draft.settings["record_weight"] == "weight"
    assert desk.draft.settings["other"] == ["patient", "weight"]


def test_weights_that_are_published_can_be_rounded(desk: Desk) -> None:
    tab = Tab(desk, roles.STEP)
    opened(tab, "weight").tell("use-weight", roles.WEIGHT)
    assert "weight_rounding" not in tab.keys
    tab.tell("role-weight-other", "other")
    tab.tell("weight_rounding", "10")
    assert desk.draft.settings["weight_rounding"] == 10
    tab.tell("weight_rounding", "ten")
    assert "a whole number from 1 to 1000000000" in tab.alerts[-1]
    tab.tell("role-weight-leave_out", "leave_out")
    assert "Publish 'weight' as is, or do not round it" in tab.words
    assert counting_problems(desk.draft)[0] in [said for _, said in desk.ready()]
    opened(tab, "weight").tell("use-weight", "")
    assert desk.draft.weight_rounding is None


def test_a_column_that_is_published_can_be_masked(desk: Desk) -> None:
    tab = Tab(desk, roles.STEP)
    tab.tell("role-weight-other", "other")
    opened(tab, "weight").tell("mask-weight", "round:10")
    assert desk.draft.settings["masks"] == {"weight": "round:10"}
    tab.tell("mask-weight", "rond:10")
    assert "did you mean 'round'?" in tab.alerts[-1]
    tab.tell("role-weight-leave_out", "leave_out")
    assert "Do not mask 'weight'" in tab.words
    tab.tell("mask-weight", "")
    assert not desk.draft.masks


def test_what_is_no_weight_or_no_person_is_said_and_not_kept(desk: Desk) -> None:
    before, tab = desk.draft, Tab(desk, roles.STEP)
    opened(tab, "ill").tell("use-ill", roles.WEIGHT)
    assert "the record weights in 'ill' have the type String" in tab.alerts[-1]
    assert desk.draft == before
    opened(tab, "patient").tell("missing-patient", "0")
    opened(tab, "patient").tell("use-patient", roles.PERSON)
    assert "2 cells are missing" in tab.alerts[-1]
    assert told(desk) == ([], None)
    opened(tab, "patient").tell("missing-patient", "")
    opened(tab, "patient").tell("use-patient", roles.PERSON)
    opened(tab, "patient").tell("missing-patient", "0")
    assert "2 cells are missing" in tab.alerts[-1]
    assert not desk.draft.missing


def test_codes_are_proposed_taken_and_changed_and_every_step_reads_them_as_missing(desk: Desk) -> None:
    tab = Tab(desk, roles.STEP)
    assert "May stand for missing values: ?" in tab.words
    assert "codes-age" in tab.keys
    assert not desk.draft.missing
    tab.tell("codes-age")
    assert desk.draft.missing == {"age": ["?"]}
    assert "codes-age" not in tab.keys
    assert queries.table(desk.draft)["age"].null_count() == 6
    assert queries.table(desk.draft)["age"].dtype.is_integer()
    assert None in [row[1] for row in queries.preview(desk.draft).rows]
    assert '[missing]\n"age" = ["?"]' in desk.draft.toml()
    opened(tab, "age").tell("missing-age", "?, 43 , ?")
    assert desk.draft.missing == {"age": ["?", "43"]}
    assert queries.table(desk.draft)["age"].null_count() > 6
    opened(tab, "age").tell("missing-age", " ")
    assert not desk.draft.missing
    assert "codes-age" in tab.keys


def test_what_was_decided_is_kept_with_the_draft(desk: Desk) -> None:
    desk.change(missing={"age": ["?"]}, person=["patient"], record_weight="weight")
    assert Draft.from_dict(desk.draft.to_dict()) == desk.draft
    assert [desk.undo().person, desk.redo().person] == [(), ("patient",)]


def test_a_fresh_number_for_each_person_is_offered_where_people_are_known(desk: Desk) -> None:
    tab = Tab(desk, roles.STEP)
    assert "pseudonym" not in tab.keys
    opened(tab, "patient").tell("use-patient", roles.PERSON)
    tab.tell("pseudonym", "number")
    assert desk.draft.request().pseudonym == "number"
    tab.tell("pseudonym", "age")
    assert "the table already has a column 'age'" in " ".join(counting_problems(desk.draft))
    tab.tell("use-patient", "")
    assert desk.draft.pseudonym is None


def test_the_number_of_a_household_is_hidden_and_its_model_offered(desk: Desk) -> None:
    tab = Tab(desk, roles.STEP)
    opened(tab, "patient").tell("use-patient", roles.HOUSEHOLD)
    assert (desk.draft.household, desk.draft.roles["patient"]) == ("patient", "identifier")
    desk.change(require=["k-households=3"], roles={"patient": "other", "age": "quasi"})
    assert any("it identifies the household of a row" in said for said in counting_problems(desk.draft))
    tab.tell("use-patient", "")
    assert any("k-households=3 counts households" in said for _, said in desk.ready())


def test_a_role_is_given_to_all_columns_that_are_selected_and_undone_at_once(desk: Desk) -> None:
    tab = Tab(desk, roles.STEP)
    before = desk.draft
    asyncio.run(roles._give(tab, "leave_out", ["patient", "weight", "no such column"]))
    assert desk.draft.roles == {**ROLES, "patient": "leave_out", "weight": "leave_out"}
    assert desk.undo() == before
    asyncio.run(roles._give(tab, "leave_out", None))
    assert "Select columns first" in tab.alerts[-1]


def test_a_line_shows_what_a_column_holds_and_singles_out(desk: Desk) -> None:
    found = roles.look(desk, {})
    assert found.columns is not None
    lines = {one["name"]: str(roles._line(one, "open", found.shapes[one["name"]])) for one in found.columns}
    assert lines["ill"].count("<rect") == 3
    assert all(said in lines["patient"] for said in ("30", "to decide", "role-patient-quasi", "select-patient"))
    assert "&lt;b&gt;" in roles._line({**found.columns[0], "name": "<b>"}, "quasi", ())
