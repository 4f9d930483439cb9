"""Simplex matching: worked examples, the optimum on small tables, a second opinion, prices that prove it."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from tests.contracts.test_worked_examples import A, B
from tests.strategies import QUASI, SENSITIVE, Case, case_of
from tests.thorough import many

import shoal
from shoal.checking.proof import price_bound
from shoal.core.arrays import Ints
from shoal.core.errors import Infeasible, Unsupported
from shoal.methods.base import Deadline
from shoal.methods.general.subset_dp import SubsetDP
from shoal.methods.k_anonymity import simplex_matching
from shoal.methods.k_anonymity.simplex import Points, match
from shoal.methods.k_anonymity.simplex import matching as matching_module
from shoal.methods.k_anonymity.simplex.matching import SCALE, costs, first_matching, price_rows, within
from shoal.methods.k_anonymity.simplex.moves import Rows, Sets, better_matching
from shoal.methods.k_anonymity.simplex_matching import SimplexMatching
from shoal.methods.l_diversity import two_diversity
from shoal.methods.l_diversity.bipartite import Bipartite
from shoal.methods.l_diversity.two_diversity import TwoDiversity

Seen = Callable[[str, object], None]
TWO = [("number", QUASI["number"]), ("text", QUASI["text"])]
ILLNESS = ("illness", SENSITIVE["illness"].pool)


def random_case(rng: np.random.Generator, rows: int, require: str, **more: object) -> Case:
    """A table of one number, up to two texts and an illness, with repeated rows."""
    columns = {
        name: [pool[code] for code in rng.integers(0, len(pool), rows)]
        for name, pool in ((TWO[0][0], TWO[0][1].pool), (TWO[1][0], TWO[1][1].pool), ILLNESS)
    }
    return case_of(columns, require, **more)


def bits(rng: np.random.Generator, rows: int, columns: int, values: int = 2) -> dict[str, list[int]]:
    return {f"bit {place}": rng.integers(0, values, rows).tolist() for place in range(columns)}


def people(rng: np.random.Generator, rows: int, columns: int, values: int) -> dict[str, list[int]]:
    return bits(rng, rows, columns, values) | {"illness": rng.integers(0, 5, rows).tolist()}


# --- worked examples -------------------------------------------------------------------------------------------------


def test_table_a() -> None:
    anonymous, diverse = SimplexMatching().run(A.problem("k=2")), TwoDiversity().run(A.problem("l(disease)=2"))
    assert (anonymous.cost, anonymous.status, anonymous.lower_bound) == (46, "optimal", 46)
    assert (diverse.cost, diverse.status, diverse.lower_bound) == (50, "optimal", 50)


def test_table_b() -> None:
    found = TwoDiversity().run(B.problem("l(disease)=2"))
    assert (found.cost, found.status) == (6, "optimal")


# --- pairs and triples -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", range(2, 12))
def test_the_first_matching_is_one(rows: int) -> None:
    rng = np.random.default_rng(rows)
    for _ in range(40):
        values = rng.integers(0, 4, rows)
        if 2 * np.bincount(values).max() > rows:
            continue
        table = bits(rng, rows, 2) | {"illness": values.tolist()}
        points = Points.of(problem_of(table, "l(illness)=2"), sensitive="illness")
        sets, copies = first_matching(points, np.zeros(len(points), dtype=np.int64))
        assert points.kinds is not None
        members = [[t for t in group if t >= 0] for group in sets.tolist()]
        assert all(len({int(points.kinds[t]) for t in group}) == len(group) for group in members)
        covered = np.zeros(len(points), dtype=np.int64)
        for group, times in zip(members, copies.tolist(), strict=True):
            np.add.at(covered, group, times)
        assert covered.tolist() == points.counts.tolist()


def problem_of(table: dict[str, list[int]], require: str):  # type: ignore[no-untyped-def]
    from shoal.request import Request
    from shoal.steps.preparation import prepare
    from shoal.tables.table import Table

    quasi = [name for name in table if name != "illness"]
    sensitive = ["illness"] if "illness" in table else []
    return prepare(Table.of(table), Request(quasi, require, sensitive=sensitive, recoding="suppress")).problem


@pytest.mark.parametrize("diverse", [False, True])
def test_no_pair_or_triple_undercuts_the_prices_and_all_of_small_reserve_are_found(diverse: bool) -> None:
    rng = np.random.default_rng(3)
    for _ in range(30):
        table = people(rng, int(rng.integers(4, 13)), 3, 3)
        if 2 * np.bincount(table["illness"]).max() > len(table["illness"]):
            continue
        points = Points.of(problem_of(table, "l(illness)=2"), sensitive="illness" if diverse else None)
        start, _ = first_matching(points, np.zeros(len(points), dtype=np.int64))
        prices = price_rows(points, start, Deadline())
        rows = np.repeat(np.arange(len(points)), points.counts)
        every = {tuple(sorted(rows[list(g)].tolist())) for size in (2, 3) for g in combinations(range(len(rows)), size)}
        kinds = points.kinds
        if diverse and kinds is not None:
            every = {group for group in every if len({int(kinds[t]) for t in group}) == len(group)}
        sets = np.array(sorted((-1,) * (3 - len(group)) + group for group in every))
        reserve = SCALE * costs(points, sets) - np.where(sets >= 0, prices[sets], 0).sum(axis=1)
        assert reserve.min() >= 0
        found = within(points, prices, 2 * SCALE)
        assert found is not None
        assert {tuple(group) for group in found.tolist()} == {tuple(g) for g in sets[reserve <= 2 * SCALE].tolist()}


# --- the optimum -----------------------------------------------------------------------------------------------------

ASKED = [("k=2", SimplexMatching), ("l(illness)=2", TwoDiversity)]
FORMS = [("suppress", None), ("generalize", None), ("generalize", "height"), ("suppress", "height")]


@pytest.mark.parametrize(("recoding", "cost"), FORMS)
@pytest.mark.parametrize(("require", "method"), ASKED)
def test_it_is_the_optimum_and_the_checker_confirms_the_bound(
    require: str, method: type[SimplexMatching], recoding: str, cost: str | None
) -> None:
    rng = np.random.default_rng(1)
    for _ in range(12):
        drop = [Fraction(0), Fraction(1, 3)][int(rng.integers(2))]
        case = random_case(rng, int(rng.integers(3, 10)), require, recoding=recoding, cost=cost, max_dropped=drop)
        compare_with_every_partition(case, method())


def compare_with_every_partition(case: Case, method: SimplexMatching) -> float:
    """Solve a case both ways; return how far the prices' bound is from the optimum."""
    try:
        found = method.run(case.problem)
    except Infeasible:
        with pytest.raises(Infeasible):
            SubsetDP().run(case.problem)
        return 1.0
    best = SubsetDP().run(case.problem)
    assert found.status == "optimal"
    assert found.cost == pytest.approx(best.cost, abs=1e-9)
    if found.prices is not None:
        assert checked(case, found.prices.of_row, found.prices.denominator) >= Fraction(found.prices.bound)
    return 1.0 if found.prices is None or best.cost == 0 else found.prices.bound / best.cost


