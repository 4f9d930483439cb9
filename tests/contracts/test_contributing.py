"""The examples of CONTRIBUTING work as they stand: one file is enough for the grammar, the lists, methods and laws."""

import importlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

import shoal
import shoal.models
from shoal.checking.audit import audit
from shoal.models.requirement import parse_requirement
from shoal.pipeline import anonymize
from shoal.studies.reference import model_rows

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
SOURCE = Path(shoal.__file__).parent
ORACLE = "tests/oracle.py"
EXAMPLES = dict(re.findall(r'^```python title="([^"]+)"\n(.*?)^```$', PAGE, flags=re.MULTILINE | re.DOTALL))
"""What the page says to write, by the file."""
FILES = {Path(name).relative_to("src/shoal"): text for name, text in EXAMPLES.items() if name != ORACLE}
PARTS = sorted({name.parent.as_posix() for name in FILES})
NAMES = ("uncommon-rows", "altered-rows", "lonely-rows", "sweep", "domains", "avro-files", "avro")
LAWS = [
    f"tests/contracts/test_{name}.py" for name in ("model_laws", "cost_laws", "bound_laws", "method_laws", "discovery")
]
LAWS += ["tests/studies/test_contracts.py", "tests/tables/writers/test_writers.py"]
ADDED = """
import importlib
for part in {parts!r}:
    importlib.import_module("shoal." + part.replace("/", ".")).__path__.append({folder!r} + "/" + part)
"""
PLUGIN = """
import tests.oracle
exec({oracle!r}, vars(tests.oracle))
"""
PEOPLE = {"age": [20, 20, 20, 30, 30, 30], "illness": ["flu", "flu", "gout", "flu", "gout", "gout"]}
RELEASE = """
import shoal
release = shoal.anonymize({file!r}, quasi=["age"], sensitive=["illness"], require="k=2")
found = shoal.verify(release.save({file!r} + "-release", format="avro"), original={file!r})
print(found.passed, *found.failures)
"""
WRITTEN = "uncommon-rows(ATTRIBUTE)=ROWS"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the example files, each in the folder of its kind, and nothing else."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def added(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The example model among the others, and gone again afterwards."""
    monkeypatch.setattr(shoal.models, "__path__", [*shoal.models.__path__, str(folder / "models")])
    importlib.invalidate_caches()
    yield
    sys.modules.pop("shoal.models.uncommon_rows", None)
    vars(shoal.models).pop("uncommon_rows", None)


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python from the root of the repository, with a folder before its path."""
    paths = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )


def test_there_is_an_example_of_each_kind_in_a_file_that_does_not_exist() -> None:
    assert [name.parts[0] for name in FILES] == ["models", "costs", "bounds", "methods", "hierarchies", *["tables"] * 2]
    assert not [name for name in FILES if (SOURCE / name).exists()]


@pytest.mark.usefixtures("added")
def test_the_model_can_be_required() -> None:
    assert str(parse_requirement("k=2 uncommon-rows(illness)=1")) == "k=2 uncommon-rows(illness)=1"


@pytest.mark.usefixtures("added")
def test_the_documentation_lists_the_model() -> None:
    assert WRITTEN in [row["written"] for row in model_rows()]


@pytest.mark.usefixtures("added")
def test_an_audit_without_a_requirement_measures_the_model() -> None:
    found = audit(PEOPLE, quasi=["age"], sensitive=["illness"])
    assert [finding.reached for finding in found.findings if finding.name == "uncommon-rows"] == [1.0]


@pytest.mark.usefixtures("added")
@pytest.mark.parametrize("method", ["auto", "mondrian", "subset-dp"])
def test_methods_meet_the_model(method: str) -> None:
    asked = "uncommon-rows(illness)=2"
    release = anonymize(PEOPLE, quasi=["age"], sensitive=["illness"], require=asked, method=method)
    assert release.audit.holds
    assert len(release.classes) == 1


def test_the_model_leaves_nothing_behind() -> None:
    assert WRITTEN not in [row["written"] for row in model_rows()]


def test_the_laws_hold_of_every_example(folder: Path) -> None:
    plugin = (ADDED + PLUGIN).format(parts=PARTS, folder=str(folder), oracle=EXAMPLES[ORACLE])
    (folder / "examples_plugin.py").write_text(plugin, encoding="utf-8")
    chosen = " or ".join(NAMES)
    ran = python(folder, "-m", "pytest", "-p", "examples_plugin", "-p", "no:cacheprovider", "-vv", "-k", chosen, *LAWS)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    for law in (
        "test_merging_admitted_classes_stays_admitted[uncommon-rows]",
        "test_admits_what_the_oracle_admits[uncommon-rows]",
        "test_a_release_costs_what_the_oracle_says[altered-rows-generalize]",
        "test_no_release_is_cheaper_than_a_bound[lonely-rows]",
        "test_every_law_holds[sweep]",
        "test_a_hierarchy_covers_its_column_level_by_level_or_is_refused[domains]",
        "test_the_laws_hold_of_every_reader[avro-files]",
        "test_what_is_written_can_be_read[avro]",
    ):
        assert f"{law} PASSED" in ran.stdout


def test_a_table_is_read_and_released_in_the_format_of_the_example(folder: Path) -> None:
    file = folder / "people.avro"
    pl.DataFrame({"age": [20 + row % 2 for row in range(6)], "illness": ["flu"] * 6}).write_avro(file)
    ran = python(folder, "-c", (ADDED + RELEASE).format(parts=PARTS, folder=str(folder), file=str(file)))
    assert ran.stdout == "True\n", ran.stderr


def test_the_examples_of_the_docstrings_hold(folder: Path) -> None:
    files = [str(folder / name) for name in FILES if ">>>" in FILES[name]]
    ran = python(folder, "-m", "doctest", *files)
    assert (len(files), ran.returncode) == (2, 0), ran.stdout + ran.stderr


def test_a_package_of_your_own_is_found_by_its_entry_points(folder: Path) -> None:
    group, name, where = re.findall(r'entry-points\."(.+?)"\]\n(\S+) = "(.+?)"', PAGE)[0]
    package = folder / where.partition(".")[0]
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "uncommon_rows.py").write_text(FILES[Path("models/uncommon_rows.py")], encoding="utf-8")
    metadata = folder / "mypackage-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: mypackage\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text(f"[{group}]\n{name} = {where}\n", encoding="utf-8")
    ran = python(folder, "-m", "shoal", "models", "--json")
    assert WRITTEN in ran.stdout, ran.stderr
