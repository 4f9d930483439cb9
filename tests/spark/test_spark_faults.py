"""Lost workers, lost tasks, lost executors and a lost driver: the old release or the new one, and no cell left behind.

Each point is one task of one release: a worker gets some rows, and something dies before it has read them. It needs all
of Spark, not only its client, and Java; a selection of the points is tried here, all of them with `SHOAL_THOROUGH`.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import polars as pl
import pytest
from tests.thorough import THOROUGH

import shoal
from shoal.core.errors import TableError
from shoal.spark import by_regions
from shoal.spark.session import has_local_mode, session
from shoal.studies.synth import census

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("pyspark") is None, reason="pyspark is not installed: pip install 'shoal[spark]'"),
    pytest.mark.skipif(not has_local_mode(), reason="pyspark-client has no Spark of its own: pip install pyspark"),
    pytest.mark.skipif(shutil.which("java") is None, reason="there is no Java"),
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are found in /proc"),
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.xdist_group("spark"),
]

ASKED: dict[str, Any] = {
    "quasi": ["age", "gender", "race"],
    "sensitive": ["occupation"],
    "leave_out": ["workclass"],
    "require": "k=4 l(occupation)=2",
    "method": "mondrian",
    "recoding": "range",
}
PARTITIONS = 2
MARK = "a workclass that nobody has"
"""What stands in a column that is left out: it must not be found anywhere afterwards."""
LOCAL, CLUSTER = "local[2,4]", "local-cluster[2,1,1024]"
BY_HAND = """
import sys
from tests.spark import test_spark_faults as faults
if sys.argv[2].isdecimal():
    faults.patch_worker(sys.argv[1], faults.{dying}, int(sys.argv[2]), setattr)
else:
    faults.patch_driver(sys.argv[2])
import shoal.cli
sys.argv = ["shoal", *sys.argv[3:]]
shoal.cli.main()
"""
"""The command `shoal` in which something dies at a task, or when a function of the driver is called."""
NEVER = 10**9
OF_DRIVER = [
    "shoal.spark.release.SparkRelease._publish",
    "shoal.spark.release.audited",
    "shoal.spark.release.seal_folder",
]
"""What the driver does with the files that Spark wrote: publish them, audit them, and seal the folder."""


def people(rows: int = 300) -> pl.DataFrame:
    shown = census(rows, 1).select("age", "gender", "race", "occupation")
    return shown.with_columns(workclass=pl.lit(MARK))


def frame_of(spark: Any) -> Any:
    return spark.createDataFrame(people().to_arrow()).repartition(PARTITIONS)


# What dies


def worker() -> None:
    """The process of Python that works on the task."""
    os.kill(os.getpid(), signal.SIGKILL)


def task() -> None:
    """The task alone."""
    raise RuntimeError("on purpose")


def executor() -> None:
    """The process of Java that started this worker: an executor; in local mode, Spark itself."""
    for process in parents(os.getpid()):
        if "java" in Path(f"/proc/{process}/cmdline").read_text().partition("\0")[0]:
            os.kill(process, signal.SIGKILL)
            return


def driver() -> None:
    """Spark and the command that started it, at once."""
    named = {process: Path(f"/proc/{process}/cmdline").read_text() for process in parents(os.getpid())}
    for process, command in named.items():
        if "java" in command.partition("\0")[0] or "shoal.cli.main" in command:
            os.kill(process, signal.SIGKILL)


def parents(process: int) -> Iterator[int]:
    """Yield the process that started one, the one that started that, and so on."""
    while (process := int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])) > 1:
        yield process


# When it dies


def patch_worker(
    folder: str,
    dies: Callable[[], None] | None,
    at: int,
    patch: Callable[[Any, str, Any], None],
    *,
    always: bool = False,
) -> None:
    """Let something die at a task of shoal's, counted from 1 by files in a folder; `always`: and at all that follow."""
    from pyspark.sql.classic.dataframe import DataFrame

    real = DataFrame.mapInArrow

    def counted(self: Any, work: Callable[..., Any], schema: Any) -> Any:
        def dying(batches: Iterator[Any]) -> Iterator[Any]:
            number = 1
            while True:
                try:
                    os.close(os.open(f"{folder}/{number}", os.O_CREAT | os.O_EXCL))
                    break
                except FileExistsError:
                    number += 1
            if dies is not None and (number == at or (always and number > at)):
                dies()
            yield from work(batches)

        return real(self, dying, schema)

    patch(DataFrame, "mapInArrow", counted)


def patch_driver(name: str) -> None:
    """Let Spark and the command that started it die when the command calls a function while it writes."""
    from pyspark import SparkContext

    where, _, function = name.rpartition(".")
    owner = resolve_name(where)
    real = getattr(owner, function)

    def dying(*given: Any, **more: Any) -> Any:
        if list(Path().glob(".out.*.partial")):
            os.kill(SparkContext._gateway.proc.pid, signal.SIGKILL)
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*given, **more)

    setattr(owner, function, dying)


