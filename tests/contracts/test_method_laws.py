"""The laws of every method that discovery finds, for small tables of a few rows and for larger ones.

A law is a function of a `Run`, what a method made of a case. `LAWS` hold for any run; those of `EXHAUSTIVE` compare
with every possible release, so they are for a few rows only.
"""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import chain, combinations_with_replacement, permutations, product
from random import Random

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests import oracle
from tests.oracle import Group, Value
from tests.strategies import MODELS, ONE_TABLE, QUASI, SENSITIVE, Case, case_of, cases, whole_cases
from tests.thorough import examples, many

from shoal.checking.audit import audit
from shoal.core.errors import Infeasible, ShoalError, Unsupported
from shoal.methods.auto import choose, methods, requested_recoding
from shoal.methods.base import Deadline, silent
from shoal.models.requirement import parse_requirement
from shoal.pipeline import anonymize
from shoal.problem import Solution, default_cost
from shoal.recoding.recode import Anatomized, Published, recoding_named, recodings
from shoal.request import Choices
from shoal.tables.star_marks import escape_stars, text_of

METHODS = ["auto", *methods()]
every_method = pytest.mark.parametrize("method", METHODS)
every_recoding = pytest.mark.parametrize("recoding", recodings())


@dataclass(frozen=True, eq=False)
class Run:
    """What a method made of a case: a solution, or a refusal."""

    case: Case
    method: str
    solution: Solution | None
    refusal: ShoalError | None = None

    @classmethod
    def of(cls, case: Case, method: str, *, deadline: Deadline | None = None, seed: int = 0) -> "Run":
        try:
            found = choose(case.problem, method, seed=seed, deadline=deadline or Deadline(), progress=silent)
            return cls(case, method, found)
        except (Infeasible, Unsupported) as refusal:
            return cls(case, method, None, refusal)

    @property
    def solved(self) -> Solution:
        assert self.solution is not None
        return self.solution

    @cached_property
    def published(self) -> Published:
        return self.case.problem.publish(self.solved.partition)

    @cached_property
    def tables(self) -> dict[str, pl.DataFrame]:
        return self.published.tables()

    @property
    def frame(self) -> pl.DataFrame:
        return self.tables["table"]

    @property
    def names(self) -> dict[str, str]:
        """What the columns `group` and `count` of two tables are called; nothing where there is one."""
        return asdict(self.published.names) if isinstance(self.published, Anatomized) else {}

    @cached_property
    def cells(self) -> list[tuple[str | None, ...]]:
        """The published quasi-identifiers as text, row by row."""
        return list(zip(*(text_of(self.frame[name]).to_list() for name in self.case.quasi), strict=True))

    @property
    def classes(self) -> list[Group]:
        """The rows with equal published cells, or in one group of two tables, by their numbers in the original."""
        alike: dict[tuple[object, ...], list[int]] = defaultdict(list)
        told = self.frame.select(self.names["group"]).rows() if self.names else self.cells
        for cells, row in zip(told, self.published.partition.kept.tolist(), strict=True):
            alike[cells].append(row)
        return [tuple(rows) for rows in alike.values()]

    def position(self, row: int) -> int:
        """Where a row of the original stands in the release."""
        return int(np.flatnonzero(self.published.partition.kept == row)[0])

    @cached_property
    def optimum(self) -> float:
        case = self.case
        return case.oracle.optimum(case.cost or default_cost(recoding_named(case.recoding), bool(case.weights)))


# --- the laws --------------------------------------------------------------------------------------------------------


def the_audit_of_the_published_cells_confirms_every_model(run: Run) -> None:
    case = run.case
    asked = {"quasi": case.quasi, "sensitive": case.sensitive, "require": case.models, "hierarchies": case.trees}
    found = audit(run.frame, **asked, population=case.people, sensitive_table=run.tables.get("sensitive"), **run.names)  # type: ignore[arg-type]
    assert found.holds
    assert (found.rows, found.classes) == (run.frame.height, len(run.classes))


def as_published(run: Run) -> oracle.Problem:
    """The oracle's problem with the levels that full-domain recoding publishes, and the rows that it stars."""
    if run.case.recoding != "full-domain":
        return run.case.oracle
    starred = [rows for rows in run.classes if set(run.cells[run.position(rows[0])]) == {"*"}]
    return run.case.oracle.at_one_level(run.classes, *starred)


def the_oracle_confirms_every_model(run: Run) -> None:
    assert as_published(run).admits(run.classes)


