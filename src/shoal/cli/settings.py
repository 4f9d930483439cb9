"""What was asked on the command line and in a `shoal.toml`, as the settings of a request."""

from __future__ import annotations

import csv
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal.cli.spark import Spark
from shoal.config import read_config
from shoal.core.errors import ParameterError, Unsupported
from shoal.core.settings import CODES, NAMES, WORDS, Setting
from shoal.request import LEFT_OUT, NEVER_IGNORED, READING, SETTINGS

NEEDED = {"file": "FILE", "quasi": "--quasi", "require": "--require"}
COMMANDS = ("anonymize", "codip", "compare", "frontier", "lattice")
UNUSED: Mapping[str, tuple[str, ...]] = {
    command: tuple(name for name in LEFT_OUT[command] if name not in NEVER_IGNORED) for command in COMMANDS
}
"""Settings of a `shoal.toml` that a command has no use for. All others it uses, or refuses in words."""


def settings(
    command: str, given: Mapping[str, Any], needed: Mapping[str, str], unneeded: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the settings of the configuration that a command uses, and over them the options given.

    Refuses if one needed is missing, or if one cannot be followed. `given` holds what was said on the command line, by
    setting. `unneeded` names what this command can do without.
    """
    asked = read_config(given["config"]) if given["config"] else {}
    asked |= flag_values(given)
    order = {"file": NEEDED["file"], **needed, **NEEDED}
    missing = [
        flag
        for key, flag in order.items()
        if key not in unneeded and not asked.get("database" if key == "file" and asked.get("database") else key)
    ]
    if missing:
        them = "it" if len(missing) == 1 else "them"
        hint = f"give {them}, or put {them} into shoal.toml and use --config"
        if command == "anonymize":
            hint += f"; shoal start {shlex.quote(str(asked.get('file') or 'FILE'))} asks for {them}"
        raise ParameterError(f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} not given", hint=hint)
    if command != "anonymize":
        _refuse_others(command, asked)
    return {key: value for key, value in asked.items() if key not in UNUSED[command]}


def _refuse_others(command: str, asked: dict[str, Any]) -> None:
    """Take out what only `anonymize` can follow; refuse it where it would change the result."""
    if Spark.asked(asked).wanted:
        raise Unsupported(
            f"{command} with engine spark: only anonymize runs on Spark", hint="leave engine out, or set it to local"
        )
    if asked.pop("follows", None) is not None:
        raise Unsupported(
            f"{command} with follows: only anonymize makes releases that follow one another",
            hint="leave follows out of the configuration",
        )
    for name in ("person", "pseudonym", "household", "masks"):
        if asked.get(name) and name in LEFT_OUT[command]:
            raise Unsupported(f"{command} with {name}: {LEFT_OUT[command][name]}")


def table_file(asked: dict[str, Any]) -> tuple[str | Path, dict[str, Any]]:
    """Take the table's file, or the URL of its database, and how it is read out of the settings."""
    file, database = asked.pop("file", None), asked.pop("database", None)
    if file and database:
        raise ParameterError("both a file and --from are given", hint="leave one of the two out")
    return database or file, {key: asked.pop(key, None) for key in READING}


def flag_values(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was said on the command line, as settings."""
    said = {name: _value(SETTINGS[name], value) for name, value in given.items() if name in SETTINGS}
    return {name: value for name, value in said.items() if value is not None}


def _value(one: Setting, said: Any) -> Any:
    """Return the value of a setting from the text of its flag; None where nothing was said."""
    if one.kind == NAMES:
        return names(said)
    if one.kind in (WORDS, CODES):
        return orders(said, one.flag)
    if one.per_column:
        return pairs(said, one.flag)
    return None if said is False else said


def names(given: list[str] | None) -> list[str] | None:
    """Read comma-separated names, quoted where a name has a comma; the option may be repeated."""
    if given is None:
        return None
    return [name.strip() for row in csv.reader(given, skipinitialspace=True) for name in row if name.strip()]


def orders(given: list[str] | None, flag: str = "--order") -> dict[str, list[str]] | None:
    """Read options of the form COLUMN=A,B,C; values with a comma are quoted.

    >>> orders(['pain=low,mid,"high, or more"'])
    {'pain': ['low', 'mid', 'high, or more']}
    """
    said = pairs(given, flag, "COLUMN=A,B,C")
    return None if said is None else {column: names([words]) or [] for column, words in said.items()}


def pairs(given: list[str] | None, flag: str, form: str = "COLUMN=VALUE") -> dict[str, str] | None:
    """Read options of the form COLUMN=VALUE."""
    if not given:
        return None
    wrong = [pair for pair in given if "=" not in pair]
    if wrong:
        raise ParameterError(f"{flag} {wrong[0]!r}", expected=form)
    return dict(pair.split("=", 1) for pair in given)
