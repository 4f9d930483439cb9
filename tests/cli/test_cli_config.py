"""One `shoal.toml` for every command that takes `--config`: each key is used, or is listed as unused, or is refused."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer.main
from tests.cli.command import Outcome, shoal

from shoal.cli.app import app
from shoal.cli.settings import UNUSED
from shoal.config import FREE, KEYS
from shoal.studies.isolated_run import attempt
from shoal.studies.synth import write_census

GROUP: Any = typer.main.get_command(app)
COMMANDS = sorted(name for name in GROUP.commands if any(one.name == "config" for one in GROUP.load(name).params))
OWN = {"compare": ["--methods=mondrian"], "frontier": ["--vary=distinct-l(occupation)=1,2", "--queries=0"]}
"""What a command is told besides, so that it is quick."""
BASE = {
    "data": {"file": '"census.csv"'},
    "roles": {"quasi": '["age", "gender"]', "sensitive": '["occupation"]', "leave_out": '"rest"'},
    "privacy": {"require": '"k=5"'},
    "missing": {},
    "order": {},
    "hierarchies": {},
    "method": {"name": '"mondrian"'},
    "attribute_weights": {},
    "output": {"folder": '"release"'},
}
GOOD = {
    "file": '"census.csv"',
    "separator": '","',
    "encoding": '"utf-8"',
    "decimal": '"."',
    "unify": '["gender"]',
    "quasi": '["age", "marital"]',
    "sensitive": '["occupation", "income"]',
    "identifiers": '["workclass"]',
    "person": '["birthplace"]',
    "pseudonym": '"number"',
    "record_weight": '"age"',
    "other": '["workclass"]',
    "leave_out": '"rest"',
    "allow": '["occupation"]',
    "require": '"k=3"',
    "max_dropped": "0.01",
    "max_suppressed": "0",
    "suppressed": '"checked"',
    "population": '"everybody.csv"',
    "name": '"hilbert"',
    "recoding": '"generalize"',
    "coarsen": '"age=1"',
    "cost": '"ncp"',
    "effort": '"normal"',
    "seed": "7",
    "time_limit": "60",
    "memory_limit": '"64GiB"',
    "engine": '"local"',
    "spark_master": '"local[2]"',
    "folder": '"other"',
    "format": '"parquet"',
    "star": '"null"',
    "neutralise": "true",
    "overwrite": "true",
    "report": "true",
    "title": '"Census"',
    "owner": '"The office"',
    "purpose": '"Research"',
    "registry": '"known"',
    "overlap": '"warn"',
    "follows": '"none"',
    "sheet": '"2024"',
    "header_row": "1",
    "from": '"sqlite:///people.db"',
    "query": '"people"',
    "to": '"sqlite:///:memory:"',
    "missing": '["?", -8]',
    "order": '["Male", "Female"]',
    "hierarchies": '"intervals:width=5,10"',
    "attribute_weights": "2",
}
"""A value of every key that a command may be given; of the free sections one of a column."""
ALONE = (
    "sheet",
    "header_row",
    "from",
    "query",
    "spark_master",
    "pseudonym",
    "overlap",
    "follows",
    "population",
    "title",
    "owner",
    "purpose",
)
"""Keys that mean nothing without another one, and are refused."""
REFUSED = {("codip", "person"), ("codip", "pseudonym")}
"""Keys that a command refuses, since without them the result would be another."""
NOTED = {"unify": "shoal: column 'gender': texts that are alike are spelt in one way, as asked\n"}
"""What `anonymize` says of a key on standard error."""
BAD = {
    "seed": "-1",
    "max_dropped": "7",
    "max_suppressed": "7",
    "time_limit": "-1",
    "unify": '["nonsense"]',
    "quasi": '["nonsense"]',
    "sensitive": '["nonsense"]',
    "identifiers": '["nonsense"]',
    "person": '["nonsense"]',
    "other": '["nonsense"]',
    "leave_out": '["nonsense"]',
    "allow": '["nonsense"]',
    "missing": "[]",
    "order": '["nonsense"]',
    "hierarchies": '"nonsense.csv"',
    "attribute_weights": "-1",
}
"""A value that cannot be meant; of all other texts it is `nonsense`."""
SWITCHES = ("neutralise", "overwrite", "report")
PLACES = ("folder", "registry", "follows")
"""Texts that may be anything."""
COLUMN = {"missing": "age", "order": "gender", "hierarchies": "age", "attribute_weights": "age"}
"""The column that a free section names."""
WALK = [*((section, key) for section, keys in KEYS.items() for key in keys), *((one, COLUMN[one]) for one in FREE)]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    write_census(folder / "census.csv", 60, seed=1)
    write_census(folder / "everybody.csv", 50, seed=2)
    return folder


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guarantees that no case waits for a process for each method compared, or for the commands to be made anew."""
    monkeypatch.setattr(typer.main, "get_command", lambda _: GROUP)
    monkeypatch.setattr(import_module("shoal.studies.comparison"), "run_apart", attempt)
    monkeypatch.setenv("COLUMNS", "200")