def some(points: int) -> list[int]:
    """Some of the points from 1 on, the first and the last among them; all where the tests are to be thorough."""
    step = max(1, points // 4) if THOROUGH == 1 else 1
    return sorted({*range(1, points + 1, step), points})


# What is there afterwards


def written(folder: Path) -> pl.DataFrame:
    assert shoal.verify(folder, original=people()).passed
    return pl.read_parquet(folder / "public" / "table.parquet")


def marks(folder: Path) -> list[str]:
    """The files of a folder that hold a cell of a column that is left out; what Spark packs is not unpacked."""
    return [str(path) for path in folder.rglob("*") if path.is_file() and MARK.encode() in path.read_bytes()]


@pytest.fixture(scope="module")
def spark(request: pytest.FixtureRequest) -> Iterator[Any]:
    home = Path(str(find_spec("pyspark").origin)).parent  # type: ignore[union-attr]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_HOME", str(home))
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
        running = session(request.param)
        running.conf.set("spark.sql.shuffle.partitions", str(PARTITIONS))
        yield running
        running.stop()


def points_of(spark: Any, tmp_path: Path) -> tuple[pl.DataFrame, int]:
    """Return the table of a release in which nothing dies, and how many tasks of workers it took."""
    (tmp_path / "tasks").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(by_regions, "ROWS", 100)
        patch_worker(str(tmp_path / "tasks"), None, 0, patch.setattr)
        whole = written(shoal.spark.anonymize(frame_of(spark), **ASKED).save(tmp_path / "whole"))
    return whole, len(list((tmp_path / "tasks").iterdir()))


def save_with(spark: Any, folder: Path, dies: Callable[[], None], at: int, *, always: bool = False) -> Path:
    """Make a release while something dies."""
    tasks = folder / f"tasks-{at}"
    tasks.mkdir(parents=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(by_regions, "ROWS", 100)
        patch_worker(str(tasks), dies, at, patch.setattr, always=always)
        return shoal.spark.anonymize(frame_of(spark), **ASKED).save(folder / "release", overwrite=True)


@pytest.mark.parametrize("spark", [LOCAL], indirect=True)
@pytest.mark.parametrize("dies", [worker, task])
def test_a_lost_worker_or_task_changes_nothing(
    spark: Any, tmp_path: Path, dies: Callable[[], None], record_property: Callable[[str, object], None]
) -> None:
    whole, points = points_of(spark, tmp_path)
    for at in some(points):
        assert written(save_with(spark, tmp_path, dies, at)).equals(whole), at
    assert sorted(path.name for path in tmp_path.iterdir() if "tasks" not in path.name) == ["release", "whole"]
    record_property("seen", f"Spark: {dies.__name__} lost at {len(some(points))} of {points} tasks, the same release")


@pytest.mark.parametrize("spark", [LOCAL], indirect=True)
def test_where_every_attempt_is_lost_the_old_release_stays(
    spark: Any, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    _, points = points_of(spark, tmp_path)
    before = written(
        shoal.anonymize(people(), **{**ASKED, "require": "k=9"}).save(tmp_path / "release", format="parquet")
    )
    for at in some(points):
        with pytest.raises(TableError, match="Spark could not") as refused:
            save_with(spark, tmp_path, worker, at, always=True)
        assert MARK not in str(refused.value)
        assert written(tmp_path / "release").equals(before)
    assert sorted(path.name for path in tmp_path.iterdir() if "tasks" not in path.name) == ["release", "whole"]
    record_property("seen", f"Spark: all workers lost from {len(some(points))} of {points} tasks on, the old release")


@pytest.mark.parametrize("spark", [CLUSTER], indirect=True)
def test_a_lost_executor_changes_nothing(
    spark: Any, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    whole, points = points_of(spark, tmp_path)
    for at in some(points):
        assert written(save_with(spark, tmp_path, executor, at)).equals(whole), at
    assert sorted(path.name for path in tmp_path.iterdir() if "tasks" not in path.name) == ["release", "whole"]
    record_property("seen", f"Spark: executor lost at {len(some(points))} of {points} tasks, the same release")


# The driver


def command(folder: Path, dying: str, at: int | str, require: str) -> int:
    """Run `shoal anonymize --engine spark` in a folder, where something dies at a task; return its exit code."""
    tasks = folder / f"tasks-{at}-{require}"
    tasks.mkdir()
    asked = [
        *["anonymize", "people.parquet", "--quasi=age,gender,race", "--sensitive=occupation", "--leave-out=workclass"],
        *[f"--require={require}", "--method=mondrian", "--recoding=range", "--engine=spark", f"--spark-master={LOCAL}"],
        *["-o", "out", "--overwrite"],
    ]
    said = {
        **os.environ,
        "TMPDIR": str(folder / "temporary"),
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    script = BY_HAND.format(dying=dying)
    asked = [sys.executable, "-c", script, str(tasks), str(at), *asked]
    return subprocess.run(asked, cwd=folder, env=said, capture_output=True, check=False).returncode


@pytest.mark.parametrize("dying", ["driver", "executor"])
def test_a_driver_that_is_killed_and_started_again_leaves_a_whole_release(
    tmp_path: Path, dying: str, record_property: Callable[[str, object], None]
) -> None:
    """In local mode the executor is Spark itself: the command that started it lives on, and says that it failed."""
    (tmp_path / "temporary").mkdir()
    people().write_parquet(tmp_path / "people.parquet")
    assert command(tmp_path, dying, NEVER, "k=9") == 0
    before = written(tmp_path / "out")
    tasks = len(list((tmp_path / f"tasks-{NEVER}-k=9").iterdir()))
    points: list[int | str] = [*some(tasks), *(OF_DRIVER if dying == "driver" else [])]
    for at in points:
        assert command(tmp_path, dying, at, "k=4") == (-signal.SIGKILL if dying == "driver" else 2)
        assert written(tmp_path / "out").equals(before)
    assert command(tmp_path, dying, NEVER, "k=4") == 0
    assert not written(tmp_path / "out").equals(before)
    assert sorted(path.name for path in tmp_path.iterdir() if "tasks" not in path.name) == [
        "out",
        "people.parquet",
        "temporary",
    ]
    assert not [path for path in (tmp_path / "temporary").iterdir() if not path.name.startswith("hsperfdata")]
    assert not marks(tmp_path / "out")
    record_property("seen", f"Spark: {dying} killed at {len(points)} points, the old release")
