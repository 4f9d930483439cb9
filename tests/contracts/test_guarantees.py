"""Every method's guarantee against the exact optimum of small random tables; the worst ratio seen is printed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice
from math import inf

import numpy as np
import pytest
from tests.contracts.test_method_laws import Run as Tried
from tests.contracts.test_method_laws import is_kept
from tests.oracle import Value
from tests.strategies import ONE_TABLE, QUASI, SENSITIVE, Case, case_of
from tests.thorough import examples, many

from shoal.core.errors import Infeasible
from shoal.methods.auto import methods
from shoal.methods.base import Deadline
from shoal.methods.general.subset_dp import SubsetDP
from shoal.studies.reference import method_rows

PROMISING = sorted(name for name, method in methods().items() if method.guarantee is not None)
ASKED = ["k=2", "k=3", "k=4", "l(illness)=2", "l(illness)=3", "t(illness:equal)=1/2"]
FORMS: list[dict[str, str]] = [
    {"recoding": "suppress"},
    {"recoding": "suppress", "cost": "starred-rows"},
    {"recoding": "generalize", "cost": "height"},
    {"recoding": "generalize"},
    {"recoding": "full-domain"},
    {"recoding": "anatomy"},
]


def random_tables(seed: int, recoding: str | None = None) -> Iterator[Case]:
    """Tables of up to nine rows over two or three columns of two to four values, each with every request and form.

    A method that is for one recoding gets that one only.
    """
    forms = [form for form in FORMS if recoding in (None, form["recoding"])]
    rng = np.random.default_rng(seed)
    while True:
        rows, wide, values = int(rng.integers(4, 10)), int(rng.integers(2, 5)), int(rng.integers(2, 5))
        chosen = {**dict(list(QUASI.items())[:wide]), "illness": SENSITIVE["illness"]}
        columns: dict[str, list[Value]] = {
            name: [kind.pool[code] for code in rng.integers(0, min(values, len(kind.pool)), rows)]
            for name, kind in chosen.items()
        }
        asked, form = str(rng.choice(ASKED)), forms[int(rng.integers(len(forms)))]
        if form["recoding"] in ONE_TABLE or not asked.startswith("k="):
            yield case_of(columns, asked, **form)


def least_cost(case: Case) -> float:
    """The exact optimum; infinite where there is no release. Of one level for a column, the oracle tries all levels."""
    if case.recoding == "full-domain":
        return case.oracle.optimum(case.problem.cost.name)
    try:
        best = SubsetDP().run(case.problem)
    except Infeasible:
        return inf
    assert best.status == "optimal"
    return best.cost


def worst_ratio(method: str, number: int, seed: int) -> tuple[float, int]:
    """Solve so many tables that the method takes; return the largest of cost / optimum, and how many were solved."""
    worst, solved, tried = 1.0, 0, 0
    for case in random_tables(seed, methods()[method].recoding):
        tried += 1
        if solved == number or tried > 400 * number:
            return worst, solved
        if methods()[method]().accepts(case.problem):
            continue
        best = least_cost(case)
        if best == inf:
            continue
        run = Tried.of(case, method)
        assert run.solved.cost >= best - 1e-9
        assert run.solved.guarantee is None or is_kept(run.solved.guarantee, run, best)
        solved += 1
        worst = max(worst, run.solved.cost / best if best else 1.0)
    raise AssertionError


@pytest.mark.parametrize("method", PROMISING)
def test_the_guarantee_holds(method: str) -> None:
    _, solved = worst_ratio(method, many(6), seed=1)
    assert solved >= 5


@pytest.mark.slow
@pytest.mark.parametrize("method", PROMISING)
def test_the_guarantee_holds_on_many_tables(method: str, record_property: Callable[[str, object], None]) -> None:
    worst, solved = worst_ratio(method, many(100), seed=2)
    promised = methods()[method].guarantee
    record_property("seen", f"{method}: at most {worst:.3f} times the optimum of {solved:,} tables ({promised})")
    assert solved >= many(100) // 6


# --- the condition of a guarantee ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Steps(Deadline):
    """A deadline that passes when it has been looked at so many times, whatever the clock says."""

    most: int = 0
    looks: list[bool] = field(default_factory=list)
    """Whether it had passed, look by look."""

    @property
    def passed(self) -> bool:
        self.looks.append(len(self.looks) >= self.most)
        return self.looks[-1]

    @property
    def left(self) -> float | None:
        return 0.0 if self.passed else None


def larger(rows: int, seed: int, asked: str, **form: object) -> Case:
    """A table that is large enough for every method to have something to do before it knows the best release."""
    rng = np.random.default_rng(seed)
    kinds = {name: QUASI[name] for name in ("number", "text", "category")} | {"illness": SENSITIVE["illness"]}
    columns: dict[str, list[Value]] = {
        name: [kind.pool[code] for code in rng.integers(0, len(kind.pool), rows)] for name, kind in kinds.items()
    }
    return case_of(columns, asked, **form)


STARS, LEVELS = {"recoding": "suppress"}, {"recoding": "full-domain"}
CUT_SHORT = {
    "factor-1-2": larger(23, 1, "k=2", **STARS),
    "factor-2": larger(23, 1, "k=3", **STARS),
    "forest": larger(23, 1, "k=3", **STARS),
    "full-domain": larger(23, 1, "k=2", **LEVELS),
    "incognito": larger(23, 1, "k=2", **LEVELS),
    "optimal": larger(23, 1, "k=3", **STARS),
    "set-cover": larger(23, 1, "k=3", **STARS),
    "simplex-matching": larger(23, 1, "k=2", **STARS),
    "subset-dp": replace(larger(8, 1, "k=3", **STARS), max_dropped=Fraction(1, 4)),
    "t-incognito": larger(23, 1, "t(illness:equal)=1/3", **LEVELS),
    "two-diversity": larger(23, 3, "l(illness)=2", **STARS),
}
"""For each method that a deadline can end, a table of which nothing is proved when it has passed from the start.

