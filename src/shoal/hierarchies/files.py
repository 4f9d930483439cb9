"""Hierarchies as files: a row per value, level by level, as ARX and other tools read them, or a tree as JSON.

`write_hierarchy` writes either so that it reads back the same; `check_file` says how a file fits a column.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import polars as pl

from shoal.core.arrays import Ints
from shoal.core.atomic_files import replacing
from shoal.core.errors import HierarchyError, ParameterError, cannot_write
from shoal.hierarchies.base import Hierarchy
from shoal.hierarchies.specs import FILES, TABLES
from shoal.hierarchies.taxonomy import Taxonomy, _readings
from shoal.hierarchies.trees import Row, csv_rows, json_rows
from shoal.tables.csv_text import SEPARATORS
from shoal.tables.readers.base import names_file
from shoal.tables.star_marks import STAR

DEEPEST = 200
"""The largest number of levels of a tree; a file of rows may have more."""


def write_hierarchy(hierarchy: Hierarchy | Taxonomy, path: Path, separator: str = ";") -> None:
    """Guarantees a file that reads back as the same groups, labels and leaves, or raises `HierarchyError`.

    A name that ends in `.csv` gets the rows `value;level 1;...;*`, one in `.json` a tree, either with `.gz` if
    that follows. A hierarchy is written with its column's values, a taxonomy with every leaf it declares. Where
    the separator could not be told from the others, one that can is taken. A file of that name is replaced in
    one step.
    """
    rows = hierarchy_rows(hierarchy)
    meant = _taxonomy(rows)
    read = Taxonomy.from_json if is_tree(path) else Taxonomy.from_csv
    with _replacing(path) as partial:
        for text in [_json_text(rows)] if is_tree(path) else _csv_texts(rows, separator):
            content = text.encode()
            partial.write_bytes(gzip.compress(content, mtime=0) if path.suffix.lower() == ".gz" else content)
            if _reads_as(meant, partial, read):
                return
        raise HierarchyError(
            f"{path.name!r} cannot hold this hierarchy: some labels are empty or contain separators",
            hint="write it to a name that ends in .json",
        )


def is_tree(path: Path) -> bool:
    """Whether a name is that of a JSON tree and not of a CSV file, or raise `ParameterError`.

    >>> is_tree(Path("age.json.gz")), is_tree(Path("age.csv"))
    (True, False)
    """
    if not path.name.lower().endswith(FILES):
        raise ParameterError(
            f"a hierarchy file cannot be called {path.name!r}",
            expected=f"a name that ends in one of {', '.join(FILES)}",
        )
    return not path.name.lower().endswith(TABLES)


def hierarchy_rows(hierarchy: Hierarchy | Taxonomy) -> list[Row]:
    """Return a row per value (or declared leaf): its own text, and its label on every level up to `*`.

    >>> hierarchy_rows(Taxonomy.from_tree({"Nordic": ["Sweden"], "None": [None]}))
    [('Sweden', ('Nordic', '*')), (None, ('None', '*'))]
    """
    if isinstance(hierarchy, Taxonomy):
        gap: list[Row] = [(None, (*hierarchy.missing, STAR))] if hierarchy.missing else []
        return [(leaf, (*labels, STAR)) for leaf, *labels in hierarchy.rows] + gap
    levels = [
        [labels[block] for block in up] for up, labels in zip(hierarchy.up.tolist(), hierarchy.labels, strict=True)
    ]
    return [(raw_text(leaf), tuple(label or "" for label in labels)) for leaf, *labels in zip(*levels, strict=True)]


def hierarchy_tree(rows: Sequence[Row]) -> dict[str, object]:
    r"""Return rows as groups within groups, `Taxonomy.from_tree` reads them back; None is the missing value.

    >>> hierarchy_tree([("Sweden", ("Nordic", "*")), ("Spain", ("Iberia", "*")), (None, ("", "*"))])
    {'*': [{'Nordic': ['Sweden'], 'Iberia': ['Spain']}, None]}
    """
    check_depth(max((len(labels) for _, labels in rows), default=0))
    below = _nested([(leaf, _path(leaf, labels)) for leaf, labels in rows])
    return below if isinstance(below, dict) else {STAR: below}


def check_depth(levels: int) -> None:
    """Raise `HierarchyError` if a tree would have too many levels."""
    if levels > DEEPEST:
        raise HierarchyError(
            f"the hierarchy has {levels:,} levels",
            expected=f"at most {DEEPEST} in a tree",
            hint="leave some levels out, or write it to a name that ends in .csv",
        )


def raw_text(label: str | None) -> str | None:
    r"""Return the value that a label of level 0 stands for: a literal star without the backslash it is published with.

    >>> raw_text(r"\*"), raw_text(r"\\*"), raw_text("a*"), raw_text(None)
    ('*', '\\*', 'a*', None)
    """
    return label[1:] if label is not None and re.fullmatch(r"\\+\*", label) else label


def _taxonomy(rows: Sequence[Row]) -> Taxonomy:
    leaves = [(leaf, *labels[:-1]) for leaf, labels in rows if leaf is not None]
    if not leaves:
        raise HierarchyError("the column has no values to write", expected="at least one that is not missing")
    return Taxonomy(leaves, next((labels[:-1] for leaf, labels in rows if leaf is None), ()))


def _csv_texts(rows: Sequence[Row], first: str) -> Iterator[str]:
    """Yield the rows with one separator after the other."""
    for separator in dict.fromkeys(first + SEPARATORS):
        cells = ([_leaf_cell(leaf), *(_cell(label, separator) for label in labels)] for leaf, labels in rows)
        yield "".join(f"{separator.join(row)}\n" for row in cells)


def _leaf_cell(leaf: str | None) -> str:
    """Tell the empty text from the missing value, and hide what a guess of separator or encoding could go by."""
    return '""' if leaf == "" else _cell(leaf or "", SEPARATORS + "\ufeff")


def _cell(text: str, signs: str) -> str:
    return '"' + text.replace('"', '""') + '"' if set(text) & {*signs, '"', "\r", "\n"} else text


def _json_text(rows: Sequence[Row]) -> str:
    return json.dumps(hierarchy_tree(rows), ensure_ascii=False, indent=1) + "\n"


def _path(leaf: str | None, labels: tuple[str, ...]) -> tuple[str, ...]:
    """Return the groups from the top; the missing value lies as deep as it has labels."""
    start = 0
    while leaf is None and labels[start : start + 1] == ("",):
        start += 1
    return labels[start:][::-1]


def _nested(rows: Sequence[Row]) -> dict[str, object] | list[object]:
    groups: dict[str, list[Row]] = {}
    for leaf, path in rows:
        if path:
            groups.setdefault(path[0], []).append((leaf, path[1:]))
    below: dict[str, object] = {label: _nested(members) for label, members in groups.items()}
    here = [leaf for leaf, path in rows if not path]
    return [*([below] if below else []), *here] if here else below


def _reads_as(meant: Taxonomy, path: Path, read: Callable[[Path], Taxonomy]) -> bool:
    try:
        found = read(path)
    except HierarchyError:
        return False
    return found.missing == meant.missing and set(found.rows) == set(meant.rows)


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """Give a temporary name beside the path, and move what was written there in place; nothing if that failed."""
    try:
        with replacing(path) as beside:
            yield beside
    except OSError as error:
        raise cannot_write(path, error, HierarchyError) from error


@dataclass(frozen=True)
class Verdict:
    """One thing that was looked at."""

    what: str
    passed: bool
    detail: str = ""


@dataclass(frozen=True)
class Fit:
    """How a hierarchy file fits a column: counts and verdicts, never a value."""

    values: int
    """The column's distinct values, the missing one left out."""
    covered_values: int
    rows: int
    covered_rows: int
    """Rows with a covered value, or with none: the missing value needs no row of the file."""
    levels: int
    leaves: int
    unused_leaves: int
    """Declared leaves that do not occur in the column."""
    checks: tuple[Verdict, ...]

    @property
    def passed(self) -> bool:
        """Whether the file can be used for the column."""
        return all(check.passed for check in self.checks)


