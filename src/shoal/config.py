"""One `shoal.toml` says everything that the command line can say; what is given on the command line wins.

Its sections and keys are those that `shoal.request` declares.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from warnings import warn

from shoal.core.errors import ParameterError, nearest
from shoal.core.parameters import as_fraction
from shoal.core.settings import (
    CODES,
    FILE,
    HIERARCHY,
    LEVELS,
    MASK,
    NAMES,
    NUMBER,
    PER_COLUMN,
    RECODING,
    RENAMED,
    SECTIONS,
    SWITCH,
    TEXT,
    WORDS,
)
from shoal.core.toml import toml_value as _toml
from shoal.models.base import quoted
from shoal.request import SETTINGS
from shoal.tables.readers.base import names_file

KEYS: Mapping[str, Mapping[str, str]] = {
    section: {one.key: one.name for one in SETTINGS.values() if one.section == section}
    for section in SECTIONS
    if section not in PER_COLUMN
}
"""Section and key of the file, and the setting it becomes."""
FREE = {one.section: one.name for one in SETTINGS.values() if one.per_column}
"""Sections with a line per column."""
FIRST = "none"
"""What the first release of a series follows: no folder."""
_METRIC = re.compile(r""":\s*["']?([^"')]+?)["']?\s*\)""")
"""What may be the file of a metric in a requirement."""


def read_config(path: Path, folder: Path | None = None) -> dict[str, Any]:
    """Return the settings of a `shoal.toml`; file names in it are relative to it, or to a folder that is named.

    Unknown sections and keys are errors, so that a misspelt one is not silently ignored.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ParameterError(
            f"there is no configuration {path.name!r} in {str(path.parent)!r}", hint="check the path"
        ) from error
    except (ValueError, RecursionError) as error:  # also a number of thousands of digits, and lists within lists
        raise ParameterError(
            f"{path.name!r} is not a TOML file: {error}",
            hint="correct that line; `shoal start FILE` writes a valid configuration",
        ) from error
    settings: dict[str, Any] = {}
    for section, entries in _renamed(path.name, content).items():
        if section not in (*KEYS, *FREE) or not isinstance(entries, dict):
            raise ParameterError(f"{path.name}: unknown section [{section}]", hint=nearest(section, (*KEYS, *FREE)))
        if section in FREE:
            for key, value in entries.items():
                _check_kind(path.name, section, key, value, SETTINGS[FREE[section]].kind)
            settings[FREE[section]] = entries
            continue
        for key, value in entries.items():
            if key not in KEYS[section]:
                raise ParameterError(
                    f"{path.name}: unknown key {key!r} in [{section}]", hint=nearest(key, KEYS[section])
                )
            _check_kind(path.name, section, key, value, SETTINGS[KEYS[section][key]].kind)
            settings[KEYS[section][key]] = value
    return _relative_to(path.parent if folder is None else folder, settings)


def _renamed(file: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sections by their present names, and warn of those of earlier versions."""
    for old, new in RENAMED.items():
        if old in content and new in content:
            raise ParameterError(f"{file}: [{old}] and [{new}] are the same section", hint=f"keep [{new}]")
        if old in content:
            warn(
                f"{file}: [{old}] is now called [{new}]; rename it, the next version will refuse the old name",
                FutureWarning,
                3,
            )
    return {RENAMED.get(section, section): entries for section, entries in content.items()}


def seen_from(config: Path, path: Path) -> str:
    """Return a path relative to a configuration, as a configuration names files."""
    try:
        return Path(os.path.relpath(path.resolve(), config.resolve().parent)).as_posix()
    except ValueError:  # on another drive
        return str(path.resolve())


def as_toml(settings: Mapping[str, Any]) -> str:
    """Return the `shoal.toml` of a request as a release keeps it; what was left to shoal is left out.

    >>> print(as_toml({"quasi": ["age"], "require": "k=5", "seed": 3, "hierarchies": {"age": {"builder": "stars"}}}))
    [roles]
    quasi = ["age"]
    <BLANKLINE>
    [privacy]
    require = "k=5"
    <BLANKLINE>
    [hierarchies]
    "age" = {"builder" = "stars"}
    <BLANKLINE>
    [method]
    seed = 3
    """
    said = _as_asked(settings)
    parts = {section: {key: said.get(name) for key, name in keys.items()} for section, keys in KEYS.items()}
    free = {section: {_toml(key): value for key, value in said.get(name, {}).items()} for section, name in FREE.items()}
    found = []
    for section in SECTIONS:
        entries = (parts | free)[section]
        lines = [f"{key} = {_toml(value)}" for key, value in entries.items() if value not in (None, [], {}, False)]
        found += ["\n".join([f"[{section}]", *lines])] if lines else []
    return "\n\n".join(found)


def _as_asked(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings with raised columns in words, and with the hierarchies that they were raised along."""
    raised = settings.get("coarsen") or {}
    if isinstance(raised, str):  # as it was asked for, before any level was chosen
        return dict(settings)
    trees = {**settings.get("hierarchies", {}), **{name: one["hierarchy"] for name, one in raised.items()}}
    words = ",".join(f"{name}={one['level']}" for name, one in raised.items())
    return {**settings, "hierarchies": trees, "coarsen": words or None}


def _check_kind(file: str, section: str, key: str, value: object, kind: str) -> None:
    fits: Mapping[str, Callable[[object], bool]] = {
        TEXT: lambda given: isinstance(given, str),
        FILE: lambda given: isinstance(given, str),
        HIERARCHY: lambda _: True,  # for a builder to say
        MASK: lambda given: isinstance(given, str | dict),
        LEVELS: lambda given: isinstance(given, str | int) and not isinstance(given, bool),
        RECODING: lambda given: isinstance(given, str),
        NUMBER: lambda given: as_fraction(given) is not None,
        NAMES: lambda given: all(isinstance(name, str) for name in (given if isinstance(given, list) else [given])),
        SWITCH: lambda given: isinstance(given, bool),
        CODES: lambda given: isinstance(given, list) and all(isinstance(code, str | int | float) for code in given),
        WORDS: lambda given: isinstance(given, list) and all(isinstance(word, str) for word in given),
    }
    if not fits[kind](value):
        raise ParameterError(f"{file}: {key} in [{section}] is {value!r}", expected=kind)


def _relative_to(folder: Path, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings with file names made relative to the configuration's folder."""
    made = dict(settings)
    for name, one in SETTINGS.items():
        if one.kind == FILE and made.get(name, FIRST) != FIRST:
            made[name] = str(folder / made[name])
    if "require" in made:
        made["require"] = _METRIC.sub(
            lambda found: f":{quoted(str(folder / found[1]))})" if names_file(folder / found[1]) else found[0],
            made["require"],
        )
    specs = made.get("hierarchies", {})
    made["hierarchies"] = {
        name: str(folder / spec) if isinstance(spec, str) and names_file(folder / spec) else spec
        for name, spec in specs.items()
    }
    return made
