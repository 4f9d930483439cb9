"""The law of settings: each works in every face, or is listed with the reason why that face does not take it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import MISSING, fields
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
import typer.main

import shoal
from shoal import pipeline
from shoal.cli.app import app
from shoal.cli.settings import COMMANDS, UNUSED
from shoal.config import FREE, KEYS
from shoal.core.errors import ParameterError, Unsupported
from shoal.core.settings import NAMES, NUMBER, PANELS, SECTIONS, SWITCH, settings_of
from shoal.request import LEFT_OUT, SETTINGS, Choices, Execution, Output, Request, Settings, Source
from shoal.web.desk.draft import PARTS, ROLES, Draft

PEOPLE = {"age": [25, 25, 40, 40], "illness": ["flu", "gout", "flu", "gout"]}
PYTHON: dict[str, Callable[..., Any]] = {
    "anonymize": shoal.anonymize,
    "compare": shoal.compare,
    "frontier": shoal.frontier,
    "lattice": shoal.lattice,
    "codip": shoal.codip,
    "spark": shoal.spark.anonymize,
}
OF_REQUEST = settings_of(Request)
PAGE = (Path(shoal.__file__).parents[2] / "docs" / "configuration.md").read_text(encoding="utf-8")


def flags(command: str) -> dict[str, Any]:
    """The options and arguments of a command, by name."""
    group = typer.main.get_command(app)
    return {one.name: one for one in group.load(command).params}  # type: ignore[attr-defined]


def test_every_setting_belongs_to_one_class_and_one_section() -> None:
    owners = [settings_of(owner) for owner in (Source, Output, Request, Execution)]
    assert sum(map(len, owners)) == len(SETTINGS)
    assert {one.section for one in SETTINGS.values()} == set(SECTIONS) == {*KEYS, *FREE}
    assert {one.panel for one in SETTINGS.values()} == set(PANELS)
    assert {*FREE.values(), *(name for keys in KEYS.values() for name in keys.values())} == set(SETTINGS)


def test_type_checkers_know_every_setting_that_may_be_left_out() -> None:
    known = {name: one.__forward_arg__ for name, one in Settings.__annotations__.items()}
    assert {*known, "quasi", "require"} == set(OF_REQUEST)
    for one in fields(Request):
        optional = "" if one.default_factory is MISSING else " | None"  # of a mapping None is the same as an empty one
        assert known.get(one.name, one.type) == f"{one.type}{optional}"


NEW = """
import sys
from importlib.util import find_spec, module_from_spec
from pathlib import Path

spec = find_spec("shoal.request")
text, mark = Path(spec.origin).read_text(encoding="utf-8"), "class Choices:"
line = '    new_share: Numeral = setting(0, "A new share.", section="privacy", number=MAX_DROPPED)'
sys.modules["shoal.request"] = module = module_from_spec(spec)
exec(compile(text.replace(mark, f"{mark}\\n{line}", 1), spec.origin, "exec"), vars(module))

import typer.main
from inspect import signature

import shoal
from shoal.cli.app import app
from shoal.cli.settings import COMMANDS
from shoal.config import as_toml, read_config
from shoal.web.desk import Draft

