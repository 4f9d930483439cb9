"""One `shoal.toml` for every command that takes `--config`: each key is used, or is listed as unused, or is refused."""

from __future__ import annotations

from dataclasses import MISSING, fields
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer.main
from tests.cli.command import Outcome, shoal

from shoal.cli.app import app
from shoal.cli.settings import UNUSED
from shoal.config import FREE, KEYS
from shoal.core.settings import NAMES, NUMBER, SWITCH, Setting
from shoal.core.toml import toml_value
from shoal.request import SETTINGS, Execution, Output, Request, Source
from shoal.studies.isolated_run import attempt
from shoal.studies.synth import write_census

GROUP: Any = typer.main.get_command(app)
COMMANDS = sorted(name for name in GROUP.commands if any(one.name == "config" for one in GROUP.load(name).params))
OWN = {"compare": ["--methods=mondrian"], "frontier": ["--vary=distinct-l(occupation)=1,2", "--queries=0"]}
"""What a command is told besides, so that it is quick."""
OWNERS = (Source, Output, Request, Execution)
BASE = {
    "data": {"file": '"census.csv"'},
    "roles": {
        "quasi": '["age", "gender"]',
        "sensitive": '["occupation"]',
        "leave_out": '"rest"',
        "allow": '["occupation"]',
    },
    "privacy": {"require": '"k=5"'},
    "missing": {},
    "order": {},
    "hierarchies": {},
    "masks": {},
    "method": {"name": '"mondrian"'},
    "column_recodings": {},
    "levels": {},
    "attribute_weights": {},
    "output": {"folder": '"release"'},
}
GOOD = {
    "person": '["birthplace"]',
    "household": '"birthplace"',
    "record_weight": '"age"',
    "file": '"census.csv"',
    "separator": '","',
    "encoding": '"utf-8"',
    "decimal": '"."',
    "unify": '["gender"]',
    "quasi": '["age", "marital"]',
    "sensitive": '["occupation", "income"]',
    "leave_out": '"rest"',
    "allow": '["occupation"]',
    "require": '"k=3"',
    "max_dropped": "0.01",
    "population": '"everybody.csv"',
    "method": '"hilbert"',
    "recoding": '"generalize"',
    "coarsen": '"age=1"',
    "cost": '"ncp"',
    "seed": "7",
    "time_limit": "60",
    "memory_limit": '"64GiB"',
    "engine": '"local"',
    "format": '"parquet"',
    "star": '"null"',
    "overlap": '"warn"',
    "follows": '"none"',
    "database": '"sqlite:///people.db"',
    "to": '"sqlite:///:memory:"',
    "missing": '["?", -8]',
    "order": '["Male", "Female"]',
    "hierarchies": '"intervals:width=5,10"',
    "masks": '"hash"',
    "attribute_weights": "2",
    "levels": '"1.."',
    "column_recodings": '"range"',
}
"""A value that a command may be given, where what a setting declares does not say one; per column, that of one."""
REFUSED = {("codip", "person"), ("codip", "pseudonym"), ("codip", "household"), ("codip", "occupation")}
REFUSED |= {(command, "levels") for command in COMMANDS if command != "lattice"}  # the recoding is another
"""Keys and sections that a command refuses, since without them the result would be another."""
ALONE = (
    "pseudonym",
    "suppress_sensitive",
    "weight_rounding",
    "sheet",
    "header_row",
    "from",
    "query",
    "spark_master",
    "overlap",
    "follows",
    "population",
    "title",
    "owner",
    "purpose",
)
"""Keys that mean nothing without another one, and are refused."""
NOTED = {"unify": "shoal: column 'gender': texts that are alike are spelt in one way, as asked\n"}
"""What `anonymize` says of a key on standard error."""
BAD = {
    "missing": "[]",
    "order": '["nonsense"]',
    "hierarchies": '"nonsense.csv"',
    "masks": '"nonsense"',
    "attribute_weights": "-1",
    "levels": '"nonsense"',
    "column_recodings": '"nonsense"',
}
"""A value that cannot be meant, where the kind of a setting does not say one."""
PLACES = ("folder", "registry", "follows")
"""Texts that may be anything."""
COLUMN = {
    "missing": "age",
    "order": "gender",
    "hierarchies": "age",
    "masks": "occupation",
    "column_recodings": "age",
    "levels": "age",
    "attribute_weights": "age",
}
"""The column that a section with a line per column names."""
WALK = [(one.section, COLUMN[one.section] if one.per_column else one.key) for one in SETTINGS.values()]


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


def setting(section: str, key: str) -> Setting:
    """Return the setting that a key is of; of a section with a line per column, that of the section."""
    return SETTINGS[FREE[section] if section in FREE else KEYS[section][key]]


def good(one: Setting) -> str:
    """Return a value that can be meant: the default, the least number, or what fits the kind."""
    (default,) = (given.default for owner in OWNERS for given in fields(owner) if given.name == one.name)
    by_kind = {NAMES: ["workclass"], SWITCH: True, NUMBER: one.number and int(one.number.minimum or 0)}
    fitting = default if default not in (None, "", (), False, MISSING) else by_kind.get(one.kind, "some words")
    return GOOD.get(one.name) or toml_value(fitting)


def bad(one: Setting) -> str:
    """Return a value that cannot be meant: a number below the least, or words that name nothing."""
    below = toml_value(int(one.number.minimum or 0) - 1) if one.number else '"nonsense"'
    return BAD.get(one.name) or {NAMES: '["nonsense"]'}.get(one.kind, below)


def test_the_walk_is_over_every_command() -> None:
    assert {"anonymize", "codip", "compare", "frontier", "lattice"} <= set(COMMANDS) == set(UNUSED)
    assert {*GOOD, *BAD} <= set(SETTINGS)


@pytest.mark.parametrize(("section", "key"), WALK)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_key_is_taken_by_every_command_or_refused_in_words(
    home: Path, command: str, section: str, key: str
) -> None:
    done = run(command, home, section, key, good(setting(section, key)))
    if not {(command, key), (command, section)} & REFUSED and (key not in ALONE or key in UNUSED[command]):
        assert (done.code, done.err) in ((0, ""), (0, NOTED.get(key, "")))
    else:
        assert done.code == 2
        assert done.err.startswith("shoal: ")
        assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("section", "key"), [one for one in WALK if one[1] not in PLACES and setting(*one).kind != SWITCH]
)
@pytest.mark.parametrize("command", COMMANDS)
def test_nonsense_in_a_key_is_refused_unless_the_key_is_listed_as_unused(
    home: Path, command: str, section: str, key: str
) -> None:
    done = run(command, home, section, key, bad(setting(section, key)))
    unused = setting(section, key).name in UNUSED[command]
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
