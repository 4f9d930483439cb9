"""Where results are printed, standard output, and tables without lines; and whether a person can be asked."""

from __future__ import annotations

import json
import sys
from typing import Any, Self

from rich.console import Console
from rich.table import Table
from rich.text import Text


def console() -> Console:
    """Return standard output, as wide as the terminal; brackets in the name of a column are no style."""
    return Console(highlight=False, markup=False, soft_wrap=False)


def print_json(content: object) -> None:
    """Print for machines."""
    print(json.dumps(content, indent=2, ensure_ascii=False))


def somebody_answers() -> bool:
    """Whether a person can be asked: standard input is a terminal."""
    return sys.stdin.isatty()


class Grid(Table):
    """A table without lines, under bold headings."""

    def __init__(self, **how: Any) -> None:
        super().__init__(box=None, padding=(0, 2, 0, 0), header_style="bold", **how)

    def headed(self, *headings: str | Text, **how: Any) -> Self:
        """Add columns that are set in the same way, and return the grid."""
        for heading in headings:
            self.add_column(heading, **how)
        return self
