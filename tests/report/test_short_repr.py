"""What a result shows at a prompt is one short line: no list of rows, no cell."""

from __future__ import annotations

import polars as pl
import pytest

import shoal
from shoal.studies.synth import QUASI, SENSITIVE, census

THREE = QUASI[:3]
LONGEST = 250
PEOPLE = census(200, 0)


@pytest.fixture(scope="module")
def release() -> shoal.Release:
    return shoal.anonymize(PEOPLE, quasi=THREE, sensitive=SENSITIVE, leave_out="rest", require="k=5", method="mondrian")


@pytest.mark.parametrize(
    "made",
    [
        lambda release: release,
        lambda release: release.certificate,
        lambda release: release.audit,
        shoal.attack,
        lambda release: shoal.utility.measure(release, PEOPLE),
        lambda release: shoal.risk.measure(PEOPLE, quasi=THREE),
        lambda release: shoal.lattice(PEOPLE, quasi=THREE, require="k=5"),
        lambda release: shoal.compare(PEOPLE, quasi=THREE, require="k=5", methods=["mondrian"]),
        lambda release: shoal.inspect(PEOPLE),
    ],
)
def test_a_result_has_a_short_repr_without_cells(made, release: shoal.Release) -> None:  # type: ignore[no-untyped-def]
    text = repr(made(release))
    assert len(text) < LONGEST
    assert "\n" not in text
    assert not any(str(cell) in text for cell in pl.Series(PEOPLE["birthplace"]).unique())
