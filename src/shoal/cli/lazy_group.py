"""Groups of commands whose modules are imported when a command is called: `shoal --help` imports none of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

from shoal.core.on_demand import source_of


class LazyGroup(TyperGroup):
    """A group that knows the module of each command; the function in it has the command's name."""

    modules: ClassVar[Mapping[str, str]]

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.commands = {name: TyperCommand(name) for name in self.modules} | dict(self.commands)
        self.loaded: dict[str, Any] = {}

    def load(self, name: str) -> Any:
        """Return a command with its flags."""
        if name in self.modules and name not in self.loaded:
            alone = typer.Typer(add_completion=False)
            alone.command(name)(getattr(import_module(self.modules[name]), name.replace("-", "_")))
            self.loaded[name] = typer.main.get_command(alone)
        return self.loaded.get(name, self.commands.get(name))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command as the help of the group lists it: with its name and the first line of its help."""
        found = self.commands.get(cmd_name)
        if found is not None and cmd_name in self.modules:
            found.help = first_line(source_of(self.modules[cmd_name]), cmd_name.replace("-", "_"))
        return found

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is called, its module imported."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, command if name is None else self.load(name), rest


def first_line(source: str, function: str) -> str:
    '''Return the first paragraph of the docstring of a function, from the text of its module.

    >>> first_line('def f(a: int) -> None:\\n    """Do it. Exit code 0.\\n\\n    More."""', "f")
    'Do it. Exit code 0.'
    '''
    found = re.search(rf'^def {function}\(.*?"""(.*?)(?:\n\n|""")', source, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""
