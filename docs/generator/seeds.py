"""The papers that shoal began with, part by part: where each algorithm, model, bound and example lives here."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

import shoal.attacks
import shoal.bounds
import shoal.costs
import shoal.models
import shoal.recoding
import shoal.studies.hardness
from shoal.attacks.base import Attack
from shoal.bounds.base import Bound
from shoal.core.discovery import discover
from shoal.costs import Cost
from shoal.methods.auto import methods
from shoal.models import Model
from shoal.recoding import Recoding
from shoal.studies.hardness.base import Reduction

ROOT = Path(__file__).parent.parent.parent
FILE = Path(__file__).with_suffix(".toml")
HEAD = ("part", "kind", "what", "here", "corrected", "held to by")


@dataclass(frozen=True)
class Line:
    """A part of a paper: what it says, where that is here, what was corrected, and the tests that hold it to that."""

    part: str
    kind: str
    what: str
    here: tuple[str, ...]
    corrected: str
    tests: tuple[str, ...]

    @classmethod
    def read(cls, text: str) -> Line:
        """Read a line of the file.

        >>> Line.read("2 | model | k rows | model:k | as printed | tests/oracle.py").here
        ('model:k',)
        """
        part, kind, what, here, corrected, tests = (cell.strip() for cell in text.split("|"))
        return cls(part, kind, what, _listed(here), corrected, _listed(tests))

    def cells(self) -> tuple[str, ...]:
        """Return the cells of the line in the table."""
        here = ", ".join(map(shown, self.here))
        tests = ", ".join(f"`{test.partition('::')[0]}`" for test in self.tests)
        return self.part, self.kind, self.what, here, self.corrected, tests


def _listed(cell: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in cell.split(","))


@cache
def papers() -> dict[str, tuple[str, tuple[Line, ...]]]:
    """Return the title and the lines of every paper, by its tag."""
    read = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {
        tag: (paper["title"], tuple(map(Line.read, paper["lines"].strip().splitlines()))) for tag, paper in read.items()
    }


@cache
def known() -> dict[str, type]:
    """Return everything that discovery finds, by its kind and name."""
    kinds: dict[str, dict[str, type]] = {
        "method": dict(methods()),
        "model": dict(discover(shoal.models, Model)),
        "cost": dict(discover(shoal.costs, Cost)),
        "bound": dict(discover(shoal.bounds, Bound)),
        "hard": dict(discover(shoal.studies.hardness, Reduction)),
        "attack": dict(discover(shoal.attacks, Attack)),
        "recoding": dict(discover(shoal.recoding, Recoding)),
    }
    return {f"{kind}:{name}": found for kind, some in kinds.items() for name, found in some.items()}


def shown(place: str) -> str:
    """Return a place as the page shows it: a name with its file, or a path.

    >>> shown("model:k")
    'model `k` (`src/shoal/models/k_anonymity.py`)'
    """
    kind, _, name = place.partition(":")
    if not name:
        return f"`{place}`"
    file = Path(str(import_module(known()[place].__module__).__file__)).relative_to(ROOT)
    return f"{kind} `{name}` (`{file.as_posix()}`)"


def seeds() -> str:
    """Return a heading and a table for every paper."""
    return "\n\n".join(f"## {title}\n\n{_table(line.cells() for line in lines)}" for title, lines in papers().values())


def _table(rows: Iterator[tuple[str, ...]]) -> str:
    lines = (HEAD, ("---",) * len(HEAD), *rows)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def other_papers() -> str:
    """Return the table of the methods that none of these papers is about, by the paper that they follow."""
    told = {place for _, lines in papers().values() for line in lines for place in line.here}
    rest = {name: kind for name, kind in methods().items() if f"method:{name}" not in told}
    rows = [f"| `{name}` | {kind.title} | {kind.paper} |" for name, kind in rest.items()]
    return "\n".join(["| method | what it is | paper |", "|---|---|---|", *rows])