def checked(case: Case, prices: Ints, denominator: int) -> Fraction:
    problem = case.problem
    return price_bound(
        case.frame,
        quasi=case.quasi,
        models=problem.required,
        hierarchies=problem.microdata.builders,
        recoding=case.recoding,
        cost=problem.cost.name,
        weights=problem.cost.weights,
        prices=prices,
        denominator=denominator,
        may_drop=problem.may_drop,
    )


@pytest.mark.slow
@pytest.mark.parametrize(("recoding", "cost"), FORMS)
@pytest.mark.parametrize(("require", "method"), ASKED)
def test_it_is_the_optimum_of_many_tables(
    require: str, method: type[SimplexMatching], recoding: str, cost: str | None, record_property: Seen
) -> None:
    rng = np.random.default_rng(7)
    worst = 1.0
    for _ in range(many(100)):
        case = random_case(rng, int(rng.integers(3, 11)), require, recoding=recoding, cost=cost)
        worst = min(worst, compare_with_every_partition(case, method()))
    form = f"{method.name}, {recoding}, {cost or 'default'}"
    record_property("seen", f"{form}: optimal {many(100):,} times, {worst:.3f} of it by prices at worst")


# --- moves -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("diverse", [False, True])
def test_moves_among_all_sets_end_at_the_optimum(diverse: bool) -> None:
    rng = np.random.default_rng(11)
    for _ in range(2):
        moved_to_the_end(rng, int(rng.integers(5, 8)), diverse)


