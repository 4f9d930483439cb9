"""Rows of a release beside the original's: what each cell lost, how large each crowd is, who is looked up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.web.tab import Tab

from shoal.core.errors import ShoalError
from shoal.web import result
from shoal.web.desk import Desk, Run, worker
from shoal.web.desk.jobs import Job
from shoal.web.desk.side_by_side import Sought, distributed, distribution, side_by_side

ROWS = [(20 + i % 10, ("Oslo", "Rome", "Bonn")[i % 3], ("flu", "gout")[i % 2]) for i in range(60)]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    lines = ["age,town,ill", *(",".join(map(str, row)) for row in ROWS)]
    (tmp_path / "people.csv").write_text("\n".join(lines))
    one = Desk(tmp_path / "desk", root=tmp_path)
    one.open("people.csv")
    one.change(roles={"age": "quasi", "town": "quasi", "ill": "sensitive"}, require=["k=4"], method="mondrian")
    yield one
    one.close()


@pytest.fixture
def run(desk: Desk) -> Run:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Job, "start", lambda job: None)
        patch.setattr("shoal.web.desk.job_handlers.measure", lambda *_: None)
        made = desk.start()
        worker.main(made.job.folder)
    return made


def test_every_row_stands_beside_its_own_with_its_crowd_and_what_its_cells_lost(run: Run) -> None:
    found = side_by_side(run, Sought(original=True, rows=100))
    assert (found.columns, found.matching, len(found.rows)) == (("age", "town", "ill"), 60, 60)
    assert Counter(row.before for row in found.rows) == Counter(tuple(map(str, row)) for row in ROWS)
    alike = Counter(row.after[:2] for row in found.rows)
    assert [row.crowd for row in found.rows] == [alike[row.after[:2]] for row in found.rows]
    for row in found.rows:
        assert row.before is not None
        cells = list(zip(row.before, row.after, row.lost, strict=True))
        assert all((lost == 0) == (was == now) for was, now, lost in cells)
        assert all(lost == 1 for _, now, lost in cells if now == "*")


def test_rows_are_ordered_and_looked_for_and_a_person_is_looked_up(run: Run) -> None:
    assert all(row.before is None for row in side_by_side(run, Sought()).rows)
    crowds = [row.crowd for row in side_by_side(run, Sought(order="crowd", rows=60)).rows]
    assert crowds == sorted(crowds)
    lost = [sum(row.lost) for row in side_by_side(run, Sought(order="lost", rows=60)).rows]
    assert lost == sorted(lost, reverse=True)
    flu = side_by_side(run, Sought(text="FLU", rows=60))
    assert (flu.matching, {row.after[2] for row in flu.rows}) == (30, {"flu"})
    found = side_by_side(run, Sought(person="age=23, town=Oslo"))
    assert {row.before[:2] for row in found.rows if row.before} == {("23", "Oslo")}
    assert found.matching == sum(row[:2] == (23, "Oslo") for row in ROWS)
    for wrong in ("agee=3", "Oslo"):
        with pytest.raises(ShoalError, match="names no column"):
            side_by_side(run, Sought(person=wrong))


def test_distributions_are_compared_and_add_up(run: Run) -> None:
    assert distributed(run) == ("age", "town")
    for column in distributed(run):
        found = distribution(run, column)
        assert sum(before for _, before, _ in found.bars) == pytest.approx(1)
        assert sum(after for *_, after in found.bars) == pytest.approx(1)
    assert [label for label, *_ in distribution(run, "town").bars] == ["Bonn", "Oslo", "Rome"]


def test_cells_of_the_original_are_shown_only_if_they_are_asked_for(desk: Desk, run: Run) -> None:
    tab = Tab(desk, result.STEP)
    assert 'class="was"' not in tab.words
    tab.tell("original")
    assert 'class="was"' in tab.words
    tab.tell("distribution", "town")
    assert "Oslo" in tab.words
    (desk.root or Path()).joinpath("people.csv").unlink()
    tab.tell("original")
    assert "Rows before and after" in {one._props.get("aria-label") for one in tab.box.descendants()}
