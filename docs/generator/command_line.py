"""The command line as a page: every command with its arguments and options, read from the commands themselves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from shoal.cli.app import app
from shoal.studies.reference import markdown


def command_line() -> str:
    """Return a section for each command, in the order of `shoal --help`."""
    return "\n\n".join(section(words, command) for words, command in commands())


def commands(group: Any = None, before: str = "shoal") -> Iterator[tuple[str, Any]]:
    """Walk through the commands, those of groups among them, each with the words it is called by.

    >>> [words for words, _ in commands()][:3]
    ['shoal start', 'shoal anonymize', 'shoal audit']
    """
    group = group or typer.main.get_command(app)
    for name in group.commands:
        command = group.load(name)
        words = f"{before} {name}"
        if hasattr(command, "commands"):
            yield from commands(command, words)
        else:
            yield words, command


def section(words: str, command: Any) -> str:
    """Return the section of a command: what it does, how it is called, and a table of options for each panel."""
    own = [one for one in command.params if "--help" not in one.opts]
    given = [one for one in own if one.param_type_name == "argument"]
    usage = " ".join([words, *(f"[{one.name.upper()}]" for one in given), "[OPTIONS]"])
    tables = [f"**{title}**\n\n{markdown(rows)}" for title, rows in _tables(own).items()]
    return "\n\n".join([f"## {words}", str(command.help or "").strip(), f"```text\n{usage}\n```", *tables])


def _tables(parameters: list[Any]) -> dict[str, list[dict[str, Any]]]:
    tables: dict[str, list[dict[str, Any]]] = {}
    for one in parameters:
        panel = "Arguments" if one.param_type_name == "argument" else one.rich_help_panel or "Options"
        tables.setdefault(panel, []).append(_row(one))
    return tables


def _row(parameter: Any) -> dict[str, Any]:
    """Return the row of an argument or option. Options whose help does not say so default to nothing."""
    names = [parameter.name.upper()] if parameter.param_type_name == "argument" else _flags(parameter)
    default = parameter.default
    stated = isinstance(default, (str, int, float, Path)) and default not in ("", False)
    return {
        "option": ", ".join(f"`{name}`" for name in names),
        "takes": None if getattr(parameter, "is_flag", False) else f"`{parameter.metavar or _kind(parameter)}`",
        "default": "required" if parameter.required else default if stated else None,
        "meaning": " ".join(str(parameter.help or "").split()),
    }


def _flags(parameter: Any) -> list[str]:
    return [*parameter.opts, *parameter.secondary_opts]


def _kind(parameter: Any) -> str:
    """Return what a value is, in capitals: Typer has it as a type, its earlier versions by a name."""
    kind = str(getattr(parameter, "type_descriptor", None) or getattr(parameter, "type", "")).lower()
    return "FILE" if "path" in kind else "NUMBER" if "'int'" in kind or "'float'" in kind else "TEXT"
