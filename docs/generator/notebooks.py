"""A Jupyter notebook, read without Jupyter: as a page of the site, and as code that can be run and compared.

`python -m docs.generator.notebooks FILE` runs one, and writes what its cells give into it.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Cell:
    """One cell: its kind, its text, and the text that it printed or returned when it was last run."""

    kind: str
    source: str
    output: str


@dataclass(frozen=True)
class Notebook:
    """The cells of a notebook, in order."""

    cells: tuple[Cell, ...]

    @classmethod
    def read(cls, file: Path) -> Notebook:
        """Read a notebook of format 4."""
        document = json.loads(file.read_text(encoding="utf-8"))
        return cls(tuple(Cell(one["cell_type"], _joined(one["source"]), _text(one)) for one in document["cells"]))

    def markdown(self) -> str:
        """Return it as a page: text as it is, code and what it gave as blocks."""
        return "\n\n".join(filter(None, map(_block, self.cells))) + "\n"

    def run(self) -> list[str]:
        """Run the cells of code one after the other, and return what each printed, then the value of its last line."""
        names: dict[str, Any] = {"__name__": "__main__"}
        return [run_cell(one.source, names) for one in self.cells if one.kind == "code"]


def run_again(file: Path) -> None:
    """Run a notebook, and write what its cells give into it."""
    document = json.loads(file.read_text(encoding="utf-8"))
    code = [one for one in document["cells"] if one["cell_type"] == "code"]
    for number, (cell, text) in enumerate(zip(code, Notebook.read(file).run(), strict=True), 1):
        lines = (text + "\n").splitlines(keepends=True)
        cell["execution_count"] = number
        cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": lines}] if text else []
    file.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def run_cell(source: str, names: dict[str, Any]) -> str:
    """Run the lines of a cell; return what they print, and the value of the last line if it is an expression.

    >>> run_cell("n = 2\\nprint(n)\\nn + 1", {})
    '2\\n3'
    """
    body = ast.parse(source).body
    end = body[-1] if body else None
    last = ast.Expression(end.value) if isinstance(end, ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body[:-1] if last else body, []), "<cell>", "exec"), names)
        value = None if last is None else eval(compile(last, "<cell>", "eval"), names)
    return "\n".join(filter(None, [printed.getvalue().rstrip("\n"), "" if value is None else repr(value)]))


def _block(cell: Cell) -> str:
    if cell.kind == "markdown":
        return cell.source
    shown = f"```python\n{cell.source}\n```"
    return f"{shown}\n\n```text\n{cell.output}\n```" if cell.output else shown


def _text(cell: dict[str, Any]) -> str:
    given = [one.get("text") or one.get("data", {}).get("text/plain", "") for one in cell.get("outputs", [])]
    return "\n".join(_joined(one).rstrip("\n") for one in given)


def _joined(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)


if __name__ == "__main__":
    run_again(Path(sys.argv[1]))