def the_cost_is_what_the_oracle_says(run: Run) -> None:
    problem = as_published(run)
    classes = problem.classes(run.classes)
    assert run.solved.cost == pytest.approx(problem.cost(run.case.problem.cost.name, classes), rel=1e-9, abs=1e-9)


def every_cell_covers_the_value_it_hides(run: Run) -> None:
    for cells, row in zip(run.cells, run.published.partition.kept.tolist(), strict=True):
        for cell, column in zip(cells, run.case.oracle.quasi, strict=True):
            covered = oracle.reads_as(cell, run.case.rows[row][column.name], column, run.case.recoding)
            assert covered or column.recoded(run.case.recoding) == "centroid"


def every_centroid_is_that_of_its_class(run: Run) -> None:
    shown = dict(zip(run.published.partition.kept.tolist(), run.cells, strict=True))
    columns = list(enumerate(run.case.oracle.quasi))
    averaged = [one for one in columns if one[1].recoded(run.case.recoding) == "centroid"]
    for group in run.classes:
        for place, column in averaged:
            middle = oracle.centroid(column, [run.case.rows[row][column.name] for row in group])
            assert all(oracle.shows(shown[row][place], middle) for row in group)


def classes_are_the_rows_with_equal_cells(run: Run) -> None:
    claimed = {tuple(rows.tolist()) for rows in run.published.partition}
    assert claimed == set(run.classes)


def the_columns_are_those_declared_and_no_other_is_altered(run: Run) -> None:
    kept = run.case.frame[run.published.partition.kept]
    shown = kept.with_columns(escape_stars(kept[name]) for name in kept.columns if kept[name].dtype == pl.String)
    if not run.names:
        assert run.frame.columns == [*run.case.quasi, *run.case.sensitive]
        assert list(run.tables) == ["table"]
        assert all(run.frame[name].equals(shown[name]) for name in run.case.sensitive)
        return
    group, count = run.names["group"], run.names["count"]
    assert run.frame.columns == [*run.case.quasi, group]
    assert run.tables["sensitive"].columns == [group, *run.case.sensitive, count]
    assert all(run.frame[name].cast(pl.String).equals(shown[name].cast(pl.String)) for name in run.case.quasi)
    expected = Counter(shown.select(run.frame[group], *run.case.sensitive).rows())
    assert {row[:-1]: row[-1] for row in run.tables["sensitive"].rows()} == expected


def no_more_rows_are_dropped_than_allowed(run: Run) -> None:
    assert run.solved.partition.dropped <= run.case.oracle.may_drop
    assert run.frame.height == len(run.case.rows) - run.solved.partition.dropped > 0


def the_bound_the_optimum_and_the_cost_are_in_order(run: Run) -> None:
    assert run.solved.lower_bound is None or run.solved.lower_bound <= run.optimum + 1e-9
    assert run.optimum <= run.solved.cost + 1e-9


def what_is_called_optimal_is(run: Run) -> None:
    if run.solved.status == "optimal":
        assert run.solved.cost == pytest.approx(run.optimum, rel=1e-9, abs=1e-9)


def the_stated_guarantee_holds(run: Run) -> None:
    if run.solved.guarantee is not None:
        assert is_kept(run.solved.guarantee, run, run.optimum)


LAWS: list[Callable[[Run], None]] = [
    the_audit_of_the_published_cells_confirms_every_model,
    the_oracle_confirms_every_model,
    the_cost_is_what_the_oracle_says,
    every_cell_covers_the_value_it_hides,
    every_centroid_is_that_of_its_class,
    classes_are_the_rows_with_equal_cells,
    the_columns_are_those_declared_and_no_other_is_altered,
    no_more_rows_are_dropped_than_allowed,
]
EXHAUSTIVE: list[Callable[[Run], None]] = [
    the_bound_the_optimum_and_the_cost_are_in_order,
    what_is_called_optimal_is,
    the_stated_guarantee_holds,
]


def check_refusal(run: Run) -> None:
    """Guarantees that only what no release can meet is called infeasible, and all of it is."""
    if isinstance(run.refusal, Unsupported):
        assert run.method == "auto" or methods()[run.method]().accepts(run.case.problem)
    else:
        assert isinstance(run.refusal, Infeasible) == run.case.oracle.is_hopeless


# --- guarantees are inequalities -------------------------------------------------------------------------------------

CLAUSE = re.compile(
    r"(?P<cost>cost|stars|starred rows) (?P<sign><=|=) (?:(?P<factor>.+) \* )?optimum(?: \+ (?P<more>\d+))?(?: \(.*\))?"
)


