"""Groups of commands whose modules are imported when a command is called: `shoal --help` imports none of them.

A command imports what it needs at its top, polars among it. What has an effect only before that is done here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

from shoal.core import memory
from shoal.core.on_demand import source_of

MEMORY_LIMIT = "--memory-limit"
"""The flag as `shoal.request` declares it, which is not loaded for `shoal --help`."""


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
            memory.check_start()
            alone = typer.Typer(add_completion=False)
            module = import_module(self.modules[name])  # start-up time
            alone.command(name)(getattr(module, name.replace("-", "_")))
            self.loaded[name] = with_plain_help(typer.main.get_command(alone))
        return self.loaded.get(name, self.commands.get(name))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command as the help of the group lists it: with its name and the first line of its help."""
        found = self.commands.get(cmd_name)
        if found is not None and cmd_name in self.modules:
            found.help = first_line(source_of(self.modules[cmd_name]), cmd_name.replace("-", "_"))
        return found

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is called, its module imported; polars saves memory if the arguments limit it."""
        name, command, rest = super().resolve_command(ctx, args)
        if any(word.split("=")[0] == MEMORY_LIMIT for word in rest):
            memory.lean()
        return name, command if name is None else self.load(name), rest


def with_plain_help(command: Any) -> Any:
    """Return the command; its help shows no value after a flag that takes none, and breaks no line of a paragraph."""
    command.help = re.sub(r"(?<!\n)\n(?!\n)", " ", command.help or "")
    for flag in command.params:
        if getattr(flag, "is_flag", False):
            flag.metavar = ""
    return command


def first_line(source: str, function: str) -> str:
    '''Return the first paragraph of the docstring of a function, from the text of its module.

    >>> first_line('def f(a: int) -> None:\\n    """Do it. Exit code 0.\\n\\n    More."""', "f")
    'Do it. Exit code 0.'
    '''
    found = re.search(rf'^def {function}\(.*?"""(.*?)(?:\n\n|""")', source, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""
