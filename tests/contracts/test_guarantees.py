"""Every method's guarantee against the exact optimum of small random tables; the worst ratio seen is printed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf

import numpy as np
import pytest
from tests.contracts.test_method_laws import Run as Tried
from tests.contracts.test_method_laws import is_kept
from tests.oracle import Value
from tests.strategies import ONE_TABLE, QUASI, SENSITIVE, Case, case_of

from shoal.errors import Infeasible
from shoal.methods.auto import methods
from shoal.methods.subset_dp import SubsetDP

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
        if solved == number or tried > 100 * number:
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
    _, solved = worst_ratio(method, 12, seed=1)
    assert solved >= 5


@pytest.mark.slow
@pytest.mark.parametrize("method", PROMISING)
def test_the_guarantee_holds_on_thousands_of_tables(
    method: str, record_property: Callable[[str, object], None]
) -> None:
    worst, solved = worst_ratio(method, 3000, seed=2)
    promised = methods()[method].guarantee
    record_property("seen", f"{method}: at most {worst:.3f} times the optimum of {solved:,} tables ({promised})")
    assert solved >= 500