def is_kept(guarantee: str, run: Run, optimum: float) -> bool:
    """Whether each inequality of a guarantee that speaks of the problem's cost holds.

    They are written `cost <= FACTOR * optimum + MORE`, FACTOR a formula in m (quasi-identifiers), k and n (rows), MORE
    a number.
    """
    clauses = [CLAUSE.fullmatch(clause.strip()) for clause in guarantee.split(";")]
    assert all(clauses), f"the law cannot read {guarantee!r}"
    spoken = ("cost", run.case.problem.cost.name.replace("-", " "))
    names = {"m": len(run.case.quasi), "k": run.case.problem.models.least_rows, "n": len(run.case.rows)}
    for clause in clauses:
        if clause is not None and clause["cost"] in spoken:
            most = value_of(clause["factor"] or "1", names) * optimum + int(clause["more"] or 0)
            if run.solved.cost > most + 1e-9 or (clause["sign"] == "=" and run.solved.cost < most - 1e-9):
                return False
    return True


def value_of(formula: str, names: dict[str, int]) -> float:
    """The value of a formula of numbers, names and max, min and the four signs."""
    allowed = (ast.Expression, ast.BinOp, ast.Call, ast.Name, ast.Constant, ast.operator, ast.Load)
    tree = ast.parse(re.sub(r"(\d)([a-z])", r"\1*\2", formula), mode="eval")
    assert all(isinstance(node, allowed) for node in ast.walk(tree)), f"{formula!r} is no formula"
    return float(eval(compile(tree, formula, "eval"), {"__builtins__": {}, "max": max, "min": min, **names}))


def test_a_guarantee_is_read_as_an_inequality() -> None:
    assert value_of("max(2k - 1, 3k - 5)", {"k": 3}) == 5


# --- every small table -----------------------------------------------------------------------------------------------

FEW = ["k=2", "l(illness)=2", "t(illness:equal)=1/4"]
MORE = [*FEW, "k=3", "distinct-l(illness)=2", "k=2 entropy-l(illness)=3/2", "recursive-l(illness)=(2,2)"]


@cache
def small_tables(numbers: int, *, up_to_renaming: bool) -> list[dict[str, list[Value]]]:
    """Every table of up to four rows over a number, two texts and two illnesses; the order of rows is another law."""
    sizes = (numbers, 2, 2)
    pools = (QUASI["number"].pool, QUASI["text"].pool, SENSITIVE["illness"].pool)
    found = []
    for codes in chain(*(combinations_with_replacement(product(*map(range, sizes)), rows) for rows in range(1, 5))):
        if not up_to_renaming or codes == min(renamings(codes, sizes)):
            columns = [[pool[row[place]] for row in codes] for place, pool in enumerate(pools)]
            found.append(dict(zip(("number", "text", "illness"), columns, strict=True)))
    return found


def renamings(codes: tuple[tuple[int, ...], ...], sizes: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], ...]]:
    for names in product(*(permutations(range(size)) for size in sizes)):
        yield tuple(sorted(tuple(name[code] for name, code in zip(names, row, strict=True)) for row in codes))


def check_every_law(case: Case, method: str) -> None:
    run = Run.of(case, method)
    check_refusal(run)
    for law in [*LAWS, *EXHAUSTIVE] if run.solution else []:
        law(run)


def small_cases(
    most: int, method: str, recoding: str, tables: list[dict[str, list[Value]]], asked: list[str]
) -> Iterator[Case]:
    """So many cases of these tables, all if there are no more; another method or recoding has others."""
    fitting = [require for require in asked if recoding in ONE_TABLE or "k=" not in require]
    pairs = list(product(tables, fitting))
    some = Random(f"{method} {recoding}").sample(pairs, min(most, len(pairs)))
    return (case_of(columns, require, recoding=recoding) for columns, require in some)


@every_recoding
@every_method
def test_every_law_holds_for_some_small_tables_up_to_renaming(method: str, recoding: str) -> None:
    tables, most = small_tables(2, up_to_renaming=True), 4 if recoding in oracle.MIXED else 10  # their parts have 10
    for case in small_cases(many(most), method, recoding, tables, FEW):
        check_every_law(case, method)


@pytest.mark.slow
@every_recoding
@every_method
def test_every_law_holds_for_many_small_tables(method: str, recoding: str) -> None:
    tables = small_tables(2, up_to_renaming=False)
    for case in small_cases(many(200), method, recoding, tables, MORE):
        check_every_law(case, method)


@pytest.mark.slow
@every_recoding
@every_method
def test_every_law_holds_for_many_small_tables_where_rows_may_go(method: str, recoding: str) -> None:
    tables = small_tables(3, up_to_renaming=True)
    for case in small_cases(many(120), method, recoding, tables, MORE):
        check_every_law(replace(case, max_dropped=Fraction(1, 3)), method)


