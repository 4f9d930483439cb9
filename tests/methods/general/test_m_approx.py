"""The three cases of the m-approximation."""

import pytest
from tests.oracle import Value

from shoal.core.errors import Infeasible, Unsupported
from shoal.pipeline import anonymize
from shoal.release.release import Release


def release(sizes: list[int], k: int, **more: object) -> Release:
    """Rows in tuples of these sizes, published by the m-approximation."""
    column: list[Value] = [number for number, size in enumerate(sizes) for _ in range(size)]
    return anonymize({"a": column}, quasi=["a"], require=f"k={k}", method="m-approx", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sizes", "k", "case", "paying"),
    [
        ([1, 2, 4], 3, "case 1", 3),
        ([1, 1, 1, 1], 3, "case 1", 4),
        ([1, 6], 3, "case 2", 3),
        ([1, 4, 4], 3, "case 2", 3),
        ([1, 3, 3], 3, "case 3", 4),
        ([2, 4, 5], 4, "case 3", 6),
        ([3, 4], 3, "no row has to pay", 0),
    ],
)
def test_each_case_pays_what_the_theorem_says_and_is_optimal_for_one_column(
    sizes: list[int], k: int, case: str, paying: int
) -> None:
    found = release(sizes, k)
    assert any(case in decision for decision in found.decisions)
    assert found.certificate.cost == found.certificate.lower_bound == paying
    assert found.certificate.status == "optimal"


def test_the_third_case_keeps_one_large_class_whole() -> None:
    found = release([1, 3, 3], 3)
    assert sorted(found.table["a"].to_list()) == ["*"] * 4 + ["2"] * 3


def test_the_bound_is_attained_when_every_column_differs() -> None:
    people = {"a": [1, 1, 2, 2], "b": [1, 2, 3, 4]}
    found = anonymize(people, quasi=["a", "b"], require="k=2", method="m-approx")
    best = anonymize(people, quasi=["a", "b"], require="k=2", recoding="suppress", method="subset-dp")
    assert (float(found.certificate.cost), float(best.certificate.cost)) == (8, 4)
    assert found.certificate.status == "within_bound"


def test_nothing_is_promised_where_dropping_a_row_is_cheaper() -> None:
    found = release([1, 2], 2, max_dropped=0.5)
    assert found.certificate.status == "feasible"
    assert found.certificate.guarantee is None


def test_fewer_than_k_rows_are_refused() -> None:
    with pytest.raises(Infeasible):
        release([1, 1], 3)


def test_other_models_are_refused() -> None:
    with pytest.raises(Unsupported):
        anonymize({"a": [1, 2], "s": [1, 2]}, quasi=["a"], sensitive=["s"], require="l(s)=2", method="m-approx")
