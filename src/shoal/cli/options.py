"""Flags of the commands, in the words of `shoal.request`, which declares every setting once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.request import LEFT_OUT, NAMES, PANELS, SETTINGS, SWITCH, Setting, declared


def option(name: str, panel: str | None = None) -> Any:
    """Return the flag of a setting."""
    one = SETTINGS[name]
    flags = (one.flag,) if one.short is None else (one.flag, one.short)
    return typer.Option(*flags, metavar=one.metavar, help=one.help, rich_help_panel=panel)


Json = Annotated[bool, typer.Option("--json", help="Print JSON on standard output, and nothing else there.")]
Separator = Annotated[str | None, option("separator")]
Encoding = Annotated[str | None, option("encoding")]
Decimal = Annotated[str | None, option("decimal")]
TableFile = Annotated[Path, typer.Argument(help=SETTINGS["file"].help)]
to_table = typer.Option("--output", "-o", metavar="FILE", help=f"{declared('writers', 'title')}.")
Hierarchies = Annotated[list[str] | None, option("hierarchies")]
Unify = Annotated[list[str] | None, option("unify")]
Order = Annotated[list[str] | None, option("order")]
Population = Annotated[Path | None, option("population")]
Config = Annotated[Path | None, typer.Option(help="A shoal.toml with any of these settings.", rich_help_panel="Data")]


def request_options(command: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command a flag for every setting that it takes; its function gets what was said by name, as `given`."""

    def with_options(function: Callable[..., None]) -> Callable[..., None]:
        taken = {name: one for name, one in SETTINGS.items() if name not in LEFT_OUT[command]}

        @wraps(function)
        def run(**said: Any) -> None:
            given = {name: said.pop(name) for name in (*taken, "config")}
            function(given, **said)

        own = [one for one in signature(function, eval_str=True).parameters.values() if one.name != "given"]
        flags = [_parameter(one) for one in sorted(taken.values(), key=lambda one: PANELS.index(one.panel))]
        config = Parameter("config", Parameter.KEYWORD_ONLY, default=None, annotation=Config)
        every = [one.replace(kind=Parameter.KEYWORD_ONLY) for one in (*own, *flags, config)]
        vars(run)["__signature__"] = signature(function).replace(parameters=every)
        return run

    return with_options


def _parameter(one: Setting) -> Parameter:
    """Return a setting as an argument that typer reads."""
    said = typer.Argument(help=one.help) if one.name == "file" else option(one.name, one.panel)
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