def run(command: str, home: Path, section: str, key: str, value: str) -> Outcome:
    """Run a command on a `shoal.toml` that has one key more than it needs."""
    said = {name: dict(entries) for name, entries in BASE.items()}
    said[section][key] = value
    text = "\n".join(f"[{name}]\n" + "\n".join(f"{k} = {v}" for k, v in of.items()) for name, of in said.items())
    folder = home / f"{command}-{section}-{key}-{len(list(home.iterdir()))}"
    folder.mkdir()
    for name in ("census.csv", "everybody.csv"):
        (folder / name).symlink_to(home / name)
    (folder / "shoal.toml").write_text(text, encoding="utf-8")
    return shoal(command, "--config", folder / "shoal.toml", *OWN.get(command, ()))


def good(section: str, key: str) -> str:
    return GOOD[section if section in FREE else key]


def test_the_walk_is_over_every_command_and_every_key() -> None:
    assert {"anonymize", "codip", "compare", "frontier"} <= set(COMMANDS) == set(UNUSED)
    assert set(GOOD) == {key for keys in KEYS.values() for key in keys} | set(FREE)


@pytest.mark.parametrize(("section", "key"), WALK)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_key_is_taken_by_every_command_or_refused_in_words(
    home: Path, command: str, section: str, key: str
) -> None:
    done = run(command, home, section, key, good(section, key))
    if (command, key) not in REFUSED and (key not in ALONE or key in UNUSED[command]):
        assert (done.code, done.err) in ((0, ""), (0, NOTED.get(key, "")))
    else:
        assert done.code == 2
        assert done.err.startswith("shoal: ")
        assert done.err.count("\n") == 1


@pytest.mark.parametrize(("section", "key"), [one for one in WALK if one[1] not in (*SWITCHES, *PLACES)])
@pytest.mark.parametrize("command", COMMANDS)
def test_nonsense_in_a_key_is_refused_unless_the_key_is_listed_as_unused(
    home: Path, command: str, section: str, key: str
) -> None:
    of = section if section in FREE else key
    done = run(command, home, section, key, BAD.get(of, '"nonsense"'))
    unused = KEYS.get(section, {}).get(key) in UNUSED[command]
    assert (done.code == 0) == unused, done.err
    assert unused or (done.code in (2, 3) and done.err.startswith("shoal: ")), done.err


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - {"anonymize"}))
@pytest.mark.parametrize(
    ("section", "key", "value"), [("method", "engine", '"spark"'), ("output", "follows", '"none"')]
)
def test_what_only_anonymize_can_follow_is_refused_by_name(
    home: Path, command: str, section: str, key: str, value: str
) -> None:
    done = run(command, home, section, key, value)
    assert done.code == 2
    assert done.err.startswith(f"shoal: {command} with {key}")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_memory_limit_of_the_configuration_is_kept(home: Path, command: str) -> None:
    done = run(command, home, "method", "memory_limit", '"1MiB"')
    assert done.code == 2
    assert "more memory was needed than memory_limit allows" in done.err


def test_the_method_of_the_configuration_is_the_frontiers_where_no_other_is_named(home: Path) -> None:
    assert "hilbert" in run("frontier", home, "method", "name", '"hilbert"').out


@pytest.mark.parametrize("command", COMMANDS)
def test_a_single_column_need_not_be_a_list(home: Path, command: str) -> None:
    assert run(command, home, "roles", "sensitive", '"occupation"').code == 0
