"""The exact optimum by dynamic programming: dropped rows, and what it cannot take."""

import numpy as np
import pytest

from shoal.core.errors import Unsupported
from shoal.methods.general.subset_dp import MOST_ROWS, best_partitions
from shoal.pipeline import anonymize


def test_the_cheapest_partition_of_three_rows() -> None:
    losses = np.array([np.inf, 5, 5, 2, 5, 9, 9, 8])
    best, choice = best_partitions(losses)
    assert best[-1] == 7
    assert int(choice[0b111]) == 0b011


def test_dropping_one_row_may_be_cheaper_than_starring_all() -> None:
    people = {"age": [1, 1, 2], "town": ["a", "a", "b"]}
    common = {"quasi": ["age", "town"], "require": "k=2", "method": "subset-dp", "recoding": "suppress"}
    kept = anonymize(people, **common)  # type: ignore[arg-type]
    dropped = anonymize(people, max_dropped=0.5, **common)  # type: ignore[arg-type]
    assert (float(kept.certificate.cost), kept.certificate.dropped) == (6, 0)
    assert (float(dropped.certificate.cost), dropped.certificate.dropped) == (2, 1)


def test_the_published_distribution_is_that_of_the_rows_that_are_left() -> None:
    people = {"age": [1, 2, 3], "s": ["flu", "gout", "gout"]}
    release = anonymize(
        people, quasi=["age"], sensitive=["s"], require="k=2 t(s:equal)=0 l(s)=2", method="subset-dp", max_dropped=0.4
    )
    assert release.certificate.dropped == 1
    assert release.audit.holds


def test_too_many_rows_are_refused() -> None:
    rows = MOST_ROWS + 1
    with pytest.raises(Unsupported, match=f"{rows} rows, more than {MOST_ROWS}"):
        anonymize({"age": list(range(rows))}, quasi=["age"], require="k=2", method="subset-dp")


def test_a_cost_that_does_not_add_over_classes_is_refused() -> None:
    with pytest.raises(Unsupported, match="does not add over classes"):
        anonymize({"age": [1, 2]}, quasi=["age"], require="k=2", method="subset-dp", cost="kl-divergence")


def test_the_compiled_program_finds_what_the_plain_one_does() -> None:
    ages = [1, 9, 2, 8, 3, 7, 4, 6, 5, 5, 1, 9]
    people = {"age": ages, "town": ["a", "b", "c"] * 4}
    exact = anonymize(people, quasi=["age", "town"], require="k=3", recoding="range", method="subset-dp")
    assert exact.certificate.status == "optimal"
    for method in ("mondrian", "mondrian-relaxed"):
        other = anonymize(people, quasi=["age", "town"], require="k=3", recoding="range", method=method)
        assert exact.certificate.cost <= other.certificate.cost + 1e-12
