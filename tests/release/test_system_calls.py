"""Whatever the system does at a call of `shoal anonymize`: the old release or the new one, and nothing left elsewhere.

Each point is a process of its own: a call that fails, a signal that comes at it, an answer that is lost. A call is one
that touches a file: written, read, opened, made, moved, removed, forced to the disk.
"""

from __future__ import annotations

import errno
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.release.system_calls import Calls, Ended, Kind, Server, serving

import shoal

FILE, OUT = "people.csv", "out"
OUTSIDE = Path("/")
ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
CODES = {signal.SIGINT: (130, -signal.SIGINT), signal.SIGTERM: (143, -15), signal.SIGHUP: (129, -1)}
"""How a process may end by a signal: in order, or, before its work begins and after it ends, at once."""
Seen = Callable[[str, object], None]


@dataclass(frozen=True)
class Place:
    """A folder with a table and an old release, and a server that makes new ones there."""

    server: Server
    folder: Path
    temporary: Path
    old: bytes
    new: bytes
    counts: dict[tuple[bool, Calls, Path], int] = field(default_factory=dict)

    @property
    def out(self) -> Path:
        return self.folder / OUT

    def arguments(self, k: int = 4) -> list[str]:
        return [
            *(
                "anonymize",
                str(self.folder / FILE),
                "--quasi=age",
                "--sensitive=illness",
                "--method=mondrian",
                "--recoding=range",
            ),
            *(f"--require=k={k}", f"--output={self.out}", "--overwrite"),
        ]

    def reset(self, *, existing: bool) -> None:
        """Put the old release in place, or nothing."""
        shutil.rmtree(self.out, ignore_errors=True)
        if existing:
            shutil.copytree(self.folder.with_name("old"), self.out)

    def run(
        self,
        kind: Kind,
        number: int = 0,
        at: int = 0,
        *,
        existing: bool = True,
        calls: Calls = Calls.WRITES,
        below: Path | None = None,
        after: float = 0,
        **more: object,
    ) -> Ended:
        """Make the new release, with a fault."""
        self.reset(existing=existing)
        below = self.folder if below is None else below
        return self.server.run(self.arguments(), kind, number, at, below=below, calls=calls, after=after, **more)

    def check(self, ended: Ended, *, existing: bool = True, killed: bool = False) -> bytes | None:
        """Guarantees one whole release, or none where there was none; and return its table."""
        assert "Traceback" not in ended.said, ended.said
        assert ended.code != 70, ended.said
        table = None
        if self.out.exists():
            assert shoal.verify(self.out, original=self.folder / FILE).failures == [], ended
            table = (self.out / "public" / "table.csv").read_bytes()
        assert table in (self.old if existing else None, self.new), ended
        if ended.code == 0:
            assert table == self.new
        if not killed:
            left = sorted(path.name for path in self.folder.iterdir())
            assert left == sorted([FILE, *([OUT] if table else [])]), ended
            assert [path.name for path in self.temporary.iterdir()] == [], ended
        return table

    def count(self, *, existing: bool = True, calls: Calls = Calls.WRITES, below: Path | None = None) -> int:
        """The number of calls where nothing fails."""
        below = self.folder if below is None else below
        if (existing, calls, below) not in self.counts:
            ended = self.run(Kind.NOTHING, existing=existing, calls=calls, below=below)
            assert self.check(ended, existing=existing) == self.new
            self.counts[existing, calls, below] = ended.counted
        return self.counts[existing, calls, below]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    base = tmp_path_factory.mktemp("calls")
    folder, temporary = base / "work", base / "temporary"
    folder.mkdir()
    temporary.mkdir()
    lines = [f"{20 + row},{('flu', 'gout')[row % 2]}\n" for row in range(8)]
    (folder / FILE).write_text("age,illness\n" + "".join(lines))
    with serving(base, temporary) as server:
        empty = Place(server, folder, temporary, b"", b"")
        tables = []
        for k in (2, 4):
            server.warm(empty.arguments(k), folder)
            tables.append((empty.out / "public" / "table.csv").read_bytes())
            if k == 2:
                shutil.copytree(empty.out, base / "old")
        assert tables[0] != tables[1]
        yield Place(server, folder, temporary, tables[0], tables[1])


