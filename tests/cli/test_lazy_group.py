"""Commands that are imported when they are called."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import typer.main

from shoal.cli.app import app
from shoal.cli.lazy_group import LazyGroup

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


def test_a_command_imports_no_other() -> None:
    script = "import sys; from shoal.cli import main; sys.argv = ['shoal', 'verify', '--help']; main()"
    loaded = f"import atexit, sys; atexit.register(lambda: print(*sys.modules)); {script}"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    found = done.stdout.splitlines()[-1].split()
    assert "shoal.cli.verify" in found
    assert not {"shoal.cli.anonymize", "shoal.cli.audit", "polars", "numpy"} & set(found)


def test_the_names_of_unknown_commands_are_compared_with_those_not_yet_imported() -> None:
    with pytest.raises(Exception, match="Did you mean 'anonymize'"):
        GROUP.main(["anonymise"], standalone_mode=False)
