"""Commands that are imported when they are called."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import typer.main

from shoal.cli.app import app
from shoal.cli.lazy_group import MEMORY_LIMIT, LazyGroup
from shoal.request import SETTINGS

GROUP: Any = typer.main.get_command(app)


def lazy(group: Any) -> Iterator[tuple[Any, str]]:
    """Every command that is imported when it is called, with its group."""
    yield from ((group, name) for name in group.modules)
    yield from (pair for inner in group.commands.values() if isinstance(inner, LazyGroup) for pair in lazy(inner))


@pytest.mark.parametrize(("group", "name"), [pytest.param(*pair, id=pair[1]) for pair in lazy(GROUP)])
def test_the_list_of_commands_shows_the_first_line_of_the_help_of_each(group: Any, name: str) -> None:
    listed = group.get_command(None, name).help
    assert listed
    assert group.load(name).help.split("\n\n")[0] == listed


def printed(before: str, *arguments: str) -> list[str]:
    """The lines that `shoal` prints with some arguments, as a process of its own, after some Python before it."""
    script = f"import atexit, sys; {before}; from shoal.cli import main; sys.argv = ['shoal', *{arguments!r}]; main()"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.parametrize("command", ["verify", "frontier"])
def test_a_command_imports_no_other(command: str) -> None:
    found = printed("atexit.register(lambda: print(*sys.modules))", command, "--help")[-1].split()
    assert set(GROUP.modules.values()) & set(found) == {f"shoal.cli.{command}"}


@pytest.mark.parametrize("words", [["--memory-limit=2GiB"], ["--memory-limit", "2GiB"]], ids=len)
def test_polars_is_told_to_save_memory_before_it_is_loaded(words: list[str]) -> None:
    watch = "from shoal.core import memory; memory.lean = lambda: print('polars' in sys.modules)"
    assert printed(watch, "anonymize", *words, "--help")[0] == "False"
    assert not {"True", "False"} & set(printed(watch, "anonymize", "--help"))


def test_the_flag_that_limits_memory_is_the_declared_one() -> None:
    assert SETTINGS["memory_limit"].flag == MEMORY_LIMIT


def test_the_names_of_unknown_commands_are_compared_with_those_not_yet_imported() -> None:
    with pytest.raises(Exception, match="Did you mean 'anonymize'"):
        GROUP.main(["anonymise"], standalone_mode=False)
