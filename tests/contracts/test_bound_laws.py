"""The law of every lower bound that discovery finds: no release is cheaper."""

import pytest
from hypothesis import given, settings
from tests.strategies import Case, cases
from tests.thorough import examples

import shoal.bounds
from shoal.bounds.base import Bound, best_bound
from shoal.core.discovery import discover

BOUNDS = discover(shoal.bounds, Bound)
COUNTED = ["stars", "starred-rows"]
every_bound = pytest.mark.parametrize("bound", [kind() for kind in BOUNDS.values()], ids=BOUNDS)


def check(bound: Bound, case: Case) -> None:
    if not bound.accepts(case.problem):
        assert bound.of(case.problem) <= case.oracle.optimum(case.problem.cost.name) + 1e-9


@every_bound
@settings(max_examples=examples(30))
@given(case=cases(5, costs=None))
def test_no_release_is_cheaper_than_a_bound(bound: Bound, case: Case) -> None:
    check(bound, case)


@every_bound
@settings(max_examples=examples(30))
@given(case=cases(6, ["suppress"], costs=COUNTED))
def test_no_suppressed_release_is_cheaper_than_a_bound(bound: Bound, case: Case) -> None:
    check(bound, case)


@pytest.mark.slow
@every_bound
@settings(max_examples=examples(150))
@given(case=cases(7, ["suppress"], costs=COUNTED))
def test_no_suppressed_release_of_many_is_cheaper_than_a_bound(bound: Bound, case: Case) -> None:
    check(bound, case)


@settings(max_examples=examples(30))
@given(case=cases(5))
def test_the_best_bound_is_the_largest_that_applies(case: Case) -> None:
    known = [bound for kind in BOUNDS.values() if not (bound := kind()).accepts(case.problem)]
    applying = [bound.of(case.problem) for bound in known if bound.in_passing(case.problem)]
    assert best_bound(case.problem)[0] == max(applying, default=None)