Those by three phases are ended in the third alone; `tests/methods/l_diversity/test_tp.py` has such tables. Small tables
are matched at once by `bipartite`; `tests/methods/test_size_guards.py` ends it."""
BY_PHASES = ["fewest-rows", "tp", "tp-plus", "tp-plus-refined"]
BY_SIZE = ["bipartite"]


@pytest.mark.parametrize("method", CUT_SHORT)
def test_a_method_that_ended_early_does_not_claim_its_guarantee(method: str) -> None:
    case = CUT_SHORT[method]
    whole, cut = Tried.of(case, method).solved, Tried.of(case, method, deadline=Deadline.after(0)).solved
    assert (whole.status != "feasible", whole.guarantee) == (True, methods()[method]().promise(case.problem))
    assert (cut.status, cut.guarantee) == ("feasible", None)
    assert whole.status != "optimal" or whole.cost <= cut.cost


@pytest.mark.parametrize("method", PROMISING)
def test_what_is_claimed_holds_whenever_time_is_over(method: str) -> None:
    for case in islice(random_tables(3, methods()[method].recoding), examples(24)):
        for dropped in (Fraction(0), Fraction(1, 4)):
            check_claims(replace(case, max_dropped=dropped), method)


def check_claims(case: Case, method: str) -> None:
    """Guarantees that a run claims no more than is true of the optimum, whichever look at the clock ended it."""
    if methods()[method]().accepts(case.problem) or (best := least_cost(case)) == inf:
        return
    for most in (0, 1, 2, 3, 5, 8):
        run = Tried.of(case, method, deadline=Steps(most=most))
        assert run.solved.guarantee is None or is_kept(run.solved.guarantee, run, best)
        assert run.solved.status != "optimal" or run.solved.cost == pytest.approx(best)


@pytest.mark.parametrize("method", PROMISING)
def test_a_method_that_time_can_end_says_so_beside_its_guarantee(method: str) -> None:
    some = islice(random_tables(3, methods()[method].recoding), 60)
    cases, clock = [CUT_SHORT[method]] if method in CUT_SHORT else list(some), Steps(most=10**9)
    for case in cases:
        if not methods()[method]().accepts(case.problem):
            Tried.of(case, method, deadline=clock)
    assert bool(clock.looks) <= ("in time" in methods()[method].condition)
    assert (method in {*CUT_SHORT, *BY_PHASES, *BY_SIZE}) == ("in time" in methods()[method].condition)


def test_lists_of_methods_state_the_condition() -> None:
    shown = {row["name"]: row["guarantee"] for row in method_rows()}
    for name, method in methods().items():
        assert shown[name] == (method.guarantee and ", ".join(filter(None, (method.guarantee, method.condition))))
    assert "solved to the end in time" in shown["optimal"]