@pytest.mark.slow
@pytest.mark.parametrize("diverse", [False, True])
def test_moves_among_all_sets_end_at_the_optimum_many_times(diverse: bool) -> None:
    rng = np.random.default_rng(12)
    for _ in range(many(20)):
        moved_to_the_end(rng, int(rng.integers(6, 10)), diverse)


def moved_to_the_end(rng: np.random.Generator, rows: int, diverse: bool) -> None:
    """Start the moves at a poor matching, without prices: they end at the cost that the method proves."""
    values = rng.permutation(np.arange(rows) % 3)
    table = bits(rng, rows, 5, 3) | {"illness": values.tolist()}
    codes = np.array([table[name] for name in table if name != "illness"])
    allowed = [
        group
        for size in (2, 3)
        for group in combinations(range(rows), size)
        if not diverse or len({int(values[row]) for row in group}) == size
    ]
    paid = {
        group: int(len(group) * (codes[:, list(group)] != codes[:, [group[0]]]).any(axis=1).sum()) for group in allowed
    }
    sets = Sets(np.arange(rows), paid)
    matching = [tuple(sorted(group)) for group in _some_matching(values.tolist())]
    while (better := better_matching(matching, sets, sum(paid[g] for g in matching), Deadline())) is not None:
        matching = better
    method = TwoDiversity() if diverse else SimplexMatching()
    found = method.run(problem_of(table, "l(illness)=2" if diverse else "k=2"))
    assert (sum(paid[group] for group in matching), "optimal") == (found.cost, found.status)


def _some_matching(values: list[int]) -> list[Rows]:
    order = sorted(range(len(values)), key=lambda row: values[row])
    half = len(order) // 2
    pairs: list[Rows] = [(order[i], order[i + half]) for i in range(half)]
    if len(order) % 2:
        pairs[0] = (*pairs[0], order[-1])
    return pairs


