"""What large tables go through: compiled loops and shorter ways find what the plain ones find, table by table.

Small tables go both ways with the threshold lowered; tables above it go both ways with the threshold as it is, and
raised. The loops of `sorted_peel` have no other way: they are compared with themselves, run as Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import ModuleType

import numpy as np
import polars as pl
import pytest
from tests.tables.test_csv_spill import outcome
from tests.thorough import many

from shoal.core import loops
from shoal.core.arrays import Ints
from shoal.core.errors import Infeasible, Unsupported
from shoal.methods.auto import methods
from shoal.methods.base import Deadline, Progress
from shoal.methods.general import hilbert_curve, mondrian
from shoal.methods.general.mondrian import Admitted, Mondrian
from shoal.methods.l_diversity import sorted_peel, sorted_peel_kernel
from shoal.methods.microaggregation.clusters import points
from shoal.microdata.microdata import encode
from shoal.microdata.partition import Partition
from shoal.models.requirement import parse_requirement
from shoal.patterns import peeling
from shoal.problem import Problem, make_problem
from shoal.tables import csv_spill
from shoal.tables.readers import csv as csv_reader
from shoal.tables.roles import Roles
from shoal.tables.table import Table, read, read_by_disk

NEVER = 10**12
"""More rows than any table has."""
BOTH = (loops, "COMPILED_FROM"), (hilbert_curve, "COMPILED_FROM")


@dataclass(frozen=True)
class Way:
    """A shorter way: whom it serves, from what threshold on, and what is asked of tables that may take it."""

    methods: tuple[str, ...]
    thresholds: tuple[tuple[ModuleType, str], ...]
    recodings: tuple[str, ...]
    requires: tuple[str, ...]
    rows: int
    """Rows of a table that is above the threshold as it is."""
    low: int = 0
    """What the threshold is lowered to."""
    most: int = 60
    """Rows of a small table at most."""


WAYS = {
    "strict median cuts": Way(
        ("mondrian",),
        ((mondrian, "COMPILED_FROM"),),
        ("range", "suppress"),
        ("k=2", "k=3 distinct-l(s)=2", "l(s)=2.5", "k=2 alpha(s)=0.6", "l(r+s)=2"),
        50_000,
    ),
    "runs along a curve": Way(
        ("hilbert",),
        BOTH,
        ("suppress", "generalize", "range"),
        ("k=2", "k=4", "l(s)=2", "l(s)=3"),
        60_000,
    ),
    "rows that go home": Way(("tp-plus-refined",), BOTH, ("suppress",), ("l(s)=2", "l(s)=3"), 4_000),
    "every set of rows": Way(("subset-dp",), BOTH, ("suppress", "range"), ("k=2", "k=2 l(s)=2"), 10, most=7),
    "distances of points": Way(
        ("microaggregation", "microaggregation-merge", "microaggregation-swap", "microaggregation-tfirst"),
        ((points, "COMPILE_FROM"),),
        ("centroid", "range", "generalize"),
        ("k=2", "k=3", "k=2 t(r)=0.4"),
        2_400,
    ),
    "nodes side by side": Way(
        ("peel",), ((peeling, "ABREAST"),), ("suppress", "generalize"), ("k=3", "k=2 l(s)=2"), 45_000, low=2
    ),
}
"""By what it does."""


def _problem(random: np.random.Generator, rows: int, way: Way) -> Problem:
    """Draw a table of so many rows, wide or narrow, and what is asked of it."""
    wide = max(rows // 4, 3)
    columns = {
        "a": random.integers(0, int(random.choice([3, wide]) if rows <= 1_000 else wide), rows),
        "b": random.choice([*"abcdefg"][: random.integers(1, 8)], rows),
        "c": random.choice([1.5, 2.0, float("nan"), 7.25, -3.0], rows),
        "d": [f"{number:05}" for number in random.integers(0, wide, rows)],
    }
    quasi = sorted(random.choice([*"abcd"], random.integers(1, 5), replace=False).tolist())
    if rows > 1_000:
        quasi = sorted({*quasi, "a", "d"})
    shown = {name: columns[name] for name in quasi}
    frame = pl.DataFrame({**shown, "r": random.integers(0, 6, rows), "s": random.choice([*"uvwxyz"], rows)})
    roles = Roles.of(frame.columns, quasi=quasi, sensitive=["r", "s"])
    recoding = str(random.choice(way.recodings))
    weights = {quasi[0]: 3} if recoding != "centroid" and random.random() < 0.3 else {}
    asked = parse_requirement(str(random.choice(way.requires)))
    return make_problem(encode(Table.of(frame), roles), asked, recoding=recoding, weights=weights)


def _found(problem: Problem, name: str) -> tuple[str, list[int]]:
    """What a method makes of a problem: the class of each row, classes numbered as they come first, or a refusal."""
    try:
        solution = methods()[name]().run(problem, seed=0)
    except (Infeasible, Unsupported) as refusal:
        return type(refusal).__name__, []
    labels = solution.partition.class_of_row
    _, first, place = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    return f"{solution.cost!r} {solution.lower_bound!r}", rank[place.reshape(-1)].tolist()


def _both_ways(way: Way, patch: pytest.MonkeyPatch, problem: Problem, name: str, threshold: int | None) -> str:
    """Compare what a method finds below the threshold and above it; return what it came to."""
    with patch.context() as lowered:
        for module, constant in way.thresholds if threshold is not None else ():
            lowered.setattr(module, constant, threshold)
        short = _found(problem, name)
    with patch.context() as raised:
        for module, constant in way.thresholds:
            raised.setattr(module, constant, NEVER)
        plain = _found(problem, name)
    assert short == plain
    return plain[0]


def _compare(what: str, seeds: range, patch: pytest.MonkeyPatch, *, large: bool = False) -> None:
    import numba  # noqa: F401 - loops are compiled once it is at hand

    way, releases = WAYS[what], 0
    for seed in seeds:
        random = np.random.default_rng([seed, len(what)])
        rows = (
            way.rows + int(random.integers(0, min(way.rows // 10, 49) + 1))
            if large
            else int(random.integers(2, way.most + 1))
        )
        name = way.methods[seed % len(way.methods)]
        releases += _both_ways(way, patch, _problem(random, rows, way), name, None if large else way.low)[0].isdigit()
    assert releases > len(seeds) // 4


@pytest.mark.parametrize("what", WAYS)
def test_above_a_low_threshold_the_result_is_the_same(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _compare(what, range(many(8)), monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("what", WAYS)
def test_above_a_low_threshold_many_results_are_the_same(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _compare(what, range(1_000, 1_000 + many(1_000)), monkeypatch)


AS_THEY_ARE = {
    "strict median cuts": 150,
    "runs along a curve": 20,
    "rows that go home": 50,
    "every set of rows": 100,
    "distances of points": 40,
    "nodes side by side": 8,
}
"""How many tables above the threshold go both ways."""


@pytest.mark.slow
@pytest.mark.parametrize("what", WAYS)
def test_above_the_threshold_the_result_is_the_same(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _compare(what, range(many(AS_THEY_ARE[what])), monkeypatch, large=True)


# --- Mondrian on distinct tuples -------------------------------------------------------------------------------------

ON_TUPLES = Way(
    ("mondrian", "mondrian-relaxed"), (), ("suppress", "generalize", "range"), ("k=2", "k=3", "k=7"), 20_000, most=200
)
"""Where rows alone are counted, equal rows are cut as one entry."""


def _cut_rows(self: Mondrian, problem: Problem, deadline: Deadline, progress: Progress) -> tuple[Partition, bool]:
    """Cut row by row, every part looked at by the models."""
    return self.cut(problem, Admitted(problem), deadline, progress)


@pytest.mark.parametrize(
    "seeds", [range(many(60)), pytest.param(range(1_000, 1_000 + many(2_000)), marks=pytest.mark.slow)]
)
def test_cutting_distinct_tuples_finds_the_classes_that_cutting_rows_finds(
    seeds: range, monkeypatch: pytest.MonkeyPatch
) -> None:
    releases = 0
    for seed in seeds:
        random = np.random.default_rng([seed, 5])
        name = ON_TUPLES.methods[seed % 2]
        rows = int(random.integers(2, ON_TUPLES.most + 1)) if seed % 20 else ON_TUPLES.rows
        problem = _problem(random, rows, ON_TUPLES)
        found = _found(problem, name)
        with monkeypatch.context() as plain:
            plain.setattr(Mondrian, "_cut_tuples", _cut_rows)
            assert _found(problem, name) == found
        releases += found[0][0].isdigit()
    assert releases > len(seeds) // 2


# --- peeling by sorting ----------------------------------------------------------------------------------------------


@contextmanager
def _as_python(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """The loops of sorted peeling as they stand."""
    with patch.context() as plain:
        for name in ("next_group", "height", "below", "spare", "take_groups", "without_class"):
            loop = getattr(sorted_peel_kernel, name)
            for module in (sorted_peel_kernel, sorted_peel):
                if hasattr(module, name):
                    plain.setattr(module, name, getattr(loop, "py_func", loop))
        yield


def _peel_both_ways(random: np.random.Generator, rows: int, patch: pytest.MonkeyPatch) -> int:
    """Peel a table twice, compare, and return the number of classes: all of them l-diverse."""
    l, values = int(random.integers(2, 4)), random.integers(0, random.integers(4, 8), rows)  # noqa: E741
    if l * np.bincount(values).max() > rows:
        return 0
    tuples = random.integers(0, max(rows // int(random.integers(2, 9)), 2), (rows, int(random.integers(1, 4))))
    frame = pl.DataFrame({**{f"q{i}": column for i, column in enumerate(tuples.T)}, "s": values})
    roles = Roles.of(frame.columns, quasi=frame.columns[:-1], sensitive=["s"])
    problem = make_problem(encode(Table.of(frame), roles), parse_requirement(f"l(s)={l}"), recoding="suppress")
    codes = problem.values[("s",)].codes.astype(np.int64)

    def peeled() -> Ints:
        found = sorted_peel.sorted_peel(problem, problem.microdata.tuple_of_row, codes, l, Deadline())
        return found.class_of_row

    compiled = peeled()
    with _as_python(patch):
        assert peeled().tolist() == compiled.tolist()
    counts = np.zeros((compiled.max() + 1, codes.max() + 1), np.int64)
    np.add.at(counts, (compiled, codes), 1)
    assert (counts.sum(axis=1) >= l * counts.max(axis=1)).all()
    return len(counts)


def test_sorted_rows_are_peeled_as_python_does(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(5)
    assert sum(_peel_both_ways(random, int(random.integers(4, 80)), monkeypatch) for _ in range(many(20))) > 40


@pytest.mark.slow
def test_many_tables_of_sorted_rows_are_peeled_as_python_does(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(6)
    for _ in range(many(1_000)):
        _peel_both_ways(random, int(random.integers(4, 200)), monkeypatch)
    for _ in range(many(3)):
        assert _peel_both_ways(random, 100_000, monkeypatch) > 10


# --- reading by way of the disk --------------------------------------------------------------------------------------

WORDS = (
    "",
    "Oslo",
    "Bø",
    "a,b",
    "a;b",
    'say "x"',
    "two\nlines",
    " x ",
    "NA",
    "*",
    "[1, 2]",
    "x | missing",
    "İ",
    "e\u0301",
)
CELLS: tuple[Callable[[Random], str], ...] = (
    lambda random: str(random.randint(-5, 10**9)),
    lambda random: f"{random.randint(0, 99):05}",
    lambda random: repr(random.uniform(-1, 1)),
    lambda random: f"{random.randint(1, 28):02}.{random.randint(1, 12):02}.1999",
    lambda random: f"19{random.randint(10, 99)}-0{random.randint(1, 9)}-11",
    lambda random: random.choice(("true", "false", "")),
    lambda random: random.choice(WORDS),
    lambda random: random.choice(("1", "1.0", "2", "x", "")),
)
"""Columns of each kind that a file may have."""


def _file(random: Random, rows: int) -> bytes:
    """A CSV file as anybody may write it: separator, line ends, encoding and quotes are drawn, one fault in ten."""
    separator, end = random.choice(",;\t|"), random.choice(("\n", "\r\n"))
    kinds = [random.choice(CELLS) for _ in range(random.randint(1, 5))]
    blank = random.choice((0.0, 0.2))

    def shown(cell: str) -> str:
        quoted = any(mark in cell for mark in (separator, '"', "\n")) or random.random() < 0.1
        return '"' + cell.replace('"', '""') + '"' if quoted else cell

    lines = [separator.join(f"c{place}" for place in range(len(kinds)))]
    for _ in range(rows):
        lines.append(separator.join("" if random.random() < blank else shown(kind(random)) for kind in kinds))
    if random.random() < 0.1:
        lines.insert(random.randrange(len(lines)), random.choice(("", "x", '"', separator * 9, "\x00")))
    text = end.join(lines) + (end if random.random() < 0.7 else "")
    return text.encode(random.choice(("utf-8", "utf-8", "utf-8-sig", "utf-16", "cp1252")), errors="replace")


def _read_both_ways(random: Random, folder: Path, patch: pytest.MonkeyPatch) -> bool:
    path = folder / "people.csv"
    path.write_bytes(_file(random, random.randint(0, 30)))
    in_memory = outcome(read, path)
    patch.setattr(csv_spill, "BLOCK", random.choice((1, 7, 64, 2**20)))
    assert outcome(read_by_disk, path) == in_memory
    return isinstance(in_memory, tuple)


def test_files_read_by_way_of_the_disk_are_those_read_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sum(_read_both_ways(Random(seed), tmp_path, monkeypatch) for seed in range(many(60))) > 30


@pytest.mark.slow
def test_many_files_read_by_way_of_the_disk_are_those_read_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sum(_read_both_ways(Random(seed), tmp_path, monkeypatch) for seed in range(100, 100 + many(3_000))) > 1_000


@pytest.mark.slow
def test_files_larger_than_the_threshold_are_read_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(2):
        random, path = Random(seed), tmp_path / "people.csv"
        body = b"".join(b"%d,%05d,w%d,%r\n" % (n, random.randint(0, 99), n % 7, random.random()) for n in range(99_999))
        path.write_bytes(b"a,b,c,d\n" + body * (csv_reader.LARGE // len(body) + 1))
        assert path.stat().st_size >= csv_reader.LARGE
        by_disk = read(path)
        monkeypatch.setattr(csv_reader, "LARGE", NEVER)
        in_memory = read(path)
        monkeypatch.undo()
        assert by_disk.columns == in_memory.columns
        assert all(by_disk[name].equals(in_memory[name]) for name in in_memory.columns)