def points(count: int, tried: int) -> range:
    """Places among so many calls, evenly spread; all where that many are to be tried."""
    return range(1, count + 1, max(1, count // tried))


SOME, ALL = 2, 10**9
HOW_MANY = [SOME, pytest.param(ALL, marks=pytest.mark.slow)]


@pytest.mark.parametrize("tried", HOW_MANY)
@pytest.mark.parametrize("code", [errno.ENOSPC, pytest.param(errno.EIO, marks=pytest.mark.slow)])
def test_an_error_at_a_call_that_writes(place: Place, tried: int, code: int, record_property: Seen) -> None:
    both = (True, False) if tried == ALL else (True,)
    done = 0
    for existing in both:
        for at in points(place.count(existing=existing), tried):
            ended = place.run(Kind.FAIL, code, at, existing=existing)
            table = place.check(ended, existing=existing, killed=ended.code == 0)
            assert ended.code in (0, 2), (at, ended)
            assert (table == place.new) == (ended.code == 0), (at, ended)
            done += 1
    record_property("seen", f"{done} calls that write failed with {errno.errorcode[code]}")


@pytest.mark.parametrize("tried", HOW_MANY)
def test_an_error_at_a_call_that_reads(place: Place, tried: int, record_property: Seen) -> None:
    done = 0
    for at in points(place.count(calls=Calls.READS), tried):
        ended = place.run(Kind.FAIL, errno.EIO, at, calls=Calls.READS)
        place.check(ended, killed=ended.code == 0)  # what cannot be listed cannot be removed
        assert ended.code in (0, 2), (at, ended)
        done += 1
    record_property("seen", f"{done} calls that read failed with EIO")


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (Kind.FAIL, errno.EXDEV),
        (Kind.LOST, errno.ESTALE),
        pytest.param(Kind.FAIL, errno.ESTALE, marks=pytest.mark.slow),
        pytest.param(Kind.LOST, errno.ENOENT, marks=pytest.mark.slow),
    ],
)
def test_a_move_that_a_network_file_system_refuses_or_loses(place: Place, code: int, kind: Kind) -> None:
    for at in (1, 2):
        ended = place.run(kind, code, at, calls=Calls.MOVES)
        table = place.check(ended)
        assert table == (place.old if kind == Kind.FAIL else place.new), (at, ended)
        assert ended.code == (2 if kind == Kind.FAIL else 0), (at, ended)


@pytest.mark.parametrize("tried", HOW_MANY)
@pytest.mark.parametrize("existing", [True, False], ids=["overwritten", "new"])
def test_a_kill_at_a_call_that_writes(place: Place, tried: int, existing: bool, record_property: Seen) -> None:
    done = 0
    for at in points(place.count(existing=existing), tried):
        ended = place.run(Kind.SIGNAL, signal.SIGKILL, at, existing=existing)
        if ended.code == -signal.SIGKILL and existing and not place.out.exists():
            sorted(place.folder.glob(f".{OUT}.old.*"))[0].rename(
                place.out
            )  # as the next run does, which is tried below
        place.check(ended, existing=existing, killed=True)
        done += 1
    again = place.server.run(place.arguments(), below=place.folder)
    assert place.check(again) == place.new
    record_property("seen", f"{done} kills at calls that write (existing: {existing})")