asked = {"quasi": ["age"], "require": "k=2", "new_share": 0.5}
assert shoal.anonymize({"age": [25, 25]}, **asked).config["new_share"] == "1/2"
others = (shoal.compare, shoal.frontier, shoal.codip, shoal.lattice)
assert all("new_share" in signature(one).parameters for one in others)
commands = typer.main.get_command(app)
assert all("--new-share" in str([one.opts for one in commands.load(name).params]) for name in COMMANDS)
Path("shoal.toml").write_text(as_toml(asked), encoding="utf-8")
assert read_config(Path("shoal.toml"))["new_share"] == 0.5
assert Draft().changed(roles={"age": "quasi"}, require=["k=2"], new_share="0.5").request().new_share == "0.5"
"""


def test_one_line_in_one_file_adds_a_setting_to_every_face(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", NEW], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_is_left_out_is_a_setting_and_has_a_reason() -> None:
    assert {*COMMANDS, "start", "spark", "draft"} == set(LEFT_OUT)
    for reasons in LEFT_OUT.values():
        assert set(reasons) <= set(SETTINGS)
        assert all(reasons.values())


@pytest.mark.parametrize("name", OF_REQUEST)
@pytest.mark.parametrize("face", PYTHON)
def test_every_function_takes_a_setting_or_refuses_it_in_words(face: str, name: str) -> None:
    takes = name in signature(PYTHON[face]).parameters
    assert takes == (name not in LEFT_OUT[face])
    if takes:
        assert name in ("quasi", "require") or f"`{name}`" in str(PYTHON[face].__doc__)
        return
    more = {"vary": "k=2"} if face == "frontier" else {}
    asked = {"quasi": ["age"], "require": "k=2", **more, name: "anything"}
    with pytest.raises(Unsupported, match=f"{face} does not support {name}: "):
        PYTHON[face](PEOPLE, **asked)


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("command", [*COMMANDS, "start"])
def test_every_command_has_the_flag_of_a_setting_or_says_why_not(command: str, name: str) -> None:
    found = flags(command).get(name)
    assert (found is None) == (name in LEFT_OUT[command])
    if found is not None and name != "file":
        assert SETTINGS[name].flag in found.opts
        assert (found.help, found.rich_help_panel) == (SETTINGS[name].help, SETTINGS[name].panel)


@pytest.mark.parametrize("name", SETTINGS)
def test_a_draft_has_a_part_for_a_setting_or_says_why_not(name: str) -> None:
    assert (name in (*PARTS, *ROLES.values())) == (name not in LEFT_OUT["draft"])
    if name in LEFT_OUT["draft"]:
        with pytest.raises(ParameterError, match=f"a draft has no part '{name}'; {re.escape(LEFT_OUT['draft'][name])}"):
            Draft().changed(**{name: "anything"})


@pytest.mark.parametrize("name", [name for name in settings_of(Choices) if name not in LEFT_OUT["draft"]])
def test_a_choice_of_a_draft_reaches_the_request(name: str) -> None:
    of_kind = {SWITCH: True, NAMES: ("age",), NUMBER: 0.5}.get(SETTINGS[name].kind, "words")
    value = {"age": of_kind} if SETTINGS[name].per_column else of_kind
    asked = Draft().changed(require=["k=2"], roles={"age": "quasi"}, **{name: value})
    assert getattr(asked.request(), name) == value
    assert Draft.from_dict(asked.to_dict()) == asked != Draft().changed(require=["k=2"], roles={"age": "quasi"})


@pytest.mark.parametrize("name", SETTINGS)
def test_the_page_on_configuration_has_a_row_for_every_setting(name: str) -> None:
    one = SETTINGS[name]
    key = "a column" if one.per_column else f"`{one.key}`"
    flag = "FILE" if name == "file" else one.short or one.flag
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and f"| {key}" in line and f"| `{flag}" in line]
    assert len(rows) == 1


@pytest.mark.parametrize("command", [name for name in COMMANDS if UNUSED[name]])
def test_the_page_on_configuration_names_what_a_command_does_not_use(command: str) -> None:
    (row,) = (line for line in PAGE.splitlines() if line.startswith(f"| `{command}` |"))
    assert all(f"`{SETTINGS[name].key}`" in row for name in UNUSED[command])


def test_none_leaves_a_setting_to_its_default() -> None:
    asked = dict.fromkeys(OF_REQUEST) | {"quasi": ["age"], "require": "k=2"}
    assert Request.of("anonymize", **asked) == Request(["age"], "k=2")


def test_the_flow_can_be_read_on_a_few_pages() -> None:
    assert len(Path(str(pipeline.__file__)).read_text(encoding="utf-8").splitlines()) <= 150
