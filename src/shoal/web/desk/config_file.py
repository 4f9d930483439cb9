"""A `shoal.toml` as the parts of a draft: what the command line was asked, decided on the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.core.errors import ParameterError, RoleError, nearest
from shoal.request import LEFT_OUT, NEVER_IGNORED
from shoal.web.desk.draft import OPEN, PARTS, ROLES

REST = "rest"
"""Stands for every column that no role names."""


def roles_of(settings: Mapping[str, Any], columns: Sequence[str]) -> dict[str, str]:
    """Return the role of every column of a table; those that are named nowhere are open.

    >>> roles_of({"quasi": ["age"], "other": ["rest"], "sensitive": "ill"}, ["age", "ill", "town"])
    {'age': 'quasi', 'ill': 'sensitive', 'town': 'other'}
    """
    named: dict[str, str] = {}
    rest = OPEN
    for role, setting in ROLES.items():
        for name in _listed(settings.get(setting, ())):
            if name == REST and REST not in columns:
                rest = role
            elif name not in columns:
                raise RoleError(f"the table has no column {name!r}", hint=nearest(name, columns))
            else:
                named[name] = role
    return {name: named.get(name, rest) for name in columns}


def _listed(said: str | Sequence[str]) -> list[str]:
    return [one.strip() for one in said.split(",")] if isinstance(said, str) else list(said)


def parts_of(settings: Mapping[str, Any], columns: Sequence[str]) -> dict[str, Any]:
    """Return the parts of a draft that settings decide, but the file and how it is read.

    What the page does itself, such as where a release is put, is left out; what would change the release is refused.
    """
    for name in settings:
        if name in NEVER_IGNORED and name in LEFT_OUT["draft"]:
            raise ParameterError(
                f"the page does not support {name}: {LEFT_OUT['draft'][name]}", hint="use the command line"
            )
    lists = {name: _listed(settings[name]) for name in ("allow", "person", "unify") if name in settings}
    require = [settings["require"]] if settings.get("require") else []
    rest = {name: said for name, said in settings.items() if name in PARTS}
    return {**rest, **lists, "require": require, "roles": roles_of(settings, columns)}
