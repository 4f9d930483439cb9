"""What was published before is verified, audited and attacked: a release folder, or any table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.core.errors import ParameterError
from shoal.web.check import verdict_on
from shoal.web.desk import Desk
from shoal.web.desk.atomic_files import plain
from shoal.web.desk.release_check import Checked, check_parts

PEOPLE = pl.DataFrame({"age": [20, 20, 30, 30, 40, 40], "illness": ["a", "b", "a", "b", "c", "c"]})


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A release in which one crowd shares an illness, beside its original."""
    PEOPLE.write_csv(tmp_path / "people.csv")
    made = shoal.anonymize(PEOPLE, quasi=["age"], sensitive=["illness"], require="k=2", method="mondrian")
    made.save(tmp_path / "release")
    return tmp_path / "release"


def parts(**asked: Any) -> list[dict[str, Any]]:
    return [plain(one) for one in check_parts(Checked(**asked), lambda *_: None)]


def test_a_release_is_verified_then_audited_then_attacked(release: Path) -> None:
    found = parts(path=str(release), original=str(release.parent / "people.csv"))
    assert found[0]["passed"]
    assert "rows" not in found[0], "what is known first is shown first"
    last = found[-1]
    assert (last["rows"], last["smallest_class"], last["holds"]) == (6, 2, True)
    assert {one["attack"] for one in last["hits"]} >= {"linkage", "homogeneity"}
    assert next(one["after"] for one in last["hits"] if one["attack"] == "homogeneity") == 2
    found_bad = [one.said for one in verdict_on(last, going=False).findings if one.kind == "bad"]
    assert found_bad == ["'illness' of 2 rows of 6 is certain although nobody is found."]


def test_without_the_original_attacks_that_need_it_are_left_out(release: Path) -> None:
    found = parts(path=str(release))[-1]
    assert "most attacks need the original" in found["untried"]
    assert verdict_on(found, going=False).kind == "good"


def test_a_release_that_was_altered_is_not_called_safe(release: Path) -> None:
    table = next((release / "public").glob("table.*"))
    table.write_text(table.read_text().replace("20", "21"))
    found = parts(path=str(release))[0]
    assert not found["passed"]
    assert verdict_on(found, going=True).kind == "bad"


def test_a_table_of_anybody_is_audited_for_what_is_said_of_it(release: Path) -> None:
    path = str(release.parent / "people.csv")
    (found,) = parts(path=path, quasi=("age",), sensitive=("illness",), require="k=2 distinct-l(illness)=2")
    assert [one["holds"] for one in found["findings"]] == [True, False]
    assert verdict_on(found, going=False).kind == "bad"
    (measured,) = parts(path=path, quasi=("age",))
    assert verdict_on(measured, going=False).kind == "note"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"path": ""}, "no release and no table is named"),
        ({"path": "none"}, "no such file"),
        ({"path": "people.csv"}, "name the columns"),
        ({"path": "empty"}, "is not a release"),
        ({"path": "/etc/passwd"}, "outside"),
    ],
)
def test_what_cannot_be_checked_is_refused_before_it_is_tried(release: Path, asked: Any, said: str) -> None:
    (release.parent / "empty").mkdir()
    desk = Desk(release.parent / "desk", root=release.parent)
    with pytest.raises(ParameterError, match=said):
        desk.check(**asked)
    desk.close()
