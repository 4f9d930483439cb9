"""What the code of an explanation page computes: its table, and the problem that a method gets of it."""

from __future__ import annotations

import doctest
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

import polars as pl

from shoal.problem import Problem
from shoal.request import Request
from shoal.steps.preparation import prepare
from shoal.tables.table import Table

DOCS = Path(__file__).parents[2]


@cache
def names_of(page: str) -> Mapping[str, Any]:
    """Run the examples of a page, and return what their names stand for then."""
    found: dict[str, Any] = {}
    file = DOCS / "explanation" / f"{page}.md"
    with redirect_stdout(StringIO()):
        for example in doctest.DocTestParser().get_examples(file.read_text(encoding="utf-8")):
            exec(compile(example.source, str(file), "single"), found)
    return found


def posed(people: Mapping[str, Sequence[object]], quasi: Sequence[str], require: str, **asked: Any) -> Problem:
    """Return the problem of a table, its other columns sensitive; cells become stars unless it is said otherwise."""
    others = [name for name in people if name not in quasi]
    request = Request(list(quasi), require, others, **{"recoding": "suppress"} | asked)
    return prepare(Table.of(pl.DataFrame(people)), request).problem
