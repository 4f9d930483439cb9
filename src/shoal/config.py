"""One `shoal.toml` says everything that the command line can say; what is given on the command line wins.

[data]         file, separator, encoding, decimal, unify
[roles]        quasi, sensitive, identifiers
[privacy]      require, max_dropped, max_suppressed, suppressed, population
[order]        a line per column of words: a list of its values, the least first
[hierarchies]  a line per column: a file, words such as "intervals:width=5,10", or a table with `builder`
[method]       name, recoding, coarsen, cost, seed, time_limit, memory_limit, engine, spark_master
[weights]      a line per column
[output]       folder, format, star, neutralise, overwrite, report, registry, overlap, follows
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from shoal.core.errors import ParameterError, nearest
from shoal.core.parameters import as_fraction
from shoal.core.toml import toml_value as _toml
from shoal.models.base import quoted

KEYS: Mapping[str, Mapping[str, str]] = {
    "data": {"file": "file", "separator": "separator", "encoding": "encoding", "decimal": "decimal"}
    | {"unify": "unify"},
    "roles": {"quasi": "quasi", "sensitive": "sensitive", "identifiers": "identifiers"},
    "privacy": {"require": "require", "max_dropped": "max_dropped", "population": "population"}
    | {"max_suppressed": "max_suppressed", "suppressed": "suppressed"},
    "method": {
        "name": "method",
        "recoding": "recoding",
        "coarsen": "coarsen",
        "cost": "cost",
        "seed": "seed",
        "time_limit": "time_limit",
        "memory_limit": "memory_limit",
        "engine": "engine",
        "spark_master": "spark_master",
    },
    "output": {
        "folder": "folder",
        "format": "format",
        "star": "star",
        "neutralise": "neutralise",
        "overwrite": "overwrite",
        "report": "report",
        "registry": "registry",
        "overlap": "overlap",
        "follows": "follows",
    },
}
"""Section and key of the file, and the setting it becomes."""
TEXT, NUMBER, NAMES, SWITCH = "a text", "a number", "a list of column names", "true or false"
WORDS = "a list of texts, the least first"
KINDS = {"max_dropped": NUMBER, "max_suppressed": NUMBER, "seed": NUMBER, "time_limit": NUMBER} | {
    **dict.fromkeys((*KEYS["roles"], "unify"), NAMES),
    **dict.fromkeys(("neutralise", "overwrite", "report"), SWITCH),
}
"""What a setting must be where it is not a text."""
FREE = {"order": "order", "hierarchies": "hierarchies", "weights": "attribute_weights"}
"""Sections with a line per column."""
FREE_KINDS = {"order": WORDS, "weights": NUMBER}
"""What a line of theirs must be, where that is not for a builder to say."""
FIRST = "none"
"""What the first release of a series follows: no folder."""
_METRIC = re.compile(r""":\s*["']?([^"')]+?)["']?\s*\)""")
"""What may be the file of a metric in a requirement."""


def read_config(path: Path) -> dict[str, Any]:
    """Return the settings of a `shoal.toml`; file names in it are relative to it.

    Unknown sections and keys are errors, so that a misspelt one is not silently ignored.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ParameterError(
            f"there is no configuration {path.name!r} in {str(path.parent)!r}", hint="check the path"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ParameterError(f"{path.name!r} is not a TOML file: {error}", hint="see docs/configuration.md") from error
    settings: dict[str, Any] = {}
    for section, entries in content.items():
        if section not in (*KEYS, *FREE) or not isinstance(entries, dict):
            raise ParameterError(f"{path.name}: unknown section [{section}]", hint=nearest(section, (*KEYS, *FREE)))
        if section in FREE:
            for key in entries if section in FREE_KINDS else ():
                _check_kind(path.name, section, key, entries[key], FREE_KINDS[section])
            settings[FREE[section]] = entries
            continue
        for key, value in entries.items():
            if key not in KEYS[section]:
                raise ParameterError(
                    f"{path.name}: unknown key {key!r} in [{section}]", hint=nearest(key, KEYS[section])
                )
            _check_kind(path.name, section, key, value, KINDS.get(key, TEXT))
            settings[KEYS[section][key]] = value
    return _relative_to(path.parent, settings)


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
    for section in ("data", "roles", "privacy", "order", "hierarchies", "method", "weights", "output"):
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
        NUMBER: lambda given: as_fraction(given) is not None,
        NAMES: lambda given: all(isinstance(name, str) for name in (given if isinstance(given, list) else [given])),
        SWITCH: lambda given: isinstance(given, bool),
        WORDS: lambda given: isinstance(given, list) and all(isinstance(word, str) for word in given),
    }
    if not fits[kind](value):
        raise ParameterError(f"{file}: {key} in [{section}] is {value!r}", expected=kind)


def _relative_to(folder: Path, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings with file names made relative to the configuration's folder."""
    made = dict(settings)
    for key in ("file", "folder", "population", "registry", "follows"):
        if made.get(key, FIRST) != FIRST:
            made[key] = str(folder / made[key])
    if "require" in made:
        made["require"] = _METRIC.sub(
            lambda found: f":{quoted(str(folder / found[1]))})" if (folder / found[1]).is_file() else found[0],
            made["require"],
        )
    specs = made.get("hierarchies", {})
    made["hierarchies"] = {
        name: str(folder / spec) if isinstance(spec, str) and (folder / spec).is_file() else spec
        for name, spec in specs.items()
    }
    return made
