from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.command import settle, shoal

import shoal as library
from shoal import costs, models
from shoal.core.discovery import discover
from shoal.costs import Cost
from shoal.methods.auto import methods
from shoal.models import Model
from shoal.studies.synth import ATTRIBUTES, QUASI, SENSITIVE, census
from shoal.tables.table import read


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return settle(tmp_path, monkeypatch)


# Lists


@pytest.mark.parametrize(
    ("command", "keys", "names"),
    [
        ("methods", {"name", "guarantee", "cost", "paper", "models"}, list(methods())),
        (
            "models",
            {"written", "name", "meaning", "merging keeps it"},
            [kind.title for kind in discover(models, Model).values()],
        ),
        ("costs", {"name", "meaning", "recodings", "weights"}, list(discover(costs, Cost))),
    ],
)
def test_a_list_names_everything_there_is(home: Path, command: str, keys: set[str], names: list[str]) -> None:
    listed = shoal(command, "--json")
    found = json.loads(listed.out)
    assert [row["name"] for row in found] == names
    assert all(set(row) == keys for row in found)
    shown = shoal(command)
    assert (listed.code, listed.err, shown.code, shown.err) == (0, "", 0, "")
    assert all(name in shown.out for name in names)


def test_the_version_is_printed() -> None:
    done = shoal("--version")
    assert (done.code, done.out, done.err) == (0, f"shoal {library.__version__}\n", "")


@pytest.mark.parametrize(
    "command",
    [[], ["anonymize"], ["compare"], ["audit"], ["verify"], ["methods"], ["synth"], ["synth", "census"], ["demo"]],
    ids=str,
)
@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_every_command_explains_itself(command: list[str], flag: str) -> None:
    done = shoal(*command, flag)
    assert (done.code, done.err) == (0, "")
    assert "Usage: shoal" in done.out


def test_an_unknown_command_ends_with_2() -> None:
    done = shoal("anonymise")
    assert (done.code, done.out) == (2, "")
    assert "anonymise" in done.err


# The synthetic census and the demonstration


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "parquet", "arrow"])
def test_a_census_is_written_with_its_hierarchies(home: Path, suffix: str) -> None:
    done = shoal("synth", "census", "--rows=50", "--seed=4", "-o", f"people.{suffix}")
    assert (done.code, done.out) == (0, "")
    assert read(home / f"people.{suffix}").frame.equals(census(50, seed=4))
    assert {path.name for path in (home / "people_hierarchies").iterdir()} == {f"{one.name}.csv" for one in ATTRIBUTES}


def test_the_written_hierarchies_fit_the_written_census(home: Path) -> None:
    done = shoal(
        *["anonymize", "census.csv", "--quasi", ",".join(QUASI), "--leave-out=rest", "--require=k=5"],
        *["--recoding=generalize", "-o", "out"],
        *(f"--hierarchy={name}=census_hierarchies/{name}.csv" for name in QUASI),
    )
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize(
    "arguments", [["-o", "people.pdf"], ["--rows=0", "-o", "x.csv"], ["--seed=-1", "-o", "x.csv"], []], ids=str
)
def test_a_census_that_cannot_be_made_ends_with_2(home: Path, arguments: list[str]) -> None:
    before = sorted(home.rglob("*"))
    done = shoal("synth", "census", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err
    assert sorted(home.rglob("*")) == before


def test_the_demonstration_leaves_a_verified_release_and_can_be_shown_again(home: Path) -> None:
    done, again = (shoal("demo", "--rows=100", "-o", "demo") for _ in range(2))
    assert (done.code, done.err, again.code) == (0, "", 0)
    assert "verified" in done.out
    assert {path.name for path in (home / "demo").iterdir()} == {"census.csv", "census_hierarchies", "release"}
    assert library.verify(home / "demo" / "release", original=home / "demo" / "census.csv").failures == []
    found = json.loads((home / "demo" / "release" / "public" / "certificate.json").read_text())
    assert {model["name"] for model in found["models"]} == {"k", "l", "t"}
    assert set(found["sensitive"]) == set(SENSITIVE)


def test_the_demonstration_writes_over_no_census_of_somebody_else(home: Path) -> None:
    (home / "mine").mkdir()
    (home / "mine" / "census.csv").write_text("mine")
    done = shoal("demo", "--rows=200", "-o", "mine")
    assert (done.code, (home / "mine" / "census.csv").read_text()) == (2, "mine")
    assert "exists already" in done.err


def test_the_numbers_of_rows_are_not_written_over_the_table(home: Path) -> None:
    before = (home / "census.csv").read_bytes()
    done = shoal("audit", "census.csv", "--quasi=age", "--require=k=2", "--violations=./census.csv")
    assert (done.code, (home / "census.csv").read_bytes()) == (2, before)
    assert "is the table itself" in done.err


# As a process of its own


def run(*arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, cwd=folder, timeout=120, check=False
    )


HEAVY = ("numba", "scipy", "polars", "numpy", "pandas", "altair", "matplotlib", "rich.progress")


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["hierarchy", "--help"]], ids=str)
def test_asking_for_the_list_of_commands_imports_nothing_heavy(arguments: list[str]) -> None:
    script = f"""
import sys, atexit
atexit.register(lambda: print(*sorted(set(sys.modules) & set({HEAVY!r})), file=sys.stderr))
sys.argv = ["shoal", *{arguments!r}]
from shoal.cli import main
main()
"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = run("-c", script)
    print(f"{arguments}: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before:.2f} s of CPU")
    assert (done.returncode, done.stderr.strip()) == (0, "")
    assert "shoal" in done.stdout


def test_python_m_shoal_is_the_command(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("age\n1\n1\n2\n2\n")
    done = run(
        "-m", "shoal", "anonymize", "t.csv", "--quasi=age", "--require=k=2", "-o", "out", "--json", folder=tmp_path
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["classes"] == 2
    refused = run("-m", "shoal", "verify", "nowhere", folder=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("shoal: there is no release")


def test_another_process_writes_the_same_public_bytes(tmp_path: Path) -> None:
    census(200, seed=5).write_csv(tmp_path / "census.csv")
    for name in ("one", "other"):
        command = [
            "anonymize",
            "census.csv",
            "--quasi=age,gender,race",
            "--leave-out=rest",
            "--require=k=3",
            "--recoding=range",
            "--effort=quick",
            "-o",
            name,
        ]
        assert run("-m", "shoal", *command, folder=tmp_path).returncode == 0
    one, other = (
        {path.name: path.read_bytes() for path in (tmp_path / name / "public").iterdir()} for name in ("one", "other")
    )
    assert one == other


def test_a_closed_pipe_is_not_complained_about() -> None:
    command = f"'{sys.executable}' -m shoal models --json | head -c 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout, done.stderr) == ("[", "")
