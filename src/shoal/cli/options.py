"""Flags of the commands, in the words of `shoal.request`, which declares every setting once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from shoal.core.settings import NAMES, PANELS, SWITCH, Setting
from shoal.request import LEFT_OUT, READING, SETTINGS, declared


def option(name: str, panel: str | None = None) -> Any:
    """Return the flag of a setting."""
    one = SETTINGS[name]
    flags = (one.flag,) if one.short is None else (one.flag, one.short)
    return typer.Option(*flags, metavar=one.metavar, help=one.help, rich_help_panel=panel)


Json = Annotated[bool, typer.Option("--json", help="Print JSON on standard output, and nothing else there.")]
Reading: TypeAlias = dict[str, Any]
"""How a file is read, by setting: what `read` takes besides the file."""
TableFile = Annotated[Path, typer.Argument(help=SETTINGS["file"].help)]
to_table = typer.Option("--output", "-o", metavar="FILE", help=f"{declared('writers', 'title')}.")
Hierarchies = Annotated[list[str] | None, option("hierarchies")]
Unify = Annotated[list[str] | None, option("unify")]
Order = Annotated[list[str] | None, option("order")]
Missing = Annotated[list[str] | None, option("missing")]
Population = Annotated[Path | None, option("population")]
Config = Annotated[Path | None, typer.Option(help="A shoal.toml with any of these settings.", rich_help_panel="Data")]


def request_options(command: str, *, config: bool = True) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command a flag for every setting that it takes, and for a file of them, unless it reads none.

    Its function gets what was said by name, as `given`.
    """

    taken = [one for name, one in SETTINGS.items() if name not in LEFT_OUT[command]]
    flags = [_parameter(one, one.panel) for one in sorted(taken, key=lambda one: PANELS.index(one.panel))]
    file = Parameter("config", Parameter.KEYWORD_ONLY, default=None, annotation=Config)
    return partial(_with_flags, "given", [*flags, file] if config else flags)


def reading_options(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command a flag for everything that says how a file is read; its function gets that as `reading`."""
    return _with_flags("reading", [_parameter(SETTINGS[name]) for name in READING], function)


def _with_flags(into: str, flags: list[Parameter], function: Callable[..., None]) -> Callable[..., None]:
    """Return a command with flags in the place of one argument of a function, which gets what was said by name."""

    @wraps(function)
    def run(**said: Any) -> None:
        function(**{into: {flag.name: said.pop(flag.name) for flag in flags}}, **said)

    own = signature(function, eval_str=True).parameters.values()
    every = [flag for one in own for flag in (flags if one.name == into else [one])]
    keywords = [one.replace(kind=Parameter.KEYWORD_ONLY) for one in every]
    vars(run)["__signature__"] = signature(function).replace(parameters=keywords)
    return run


def _parameter(one: Setting, panel: str | None = None) -> Parameter:
    """Return a setting as an argument that typer reads."""
    said = typer.Argument(help=one.help) if one.name == "file" else option(one.name, panel)
    if one.kind == SWITCH:
        return Parameter(one.name, Parameter.KEYWORD_ONLY, default=False, annotation=Annotated[bool, said])
    return Parameter(one.name, Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[_kind(one) | None, said])


def _kind(one: Setting) -> Any:
    """Return the type that typer reads a setting as; a share stays text, which is read exactly."""
    if one.kind == NAMES or one.per_column:
        return list[str]
    if one.number is None or one.number.maximum == 1:
        return str
    return int if one.number.whole else float