# --- sampled tables --------------------------------------------------------------------------------------------------


def sampled(rows: int) -> st.SearchStrategy[Case]:
    """Any case of so many rows, and as often one that asks for k-anonymity, l-diversity or t-closeness alone."""
    return st.one_of(cases(rows), *(cases(rows, kinds=[MODELS[name]]) for name in ("k", "l", "t")))


def most_rows(method: str, *, slow: bool = False) -> int:
    """The exact methods try every partition."""
    exact = method == "auto" or "3^n" in methods()[method].running_time
    return 8 if exact else 60 if slow else 20


def sample(laws: list[Callable[[Run], None]], method: str, rows: int, examples: int) -> None:
    @settings(max_examples=examples)
    @given(sampled(rows))
    def hold(case: Case) -> None:
        run = Run.of(case, method)
        for law in laws if run.solution else []:
            law(run)

    hold()


@every_method
def test_every_law_holds(method: str) -> None:
    sample(LAWS, method, most_rows(method), 25)


@every_method
def test_every_exhaustive_law_holds(method: str) -> None:
    sample(EXHAUSTIVE, method, 5, 20)


@every_method
@settings(max_examples=examples(15))
@given(case=cases(5, dropped=[Fraction(0)]))
def test_only_what_no_release_can_meet_is_infeasible(method: str, case: Case) -> None:
    check_refusal(Run.of(case, method))


BOTH = case_of(
    {"number": [1] * 3, "illness": ["asthma", "asthma", "cold"], "salary": [1, 2, 1]},
    "l(illness)=2 l(salary)=2",
    max_dropped=Fraction(1, 2),
)
KNOWN = replace(BOTH, models=parse_requirement("distinct-l(illness|salary)=2").all)
DROPPING = [Fraction(1, 4), Fraction(1, 2)]


@every_method
@settings(max_examples=examples(15))
@given(case=cases(5, dropped=DROPPING))
@example(case=BOTH)
@example(case=KNOWN)
def test_only_what_dropping_rows_cannot_help_is_infeasible(method: str, case: Case) -> None:
    check_refusal(Run.of(case, method))


@pytest.mark.slow
@every_method
def test_every_law_holds_for_many_more(method: str) -> None:
    sample(LAWS, method, most_rows(method, slow=True), many(150))


@pytest.mark.slow
@every_method
def test_every_exhaustive_law_holds_for_many_more(method: str) -> None:
    sample(EXHAUSTIVE, method, 7, many(60))


@pytest.mark.slow
@every_method
@settings(max_examples=examples(100))
@given(case=cases(6, dropped=[Fraction(0)]))
def test_only_what_no_release_can_meet_is_infeasible_in_many_more(method: str, case: Case) -> None:
    check_refusal(Run.of(case, method))


@pytest.mark.slow
@every_method
@settings(max_examples=examples(100))
@given(case=cases(6, dropped=DROPPING))
@example(case=BOTH)
@example(case=KNOWN)
def test_only_what_dropping_rows_cannot_help_is_infeasible_in_many_more(method: str, case: Case) -> None:
    check_refusal(Run.of(case, method))


# --- models that speak of all classes of a release -------------------------------------------------------------------


def check_whole(case: Case, method: str) -> None:
    """Guarantees every law, and that `Infeasible` is said only where there is no release."""
    run = Run.of(case, method)
    if isinstance(run.refusal, Infeasible):
        assert run.optimum == float("inf")
    for law in [*LAWS, *EXHAUSTIVE] if run.solution else []:
        law(run)


def recodings_for(method: str) -> list[str]:
    """The recodings in which classes show cells, and the method can take some problem."""
    own = requested_recoding(Choices(method=method), grouped=True)
    return [own] if own in ("full-domain", "centroid") else ["suppress", "generalize", "range", "full-domain"]


def sample_whole(model: str, method: str, rows: int, examples: int) -> None:
    fitting = [name for name in recodings_for(method) if model != "presence" or name != "centroid"]

    @settings(max_examples=examples)
    @given(whole_cases(rows, model, fitting or ["suppress"]))
    def hold(case: Case) -> None:
        check_whole(case, method)

    hold()


@every_method
@pytest.mark.parametrize("model", ["nt", "presence"])
def test_every_law_holds_for_models_of_a_whole_release(method: str, model: str) -> None:
    sample_whole(model, method, 4, 12)


