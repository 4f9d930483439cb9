"""One `shoal.toml` says everything that the command line can say; what is given on the command line wins.

[data]         file, separator, encoding, decimal
[roles]        quasi, sensitive, identifiers
[privacy]      require, max_dropped, population
[hierarchies]  a line per column: a file, words such as "intervals:width=5,10", or a table with `builder`
[method]       name, recoding, cost, seed, time_limit
[weights]      a line per column
[output]       folder, format, star, overwrite
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.errors import ParameterError, nearest

KEYS: Mapping[str, Mapping[str, str]] = {
    "data": {"file": "file", "separator": "separator", "encoding": "encoding", "decimal": "decimal"},
    "roles": {"quasi": "quasi", "sensitive": "sensitive", "identifiers": "identifiers"},
    "privacy": {"require": "require", "max_dropped": "max_dropped", "population": "population"},
    "method": {
        "name": "method",
        "recoding": "recoding",
        "cost": "cost",
        "seed": "seed",
        "time_limit": "time_limit",
    },
    "output": {"folder": "folder", "format": "format", "star": "star", "overwrite": "overwrite"},
}
"""Section and key of the file, and the setting it becomes."""
FREE = {"hierarchies": "hierarchies", "weights": "attribute_weights"}
"""Sections with a line per column."""


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
            settings[FREE[section]] = entries
            continue
        for key, value in entries.items():
            if key not in KEYS[section]:
                raise ParameterError(
                    f"{path.name}: unknown key {key!r} in [{section}]", hint=nearest(key, KEYS[section])
                )
            settings[KEYS[section][key]] = value
    return _relative_to(path.parent, settings)


def _relative_to(folder: Path, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings with file names made relative to the configuration's folder."""
    made = dict(settings)
    for key in ("file", "folder", "population"):
        if key in made:
            made[key] = str(folder / made[key])
    specs = made.get("hierarchies", {})
    made["hierarchies"] = {
        name: str(folder / spec) if isinstance(spec, str) and (folder / spec).is_file() else spec
        for name, spec in specs.items()
    }
    return made
