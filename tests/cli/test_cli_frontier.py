"""`shoal frontier`: a row a value and method; nothing is published."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.command import settle, shoal

ASKED = ("frontier", "census.csv", "--quasi=age,gender", "--sensitive=occupation", "--methods=mondrian", "--queries=20")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return settle(tmp_path, monkeypatch)


def test_a_row_a_value(home: Path) -> None:
    before = sorted(home.rglob("*"))
    done = shoal(*ASKED, "--vary=k=2,5,20")
    assert (done.code, done.err) == (0, "")
    assert [line.split()[0] for line in done.out.splitlines()[2:5]] == ["2", "5", "20"]
    assert sorted(home.rglob("*")) == before


def test_json_and_a_state_to_go_on_from(home: Path) -> None:
    first = shoal(*ASKED, "--vary=l(occupation)=2,3", "--require=k=3", "--state=state.jsonl", "--json")
    assert first.code == 0
    content = json.loads(first.out)
    assert (content["varied"], content["require"]) == ("l(occupation)", "k=3")
    assert len((home / "state.jsonl").read_text(encoding="utf-8").splitlines()) == 2
    again = shoal(*ASKED, "--vary=l(occupation)=2,3", "--require=k=3", "--state=state.jsonl", "--json")
    assert again.out == first.out


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("--k=2,5", "--vary=k=2,5"),
        ("--l=occupation=2,3", "--vary=l(occupation)=2,3"),
        ("--t=occupation:equal=0.8,0.9", "--vary=t(occupation:equal)=0.8,0.9"),
    ],
)
def test_models_have_short_options(home: Path, short: str, long: str) -> None:
    one, other = (json.loads(shoal(*ASKED, given, "--json").out) for given in (short, long))
    assert one["varied"] == other["varied"]
    assert [(point["value"], point["cost"]) for point in one["points"]] == [
        (point["value"], point["cost"]) for point in other["points"]
    ]


@pytest.mark.parametrize("more", [[], ["--k=2", "--vary=k=3"], ["--l=3"]])
def test_one_model_is_varied(home: Path, more: list[str]) -> None:
    assert shoal(*ASKED, *more).code == 2


@pytest.mark.parametrize(
    ("more", "code"), [(["--vary=k=500"], 3), (["--vary=k=5..2"], 2), (["--vary=k=2", "--plot=x.bmp"], 2)]
)
def test_exit_codes(home: Path, more: list[str], code: int) -> None:
    assert shoal(*ASKED, *more).code == code
