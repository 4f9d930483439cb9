"""A release is measured part by part, and judged by what is known: what is safe, what is not, what to do."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.web.tab import Tab

import shoal
from shoal.report import Evidence
from shoal.web import result
from shoal.web.desk import Desk, Run, worker
from shoal.web.desk.atomic_files import get_json
from shoal.web.desk.jobs import Job
from shoal.web.desk.measures import measure_parts
from shoal.web.desk.verdict import Verdict, verdict

CHANCE = Random(3)
PEOPLE = {
    "age": [20 + i % 12 for i in range(60)],
    "ill": ["flu" if i % 12 < 6 else CHANCE.choice(["gout", "cold", "flu"]) for i in range(60)],
    "smokes": [CHANCE.choice(["yes", "no"]) for _ in range(60)],
}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    lines = ["age,ill,smokes", *(",".join(map(str, row)) for row in zip(*PEOPLE.values(), strict=True))]
    one = Desk(tmp_path / "desk")
    one.upload("people.csv", "\n".join(lines).encode())
    one.change(roles={"age": "quasi", "ill": "sensitive", "smokes": "sensitive"}, require=["k=5"], method="mondrian")
    yield one
    one.close()


def done(desk: Desk) -> Run:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Job, "start", lambda job: None)
        run = desk.start()
    worker.main(run.job.folder)
    assert run.release is not None
    return run


def judged(run: Run) -> Verdict:
    return verdict(run.draft, run.summary or {}, run.measured, more=False)


def said(found: Verdict, kind: str) -> str:
    return " ".join(one.said for one in found.findings if one.kind == kind)


def test_secrets_that_are_certain_are_told_first_and_the_button_mends_them(desk: Desk) -> None:
    first = done(desk)
    found = judged(first)
    hits = (first.measured or {})["hits"]
    homogeneous = {one["attribute"]: one["after"] for one in hits if one["attack"] == "homogeneity"}
    assert homogeneous["ill"] > 0
    assert found.kind == "bad"
    assert f"'ill' of {homogeneous['ill']:,}" in found.findings[0].said
    assert found.findings[0].parts == {"require": ["k=5", "distinct-l(ill)=2", "distinct-l(smokes)=2"]}
    early = verdict(first.draft, first.summary or {}, None, more=True)
    assert early.findings[0] == found.findings[0], "the certificate knows it before anything is measured"
    assert "at least 5 rows" in said(found, "good")
    tab = Tab(desk, result.STEP)
    places = [tab.words.index(said) for said in ("A secret is certain", "What it cost", "What attacks reveal")]
    assert places == sorted(places)
    tab.tell("verdict-0")
    assert list(desk.draft.require) == found.findings[0].parts["require"]
    assert "was made before your latest changes" in Tab(desk, result.STEP).words
    second = done(desk)
    assert judged(second).kind == "good"


def test_an_attack_is_not_called_covered_where_it_gets_something_that_nothing_was_asked_about(desk: Desk) -> None:
    run = done(desk)
    hit = {"attack": "background", "after": 3, "of": 60, "attribute": "ill", "knows": "age", "verdict": ""}
    both = [{**hit, "standing": standing} for standing in ("within", "no threshold")]
    found = verdict(run.draft, run.summary or {}, {**(run.measured or {}), "hits": both}, more=False)
    assert "background (3 rows)" in said(found, "note")
    assert "background" not in said(found, "good")


def test_the_figures_of_a_release_are_the_same_wherever_they_are_told(desk: Desk) -> None:
    run = done(desk)
    measured = run.measured or {}
    lost = {one["column"]: one["loss"] for one in measured["utility"]["columns"]}
    assert dict(result.look(desk, {}).losses) == lost
    words = Tab(desk, result.STEP).words
    assert f"at least {measured['after']['uniques']['smallest']} rows" in words


def release() -> Any:
    return shoal.anonymize(PEOPLE, quasi=["age"], sensitive=["ill", "smokes"], require="k=5", method="mondrian")


def test_evidence_grows_from_risk_to_all_there_is() -> None:
    made = release()
    first, *rest = Evidence.growing(made, PEOPLE)
    assert (first.hits, first.utility, first.after.uniques.rows) == ((), None, 0)
    assert [len(one.pending) for one in (first, *rest)] == list(range(len(rest), -1, -1))
    whole = Evidence.of(made, PEOPLE)
    assert (whole.hits, whole.notes, whole.pending) == (rest[-1].hits, rest[-1].notes, ())
    assert first.pending.index("utility") == 4, "after the quick attacks"


def test_measuring_that_is_stopped_or_takes_too_long_keeps_what_is_known(tmp_path: Path) -> None:
    made, told, held = release(), [], threading.Event()

    def growing() -> Iterator[Evidence]:
        for place, one in enumerate(Evidence.growing(made, PEOPLE)):
            if place == 3:
                (tmp_path / "stop-measuring").touch()
                held.wait(30)
            yield one

    measure_parts(tmp_path, growing, lambda share, doing: told.append((share, doing)))
    found = get_json(tmp_path / "measured.json")
    assert (found["done"], len({one["attack"] for one in found["hits"]}), found["utility"]) == (True, 2, None)
    assert "not measured, as it was stopped or time ran out: attack skewness" in found["notes"][-1]
    assert (tmp_path / "report" / "public.html").is_file()
    assert [doing for _, doing in told][:2] == ["measuring: attack linkage", "measuring: attack homogeneity"]
    measure_parts(tmp_path, growing, lambda *_: None, budget=0.0)
    assert get_json(tmp_path / "measured.json")["after"]["uniques"]["rows"] == 0, "the risk is always waited for"
    held.set()
