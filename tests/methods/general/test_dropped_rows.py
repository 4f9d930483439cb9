"""Which rows are left out where all together cannot be published."""

import pytest

from shoal.core.errors import Infeasible
from shoal.pipeline import anonymize
from shoal.release.release import Release

METHODS = ["mondrian", "mondrian-relaxed", "subset-dp", "auto"]
every_method = pytest.mark.parametrize("method", METHODS)


def release(illness: list[str], require: str, dropped: float, method: str) -> Release:
    people = {"age": [30] * len(illness), "illness": illness}
    return anonymize(people, quasi=["age"], sensitive=["illness"], require=require, max_dropped=dropped, method=method)


@every_method
def test_a_value_that_is_too_common_is_cut_to_what_is_admitted(method: str) -> None:
    found = release(["flu"] * 4 + ["gout"] * 2, "l(illness)=2", 0.5, method)
    assert found.certificate.dropped == 2
    assert found.audit.holds


@every_method
def test_no_row_goes_where_none_has_to(method: str) -> None:
    found = release(["flu", "gout"] * 2, "l(illness)=2", 0.5, method)
    assert found.certificate.dropped == 0


@every_method
def test_more_than_may_go_is_refused(method: str) -> None:
    with pytest.raises(Infeasible):
        release(["flu"] * 5 + ["gout"], "l(illness)=2", 0.5, method)


@every_method
def test_the_rows_with_the_rarest_quasi_identifiers_go_first(method: str) -> None:
    people = {"age": [30, 30, 30, 40], "illness": ["flu", "flu", "gout", "flu"]}
    found = anonymize(
        people, quasi=["age"], sensitive=["illness"], require="l(illness)=2", max_dropped=0.5, method=method
    )
    assert found.certificate.dropped == 2
    assert found.table["age"].to_list() == [30, 30]