def check_file(path: str | Path, values: pl.Series, counts: Ints) -> Fit:
    """Return how a hierarchy file fits a column's distinct values (a missing one last) of so many rows each."""
    present = values.drop_nulls()
    try:
        rows = json_rows(path) if is_tree(Path(path)) else csv_rows(path)
    except HierarchyError as error:
        if not names_file(path):
            raise
        unread = Verdict("every row has a leaf and its labels", False, str(error))
        return Fit(len(present), 0, int(counts.sum()), int(counts[len(present) :].sum()), 0, 0, 0, (unread,))
    leaves = {leaf for leaf, _ in rows if leaf is not None}
    found = [text if text in leaves else other if other in leaves else None for text, other in _readings(present)]
    lost = [place for place, leaf in enumerate(found) if leaf is None]
    lost_rows = int(counts[lost].sum())
    checks = [
        Verdict("every row has a leaf and its labels", True, f"{len(rows):,} rows"),
        _covering(len(lost), len(present), lost_rows),
        _nesting(rows),
        _rooted(rows),
    ]
    if checks[2].passed and checks[3].passed:
        kept = [leaf is not None for leaf in found] + [True] * values.null_count()
        checks.append(_meaning(path, values.filter(kept)))
    return Fit(
        values=len(present),
        covered_values=len(present) - len(lost),
        rows=int(counts.sum()),
        covered_rows=int(counts.sum()) - lost_rows,
        levels=max((len(labels) for _, labels in rows), default=0),
        leaves=len(leaves),
        unused_leaves=len(leaves - set(found)),
        checks=tuple(checks),
    )


def _covering(lost: int, values: int, rows: int) -> Verdict:
    detail = (
        f"{lost:,} of {values:,} values, in {rows:,} rows, are missing at level 0" if lost else f"{values:,} values"
    )
    return Verdict("every value is a leaf", not lost, detail)


def _nesting(rows: Sequence[Row]) -> Verdict:
    levels = list(zip(*((leaf, *labels) for leaf, labels in rows), strict=True))
    torn = []
    for level, (finer, coarser) in enumerate(pairwise(levels)):
        pairs = {(below, above) for below, above in zip(finer, coarser, strict=True) if below or level == 0}
        cut = len(pairs) - len({below for below, _ in pairs})
        torn += [f"level {level + 1} splits {cut:,} groups of level {level}"] if cut else []
    return Verdict("every group lies in one group of the next level", not torn, "; ".join(torn))


def _rooted(rows: Sequence[Row]) -> Verdict:
    stars = [sum(label == STAR for label in level) for level in zip(*(labels for _, labels in rows), strict=True)]
    partly = [
        f"level {level} labels {count:,} of {len(rows):,} leaves {STAR!r}"
        for level, count in enumerate(stars, 1)
        if 0 < count < len(rows)
    ]
    return Verdict("one root covers everything", not partly, "; ".join(partly))


def _meaning(path: str | Path, covered: pl.Series) -> Verdict:
    what = "every label has one meaning"
    try:
        taxonomy = Taxonomy.from_json(path) if is_tree(Path(path)) else Taxonomy.from_csv(path)
        if len(covered):
            taxonomy.build(covered)
    except HierarchyError as error:
        return Verdict(what, False, str(error))
    return Verdict(what, True)
