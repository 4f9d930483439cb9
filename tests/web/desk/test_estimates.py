"""Presets ask of a table what it can give, and say what they would cost before they are run."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.web.desk import Desk, queries
from shoal.web.desk.estimates import estimates

ROWS = 60


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A desk with a table: two that may be known, and secrets of many values, of two, and of one and missing ones."""
    lines = [f"{20 + n % 30},{n % 2},{'abcde'[n % 5]},{'yn'[n % 3 == 0]},{'x' if n % 2 else ''}" for n in range(ROWS)]
    (tmp_path / "people.csv").write_text("age,sex,illness,smokes,note\n" + "\n".join(lines) + "\n")
    made = Desk(tmp_path / "desk", root=tmp_path)
    made.open("people.csv")
    made.change(roles=dict(zip(made.draft.roles, ["quasi"] * 2 + ["sensitive"] * 3, strict=True)))
    return made


def test_a_preset_asks_every_secret_for_what_it_can_give(desk: Desk) -> None:
    found = {one.name: one for one in queries.fits(desk.draft)}
    assert found["hospital"].require == ("k=5", "distinct-l(illness)=3", "distinct-l(smokes)=2")
    assert found["t-closeness"].require == ("k=5", "t(illness)=0.2", "t(smokes)=0.2")
    assert not any(one.problem for one in found.values())


def test_a_preset_that_does_not_fit_says_why(desk: Desk) -> None:
    desk.change(roles={**desk.draft.roles, "illness": "leave_out", "smokes": "leave_out"})
    found = {one.name: one.problem for one in queries.fits(desk.draft)}
    assert found["hospital"] == "'note' has fewer than 2 different values"
    assert not found["survey-5"]


def test_the_stricter_a_preset_the_more_it_costs(desk: Desk) -> None:
    found = estimates(desk.draft)
    losses = [found[name]["loss"] for name in ("survey-3", "survey-5", "risk-0.09")]
    assert losses == sorted(losses)
    assert 0 <= losses[0] < losses[-1] <= 1
    assert found["hospital"]["loss"] >= found["survey-5"]["loss"]


def test_a_release_of_one_crowd_loses_everything(desk: Desk) -> None:
    assert desk.root is not None
    (desk.root / "rare.csv").write_text("age,illness\n" + "\n".join(f"{n},{'a' if n else 'b'}" for n in range(ROWS)))
    desk.open("rare.csv")
    desk.change(roles={"age": "quasi", "illness": "sensitive"})
    assert estimates(desk.draft)["hospital"]["loss"] == 1.0