@pytest.mark.parametrize("method", ["mondrian", "t-mondrian", "subset-dp", "full-domain", "auto"])
@pytest.mark.parametrize("model", ["average-t", "ck", "skyline"])
def test_every_law_holds_for_models_of_all_classes_together(method: str, model: str) -> None:
    sample_whole(model, method, 4, 8)


@pytest.mark.slow
@every_method
@pytest.mark.parametrize("model", ["nt", "presence", "average-t", "ck", "skyline"])
def test_every_law_holds_for_models_of_a_whole_release_in_many_more(method: str, model: str) -> None:
    sample_whole(model, method, 5, many(80))


# --- what must not matter --------------------------------------------------------------------------------------------


def check_same_release(one: Run, other: Run) -> None:
    """Guarantees the same refusal, or the same published rows in any order, at the same cost."""
    assert type(one.refusal) is type(other.refusal)
    if one.solution and other.solution:
        assert one.solution.cost == pytest.approx(other.solution.cost, rel=1e-12, abs=1e-12)
        for name, table in one.tables.items():
            assert table.sort(table.columns).equals(other.tables[name].sort(table.columns))


@every_method
@settings(max_examples=examples(12))
@given(data=st.data())
def test_the_order_of_rows_does_not_matter(method: str, data: st.DataObject) -> None:
    case = data.draw(sampled(most_rows(method)))
    order = data.draw(st.permutations(range(len(case.rows))))
    check_same_release(Run.of(case, method), Run.of(case.taken(order), method))


@every_method
@settings(max_examples=examples(12))
@given(data=st.data())
def test_the_names_of_values_do_not_matter(method: str, data: st.DataObject) -> None:
    case = data.draw(sampled(most_rows(method)))
    one, other = Run.of(case, method), Run.of(case.renamed(), method)
    assert type(one.refusal) is type(other.refusal)
    if one.solution and other.solution:
        assert other.solution.partition.class_of_row.tolist() == one.solution.partition.class_of_row.tolist()


@every_method
def test_the_labels_of_an_index_do_not_matter(method: str) -> None:
    pools = {"number": QUASI["number"].pool, "text": QUASI["text"].pool, "illness": SENSITIVE["illness"].pool}
    people = {
        name: [pool[row // step % len(pool)] for row in range(6)] for step, (name, pool) in enumerate(pools.items(), 1)
    }
    plain = pd.DataFrame(people)
    odd = pd.DataFrame(people, index=["x", "x", "y", 3, 2, None])
    own = requested_recoding(Choices(method=method), grouped=True)
    fitting = [asked for asked in [*MORE, "t(illness:ordered)=1/4"] if own in ONE_TABLE or "k=" not in asked]
    asked = next(asked for asked in fitting if Run.of(case_of(people, asked, recoding=own), method).solution)
    order = {"illness": sorted({str(word) for word in people["illness"]})} if "ordered" in asked else None
    one, other = (
        anonymize(frame, quasi=["number", "text"], sensitive=["illness"], require=asked, method=method, order=order)
        for frame in (plain, odd)
    )
    assert one.table.equals(other.table)
    assert odd.index.to_list()[:5] == ["x", "x", "y", 3, 2]


@every_method
@settings(max_examples=examples(8))
@given(data=st.data())
def test_the_input_is_not_changed(method: str, data: st.DataObject) -> None:
    case = data.draw(sampled(most_rows(method)))
    frame, codes = case.frame.clone(), case.problem.microdata.codes.copy()
    Run.of(case, method)
    assert case.frame.equals(frame)
    assert (case.problem.microdata.codes == codes).all()
    assert case.problem.microdata.table.frame.equals(frame)


@every_method
@settings(max_examples=examples(8))
@given(data=st.data())
def test_the_same_seed_gives_the_same_bytes(method: str, data: st.DataObject) -> None:
    case = data.draw(sampled(most_rows(method)))
    seed = data.draw(st.integers(0, 5))
    one, other = Run.of(case, method, seed=seed), Run.of(case.taken(range(len(case.rows))), method, seed=seed)
    assert str(one.refusal) == str(other.refusal)
    if one.solution and other.solution:
        assert [table.write_csv() for table in one.tables.values()] == [
            table.write_csv() for table in other.tables.values()
        ]
        assert (one.solution.cost, one.solution.lower_bound) == (other.solution.cost, other.solution.lower_bound)


@every_method
@settings(max_examples=examples(8))
@given(data=st.data())
def test_a_method_out_of_time_still_keeps_every_law(method: str, data: st.DataObject) -> None:
    run = Run.of(data.draw(sampled(6)), method, deadline=Deadline.after(0))
    for law in [*LAWS, *EXHAUSTIVE] if run.solution else []:
        law(run)
