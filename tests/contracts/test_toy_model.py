"""Adding one model file is enough: requirements, the documentation, methods and the contract suite know it."""

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import shoal.models
from shoal.audit import audit
from shoal.pipeline import anonymize
from shoal.reference import model_rows
from shoal.requirement import parse_requirement

TOY = '''
"""Doubt: enough rows of a class do not have its commonest value."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats
from shoal.histogram import Attributes, Histogram
from shoal.models.base import SensitiveModel
from shoal.parameters import Number, Numeral


@dataclass(frozen=True)
class Doubt(SensitiveModel):
    """Guarantees that at least `rows` rows of every class do not have the commonest value."""

    name: ClassVar[str] = "doubt"
    title: ClassVar[str] = "doubt"
    meaning: ClassVar[str] = "enough rows do not have the commonest value"
    parameters: ClassVar[tuple[Number, ...]] = (Number("rows", "rows with another value", 1, whole=True),)
    monotone: ClassVar[bool] = True
    larger_is_stricter: ClassVar[bool] = True

    rows: Numeral
    attribute: str | Attributes
    others: str | Attributes = ()

    def measure(self, histogram: Histogram) -> Floats:
        """Return the rows without the commonest value."""
        return (histogram.sizes - np.maximum.reduceat(histogram.counts, histogram.starts[:-1])).astype(np.float64)

    def decide(self, histogram: Histogram, index: int) -> bool:
        """Decide by counting."""
        counts = histogram.one(index).values()
        return sum(counts) - max(counts) >= self.limit
'''
PLUGIN = "import shoal.models\nshoal.models.__path__.append({folder!r})\n"
SUITE = Path(__file__).with_name("test_model_laws.py")
PEOPLE = {"age": [20, 20, 20, 30, 30, 30], "illness": ["flu", "flu", "gout", "flu", "gout", "gout"]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with nothing but the toy model's file."""
    package = tmp_path / "models"
    package.mkdir()
    (package / "doubt.py").write_text(TOY, encoding="utf-8")
    return package


@pytest.fixture
def added(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The toy model among the others, and gone again afterwards."""
    monkeypatch.setattr(shoal.models, "__path__", [*shoal.models.__path__, str(folder)])
    importlib.invalidate_caches()
    yield
    sys.modules.pop("shoal.models.doubt", None)
    vars(shoal.models).pop("doubt", None)


@pytest.mark.usefixtures("added")
def test_it_can_be_required() -> None:
    assert str(parse_requirement("k=2 doubt(illness)=1")) == "k=2 doubt(illness)=1"


@pytest.mark.usefixtures("added")
def test_the_documentation_lists_it() -> None:
    assert "doubt(ATTRIBUTE)=ROWS" in [row["written"] for row in model_rows()]


@pytest.mark.usefixtures("added")
def test_an_audit_without_a_requirement_measures_it() -> None:
    found = audit(PEOPLE, quasi=["age"], sensitive=["illness"])
    assert [finding.reached for finding in found.findings if finding.name == "doubt"] == [1.0]


@pytest.mark.usefixtures("added")
@pytest.mark.parametrize("method", ["auto", "mondrian", "subset-dp"])
def test_methods_meet_it(method: str) -> None:
    release = anonymize(PEOPLE, quasi=["age"], sensitive=["illness"], require="doubt(illness)=2", method=method)
    assert release.audit.holds
    assert len(release.classes) == 1


def test_it_leaves_nothing_behind() -> None:
    assert "doubt(ATTRIBUTE)=ROWS" not in [row["written"] for row in model_rows()]


def test_the_contract_suite_tests_it(folder: Path) -> None:
    (folder.parent / "toy_plugin.py").write_text(PLUGIN.format(folder=str(folder)), encoding="utf-8")
    paths = os.pathsep.join([str(folder.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "toy_plugin",
            "-p",
            "no:cacheprovider",
            "-vv",
            "-k",
            "doubt",
            str(SUITE),
        ],
        cwd=SUITE.parent.parent.parent,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "test_merging_admitted_classes_stays_admitted[doubt] PASSED" in ran.stdout