def by_each(rng: np.random.Generator, tables: int, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Compare moves, wherever they can be tried, with every partition; return what found the matchings."""
    monkeypatch.setattr(matching_module, "MOST_OPERATIONS", 40)
    ways: set[str] = set()
    for _ in range(tables):
        require, method = ASKED[int(rng.integers(2))]
        recoding, cost = FORMS[int(rng.integers(len(FORMS)))]
        case = random_case(rng, int(rng.integers(3, 10)), require, recoding=recoding, cost=cost)
        compare_with_every_partition(case, method())
        try:
            method().run(case.problem)
        except Infeasible:
            continue
        ways.add(match(method().points(case.problem), Deadline()).found_by)
    return ways


def test_moves_find_the_optimum_of_small_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "moves" in by_each(np.random.default_rng(8), 12, monkeypatch)


@pytest.mark.slow
def test_moves_find_the_optimum_of_thousands_of_small_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    assert by_each(np.random.default_rng(9), many(2_000), monkeypatch) >= {"pairs", "moves"}


def test_a_release_says_what_found_it(monkeypatch: pytest.MonkeyPatch) -> None:
    rng, said = np.random.default_rng(2), set()
    for most in (40, -1):
        monkeypatch.setattr(matching_module, "MOST_OPERATIONS", most)
        for _ in range(12):
            found = SimplexMatching().run(random_case(rng, int(rng.integers(5, 10)), "k=2").problem)
            assert found.status == "optimal"
            said.add(found.notes[0].split(": ")[1])
    assert said == {text.split(": ")[1] for text in simplex_matching.PROVED.values()}


# --- large tables ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("require", ["k=2", "l(illness)=2"])
def test_six_hundred_random_rows_are_proved_optimal(require: str) -> None:
    table = people(np.random.default_rng(5), 600, 6, 5)
    quasi = [name for name in table if name != "illness"]
    method = "simplex-matching" if require == "k=2" else "two-diversity"
    release = shoal.anonymize(table, quasi=quasi, sensitive=["illness"], require=require, method=method)
    assert release.certificate.status == "optimal"
    assert release.certificate.lower_bound == release.certificate.cost


def test_without_time_it_still_matches() -> None:
    problem = problem_of(people(np.random.default_rng(5), 200, 6, 5), "l(illness)=2")
    found = TwoDiversity().run(problem, deadline=Deadline.after(0))
    assert found.status == "feasible"
    assert found.lower_bound is not None
    assert found.lower_bound <= found.cost
    assert problem.models.admits(problem.classes(found.partition)).all()


def test_large_tables_are_matched_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = problem_of(bits(np.random.default_rng(6), 400, 8, 4), "k=2")
    whole = SimplexMatching().run(problem)
    monkeypatch.setattr(simplex_matching, "MOST_TYPES", 350)
    monkeypatch.setattr(simplex_matching, "BLOCK", 100)
    found = SimplexMatching().run(problem)
    assert (whole.status, found.status) == ("optimal", "feasible")
    assert whole.cost <= found.cost <= 1.5 * whole.cost
    assert found.notes == ("4 blocks of at most 100 rows, 4 of them matched at the least cost",)


def test_the_matching_of_a_sample_is_not_dearer_than_that_of_its_parts() -> None:
    table = bits(np.random.default_rng(2), 60, 6, 3)
    whole = match(Points.of(problem_of(table, "k=2")), Deadline())
    half = {name: values[:30] for name, values in table.items()}
    rest = {name: values[30:] for name, values in table.items()}
    parts = [match(Points.of(problem_of(part, "k=2")), Deadline()) for part in (half, rest)]
    assert whole.optimal
    assert whole.cost <= sum(part.cost for part in parts)


# --- two values ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("recoding", ["suppress", "generalize"])
def test_with_two_values_pairs_are_enough(recoding: str) -> None:
    rng = np.random.default_rng(17)
    for _ in range(20):
        half = int(rng.integers(1, 5))
        columns = {name: [kind.pool[code] for code in rng.integers(0, len(kind.pool), 2 * half)] for name, kind in TWO}
        case = case_of({**columns, "illness": ILLNESS[1][:2] * half}, "l(illness)=2", recoding=recoding)
        found, best = Bipartite().run(case.problem), SubsetDP().run(case.problem)
        assert found.status == "optimal"
        assert found.cost == pytest.approx(best.cost)


def test_three_hundred_rows_of_two_values_agree_with_simplex_matching() -> None:
    rng = np.random.default_rng(4)
    table = bits(rng, 300, 6, 4) | {"illness": [0, 1] * 150}
    problem = problem_of(table, "k=2 l(illness)=2")
    found, other = Bipartite().run(problem), TwoDiversity().run(problem)
    assert (found.status, other.status) == ("optimal", "optimal")
    assert found.cost == other.cost


def test_more_values_are_refused_in_words() -> None:
    table = bits(np.random.default_rng(4), 9, 2) | {"illness": [0, 1, 2] * 3}
    assert Bipartite().accepts(problem_of(table, "l(illness)=2")) == ["there are 3 sensitive values, not two"]


# --- how large a table is taken --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("tuples", "values"), [(400, 27), (3, 2)])
def test_two_diversity_counts_rows_and_not_tuples(tuples: int, values: int) -> None:
    """Rows of one tuple and value are no pair: each is a vertex of the graph that is matched."""
    rng = np.random.default_rng(1)
    rows = two_diversity.MOST_ROWS + 2
    columns = {"town": rng.integers(0, tuples, rows).tolist(), "illness": rng.permutation(rows) % values}
    problem = problem_of({name: list(map(int, column)) for name, column in columns.items()}, "l(illness)=2")
    assert len(problem.microdata.counts) <= tuples
    assert TwoDiversity().accepts(problem) == [f"{rows:,} rows are more than {two_diversity.MOST_ROWS:,}"]
    with pytest.raises(Unsupported, match="rows are more than"):
        TwoDiversity().run(problem)


def test_bipartite_lays_out_one_half_by_the_other_only(monkeypatch: pytest.MonkeyPatch) -> None:
    laid: list[tuple[int, int]] = []
    between = Points.between

    def seen(points: Points, some: Ints, others: Ints) -> Ints:
        laid.append((len(some), len(others)))
        return between(points, some, others)

    monkeypatch.setattr(Points, "between", seen)
    columns = {"age": list(range(20)), "illness": [0, 1] * 10}
    assert Bipartite().run(problem_of(columns, "l(illness)=2")).status == "optimal"
    assert laid == [(10, 10)]


def test_a_passed_deadline_ends_the_gathering_of_pairs_and_triples() -> None:
    points = Points.of(problem_of({"age": list(range(20))}, "k=2"))
    prices = np.zeros(20, dtype=np.int64)
    assert within(points, prices, 10**9) is not None
    assert within(points, prices, 10**9, Deadline.after(0)) is None
