"""The worked examples of the papers: costs, distances and optima of four small tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from shoal.methods.general.subset_dp import SubsetDP
from shoal.microdata.microdata import encode
from shoal.microdata.partition import Partition
from shoal.models import TCloseness
from shoal.models.requirement import parse_requirement
from shoal.problem import Problem, make_problem
from shoal.tables.roles import Roles
from shoal.tables.table import Table

Groups = Sequence[Sequence[int]]
"""Classes by the row numbers of the paper, from 1."""


@dataclass(frozen=True)
class Example:
    """A table of a paper."""

    quasi: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    sensitive: tuple[str, ...] = ()

    def problem(self, require: str = "k=1", cost: str = "stars") -> Problem:
        names = (*self.quasi, *self.sensitive)
        table = Table.of({name: [row[place] for row in self.rows] for place, name in enumerate(names)})
        roles = Roles.of(names, quasi=self.quasi, sensitive=self.sensitive)
        return make_problem(encode(table, roles), parse_requirement(require), cost=cost)

    def partition(self, groups: Groups) -> Partition:
        labels = np.full(len(self.rows), -1)
        for label, group in enumerate(groups):
            labels[[row - 1 for row in group]] = label
        assert (labels >= 0).all()
        return Partition.of(labels)

    def cost(self, groups: Groups, cost: str = "stars") -> float:
        return self.problem(cost=cost).cost_of(self.partition(groups))

    def distances(self, groups: Groups) -> list[Fraction]:
        """The equal distance of every class to the table."""
        model = TCloseness(0, self.sensitive[0], distance="equal")
        histogram = model.slices(self.problem().classes(self.partition(groups)))
        return [model.exact(histogram, index) for index in range(len(groups))]


@cache
def optimum(example: Example, require: str, cost: str = "stars") -> float:
    solution = SubsetDP().run(example.problem(require, cost))
    assert solution.status == "optimal"
    return solution.cost


def spelled(zip_code: str, age: str, *rest: str) -> tuple[str, ...]:
    return (*zip_code, *age, *rest)


# Liang and Yuan 2013, Table 1: every digit is a quasi-identifier.
A = Example(
    ("zip1", "zip2", "zip3", "zip4", "zip5", "age1", "age2", "education"),
    (
        spelled("98765", "38", "Bachelor", "Viral"),
        spelled("98654", "39", "Doctorate", "Heart"),
        spelled("98543", "32", "Master", "Heart"),
        spelled("97654", "65", "Bachelor", "Cancer"),
        spelled("96689", "45", "Bachelor", "Viral"),
        spelled("97427", "33", "Bachelor", "Viral"),
        spelled("96552", "54", "Bachelor", "Heart"),
        spelled("97017", "69", "Doctorate", "Cancer"),
        spelled("97023", "55", "Master", "Cancer"),
        spelled("97009", "62", "Bachelor", "Cancer"),
    ),
    ("disease",),
)
# Xiao, Yi and Tao 2010, Table 1.
B = Example(
    ("age", "gender", "education"),
    (
        ("<30", "M", "Master", "HIV"),
        ("<30", "M", "Master", "HIV"),
        ("<30", "M", "Bachelor", "pneumonia"),
        ("[30,50)", "M", "Bachelor", "bronchitis"),
        ("[30,50)", "F", "Bachelor", "pneumonia"),
        ("[30,50)", "F", "Bachelor", "bronchitis"),
        ("[30,50)", "F", "Bachelor", "bronchitis"),
        ("[30,50)", "F", "Bachelor", "pneumonia"),
        (">=50", "F", "High Sch.", "dyspepsia"),
        (">=50", "F", "High Sch.", "pneumonia"),
    ),
    ("disease",),
)
# Aggarwal et al. 2005, introduction.
C = Example(
    ("age", "race", "gender", "zip"),
    (
        ("47", "White", "Male", "21004"),
        ("35", "White", "Female", "21004"),
        ("27", "Hispanic", "Female", "92010"),
        ("27", "White", "Female", "92010"),
    ),
)
# Chakaravarthy, Pandit and Sabharwal, Figure 1.
D = Example(("one", "two", "three"), (("x", "a", "b"), ("z", "c", "d"), ("y", "a", "b"), ("z", "c", "e")))


@pytest.mark.parametrize(
    ("groups", "cost", "distances"),
    [
        ([[1, 2, 3], [4, 5, 6, 7], [8, 9, 10]], 54, ["2/5", "1/5", "3/5"]),
        ([[1, 2], [3, 5, 8, 9], [4, 6], [7, 10]], 60, ["2/5", "1/10", "3/10", "3/10"]),
        ([[1, 2], [3, 5, 8, 9], [4, 6, 7, 10]], 62, ["2/5", "1/10", "1/10"]),
        ([[1, 2, 4], [3, 5, 8, 9], [6, 7, 10]], 67, ["1/15", "1/10", "1/15"]),
    ],
)
def test_table_a_costs_and_distances_of_the_printed_partitions(
    groups: Groups, cost: float, distances: list[str]
) -> None:
    assert A.cost(groups) == cost
    assert A.distances(groups) == [Fraction(distance) for distance in distances]


@pytest.mark.parametrize(
    ("require", "cost"),
    [
        ("k=2", 46),
        ("k=3", 54),
        ("l(disease)=2", 50),
        ("t(disease:equal)=0", 70),
        ("t(disease:equal)=1/15", 67),
        ("t(disease:equal)=1/10", 64),
        ("t(disease:equal)=3/10", 52),
        ("t(disease:equal)=2/5", 50),
    ],
)
def test_table_a_optima(require: str, cost: float) -> None:
    assert optimum(A, require) == cost


@pytest.mark.parametrize(
    ("require", "groups"),
    [
        ("k=2", [[1, 6], [2, 4], [3, 9], [5, 7], [8, 10]]),
        ("k=3", [[1, 2, 3], [4, 5, 6, 7], [8, 9, 10]]),
        ("l(disease)=2", [[1, 10], [2, 4], [3, 9], [5, 7], [6, 8]]),
        ("t(disease:equal)=1/10", [[1, 7, 10], [2, 4, 5], [3, 6, 8, 9]]),
        ("t(disease:equal)=3/10", [[1, 6, 7, 10], [2, 8], [3, 9], [4, 5]]),
    ],
)
def test_table_a_partitions_that_reach_the_optimum(require: str, groups: Groups) -> None:
    problem = A.problem(require)
    assert problem.models.admits(problem.classes(A.partition(groups))).all()
    assert problem.cost_of(A.partition(groups)) == optimum(A, require)


@pytest.mark.parametrize(("diseases", "allowed"), [(("Viral", "Heart"), False), (("Viral", "Cancer"), True)])
def test_table_a_pairs_within_three_tenths_of_the_table(diseases: tuple[str, str], allowed: bool) -> None:
    rows = [next(i for i, row in enumerate(A.rows) if row[-1] == disease) for disease in diseases]
    problem = A.problem("t(disease:equal)=3/10")
    pair = problem.candidates(np.array(rows), np.zeros(2, dtype=np.int64), 1)
    assert problem.models.admits(pair).tolist() == [allowed]


TWO_ANONYMOUS = [[1, 2], [3, 4], [5, 6, 7, 8], [9, 10]]
TWO_DIVERSE = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10]]
SIX_STARS = [[1, 4], [2, 3], [5, 6, 7, 8], [9, 10]]


@pytest.mark.parametrize(
    ("groups", "stars", "starred_rows", "divergence"),
    [
        (TWO_ANONYMOUS, 2, 2, 0.219722),
        (TWO_DIVERSE, 8, 4, 0.878890),
        (SIX_STARS, 6, 4, 0.630399),
        ([list(range(1, 11))], 30, 10, 2.283529),
    ],
)
def test_table_b_costs(groups: Groups, stars: float, starred_rows: float, divergence: float) -> None:
    assert B.cost(groups) == stars
    assert B.cost(groups, "starred-rows") == starred_rows
    assert B.cost(groups, "kl-divergence") == pytest.approx(divergence, abs=1e-6)


def test_table_b_a_two_anonymous_partition_need_not_be_two_diverse() -> None:
    problem = B.problem("l(disease)=2")
    admitted = problem.models.admits(problem.classes(B.partition(TWO_ANONYMOUS)))
    assert admitted.tolist() == [False, True, True, True]
    assert problem.models.admits(problem.classes(B.partition(TWO_DIVERSE))).all()


def test_table_b_optima() -> None:
    assert optimum(B, "l(disease)=2") == 6
    assert optimum(B, "l(disease)=2", "starred-rows") == 4


@pytest.mark.parametrize(("example", "groups", "cost"), [(C, [[1, 2], [3, 4]], 6), (D, [[1, 3], [2, 4]], 4)])
def test_tables_c_and_d_two_anonymity(example: Example, groups: Groups, cost: float) -> None:
    assert example.cost(groups) == optimum(example, "k=2") == cost


def test_three_attributes_need_four_rows_to_be_two_diverse_together() -> None:
    triples = (("a", "c", "e"), ("a", "d", "f"), ("b", "c", "f"), ("b", "d", "e"))
    example = Example(("all",), tuple(("same", *triple) for triple in triples), ("s", "t", "u"))
    problem = example.problem("l(s)=2 l(t)=2 l(u)=2")
    assert problem.models.admits(problem.classes(Partition.whole(4))).all()
    pairs = [(i, j) for i in range(4) for j in range(i)]
    owner = np.repeat(np.arange(len(pairs)), 2)
    assert not problem.models.admits(problem.candidates(np.array(pairs).ravel(), owner, len(pairs))).any()
