"""How close to optimal releases of the Adult table are, where it is at hand; the work is fixed, so no clock decides."""

from __future__ import annotations

from pathlib import Path

import pytest

import shoal
from shoal.release.release import Release
from shoal.release.verification import verify

DATA = Path(__file__).parents[3] / "shared" / "data" / "adult"
ADULT = DATA / "adult_30162.csv.gz"
pytestmark = pytest.mark.skipif(not ADULT.is_file(), reason="there is no ../shared/data beside the repository")

COLUMNS = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
ARX = [*COLUMNS[:7], "salary-class"]
HIERARCHIES = {name: str(DATA / "hierarchies" / f"adult_hierarchy_{name}.csv") for name in ARX}


def generalized(require: str, method: str, sensitive: list[str]) -> Release:
    return shoal.anonymize(
        ADULT,
        quasi=ARX,
        sensitive=sensitive,
        leave_out="rest",
        require=require,
        hierarchies=HIERARCHIES,
        recoding="generalize",
        method=method,
    )


@pytest.mark.slow
def test_the_fewest_stars_of_four_columns_are_1842() -> None:
    made = shoal.anonymize(
        ADULT, quasi=COLUMNS[:4], leave_out="rest", require="k=5", recoding="suppress", method="optimal"
    ).certificate
    assert (made.status, float(made.cost), made.lower_bound, made.gap) == ("optimal", 1842, 1842, 1)
    assert made.proved is not None
    assert made.proved >= 1829


def test_the_support_bound_of_eight_columns_is_28546_and_peeling_is_near(tmp_path: Path) -> None:
    release = shoal.anonymize(ADULT, quasi=COLUMNS, leave_out="rest", require="k=5", recoding="suppress", method="peel")
    made = release.certificate
    assert made.lower_bound == made.proved == 28546
    assert 30943 <= made.cost <= 33500
    checked = verify(release.save(tmp_path / "release"), original=ADULT)
    assert checked.passed, checked.failures
    assert checked.proved is not None
    assert checked.proved.bound == 28546


@pytest.mark.slow
def test_six_columns_are_published_within_two_hundredths_of_the_optimum() -> None:
    made = shoal.anonymize(
        ADULT, quasi=COLUMNS[:6], leave_out="rest", require="k=5", recoding="suppress", method="cube"
    ).certificate
    assert made.cost <= 11300
    assert made.lower_bound is not None
    assert 11070 <= made.lower_bound <= 11164


@pytest.mark.slow
def test_a_close_release_has_many_classes_and_drops_nobody() -> None:
    made = generalized("k=5 t(occupation)=0.2", "peel", ["occupation"]).certificate
    assert made.cost <= 0.30
    assert made.classes >= 1200
    assert made.dropped == 0


@pytest.mark.slow
@pytest.mark.parametrize(("require", "most"), [("distinct-l(occupation)=3", 0.034), ("entropy-l(occupation)=3", 0.045)])
def test_a_diverse_release_loses_less_than_the_best_known_elsewhere(require: str, most: float) -> None:
    made = generalized(f"k=5 {require}", "cube", ["occupation"]).certificate
    assert made.cost <= most
    assert made.lower_bound is not None
    assert made.lower_bound > 0.016