@pytest.mark.parametrize("by", ENDS, ids=lambda one: one.name)
@pytest.mark.parametrize("tried", [2, pytest.param(12, marks=pytest.mark.slow)])
def test_a_signal_at_a_call(place: Place, by: signal.Signals, tried: int, record_property: Seen) -> None:
    rng, done = random.Random(int(by)), 0
    anywhere = ((Calls.WRITES, place.folder), (Calls.READS | Calls.WRITES, OUTSIDE))
    for calls, below in anywhere if tried > 2 else anywhere[:1]:
        count = place.count(calls=calls, below=below)
        for at in sorted(rng.sample(range(1, count + 1), min(tried, count))):
            ended = place.run(Kind.SIGNAL, by, at, calls=calls, below=below)
            place.check(ended)
            assert ended.code in (0, *CODES[by]), (at, ended)
            done += 1
    record_property("seen", f"{done} times {by.name} at a call")


@pytest.mark.slow
@pytest.mark.parametrize("by", [*ENDS, signal.SIGKILL], ids=lambda one: one.name)
def test_a_signal_at_any_time(place: Place, by: signal.Signals, record_property: Seen) -> None:
    rng = random.Random(int(by))
    for _ in range(12):
        ended = place.run(Kind.NOTHING, by, after=rng.uniform(0.01, 0.8))
        place.check(ended, killed=by == signal.SIGKILL)
        assert ended.code in (0, *CODES.get(by, (-by,))), ended
    record_property("seen", f"12 times {by.name} at any time")


def test_calls_that_read_or_write_less_than_they_were_asked(place: Place) -> None:
    ended = place.run(Kind.SHORT, 7, calls=Calls.READS | Calls.WRITES)
    assert place.check(ended) == place.new, ended


def test_no_home_no_caches_and_no_temporary_folder(place: Place) -> None:
    nowhere = {name: f"/dev/null/{name}" for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_STATE_HOME")}
    before = "import tempfile, shoal.tables.readers.csv as csv; tempfile.tempdir, csv.LARGE = None, 0"
    assert place.check(place.run(Kind.NOTHING, environment=nowhere, before=before)) == place.new


BY_DISK = "import shoal.tables.readers.csv as csv; csv.LARGE = 0"


def test_a_temporary_folder_that_is_full(place: Place) -> None:
    """The cells of a large file are put there, if there is room."""
    used = place.run(Kind.NOTHING, below=place.temporary, before=BY_DISK)
    assert used.counted > 5
    for at in (1, used.counted // 2):
        ended = place.run(Kind.ALWAYS, errno.ENOSPC, at, below=place.temporary, before=BY_DISK)
        assert ended.code == 0, ended
        assert place.check(ended, killed=True) == place.new
        for left in place.temporary.iterdir():  # a folder that nothing can be removed from
            shutil.rmtree(left)


@pytest.mark.slow
@pytest.mark.parametrize("by", ENDS, ids=lambda one: one.name)
def test_a_signal_while_cells_are_put_into_a_temporary_folder(
    place: Place, by: signal.Signals, record_property: Seen
) -> None:
    count = place.run(Kind.NOTHING, below=place.temporary, before=BY_DISK).counted
    for at in points(count, ALL):
        ended = place.run(Kind.SIGNAL, by, at, below=place.temporary, before=BY_DISK)
        place.check(ended)
        assert ended.code in (0, *CODES[by]), (at, ended)
    record_property("seen", f"{count} times {by.name} at a call that writes to the temporary folder")


BACKWARDS = """
import itertools, time
seconds = itertools.count(2_000_000_000, -3_600)
time.time = lambda: float(next(seconds))
time.time_ns = lambda: next(seconds) * 10**9
"""


def test_a_clock_that_goes_back(place: Place) -> None:
    assert place.check(place.run(Kind.NOTHING, before=BACKWARDS)) == place.new


@pytest.mark.slow
def test_several_processes_on_one_folder(place: Place) -> None:
    for _ in range(5):
        place.reset(existing=True)
        commands = [[sys.executable, "-m", "shoal", *place.arguments(k)] for k in (2, 4, 2, 4)]
        running = [subprocess.Popen(one, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for one in commands]
        said = [one.communicate()[1].decode() for one in running]
        assert {one.returncode for one in running} <= {0, 2}, said
        place.check(Ended(2, 0, "".join(said)))
