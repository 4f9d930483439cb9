"""Progress that knows cost and bound: true of the whole table, and the same after a journey between processes."""

import pickle
from itertools import pairwise

import pytest

import shoal
from shoal.methods.base import Deadline, Progress, ProgressMessage
from shoal.methods.general.mondrian import Mondrian
from shoal.problem import Problem, Solution
from shoal.request import Request
from shoal.steps.preparation import prepare
from shoal.tables.table import Table

PEOPLE = {"age": [1, 1, 2, 3, 4, 4, 5, 6, 7, 8, 8, 9, 9, 10], "ill": [*"aaaaaaaaab", *"cdef"]}


def told(**asked: object) -> tuple[list[ProgressMessage], shoal.Release]:
    seen: list[str] = []
    release = shoal.anonymize(
        PEOPLE,
        quasi=["age"],
        sensitive=["ill"],
        progress=lambda _, doing: seen.append(doing),
        **asked,  # type: ignore[arg-type]
    )
    return [doing for doing in seen if isinstance(doing, ProgressMessage)], release


def test_auto_tells_the_best_after_each_method() -> None:
    found, release = told(require="k=3", recoding="suppress")
    done = [one for one in found if str(one).endswith(" is done")]
    assert [str(one) for one in done] == [f"{name} is done" for name in ("mondrian", "m-approx", "peel", "cube")]
    assert found[-1].cost == release.certificate.cost
    assert found[-1].bound == release.certificate.lower_bound
    assert all(before.cost >= after.cost for before, after in pairwise(done))


def test_the_share_of_auto_never_falls() -> None:
    seen: list[float] = []
    shoal.anonymize(
        PEOPLE, quasi=["age"], leave_out="rest", require="k=3", progress=lambda share, _: seen.append(share)
    )
    assert seen == sorted(seen)
    assert 0 < seen[len(seen) // 2] < 1


class Telling(Mondrian):
    """Mondrian, which tells a cost and a bound first."""

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        progress(0.5, ProgressMessage("telling", 1.0, 1.0))
        return super().solve(problem, seed=seed, deadline=deadline, progress=progress)


@pytest.mark.parametrize(("require", "numbers"), [("k=3", True), ("k=2 l(ill)=2", False)])
def test_what_is_told_of_some_rows_has_no_numbers(require: str, numbers: bool) -> None:
    asked = prepare(Table.of(PEOPLE), Request(["age"], require, ["ill"], max_dropped="0.5"))
    seen: list[str] = []
    found = Telling().run(asked.problem, progress=lambda _, doing: seen.append(doing))
    assert (found.partition.dropped == 0) is numbers
    assert isinstance(next(one for one in seen if one == "telling"), ProgressMessage) is numbers


def test_it_travels() -> None:
    found = pickle.loads(pickle.dumps(ProgressMessage("windows", 3.5, None)))
    assert (found, found.cost, found.bound, type(found)) == ("windows", 3.5, None, ProgressMessage)
