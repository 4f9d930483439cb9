"""A Spark session, and the table that it reads. Nothing here is loaded before Spark is asked for."""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

from shoal.core.errors import ShoalError, TableError, Unsupported
from shoal.core.private_folders import make_private, remove_own, sweep_up
from shoal.tables.csv_text import SEPARATORS, guess_separator
from shoal.tables.readers.csv import Csv

HAS_PYARROW, HAS_PYSPARK = (find_spec(name) is not None for name in ("pyarrow", "pyspark"))
"""Both are of the extra `spark`; where they are not installed, `check_installed` refuses in words what needs them."""
if HAS_PYSPARK:
    from pyspark.sql import SparkSession

SparkFrame: TypeAlias = Any
"""A Spark DataFrame: of a Spark in this process or of one that is spoken to over Spark Connect."""

MASTER = "local[*]"
SETTINGS = {
    "spark.driver.memory": os.environ.get("SPARK_DRIVER_MEMORY", "4g"),
    "spark.driver.maxResultSize": "0",  # the counts of distinct rows come to the driver, however many they are
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
}
CHANGED = "shoal found a value that was not there when the values were counted"
"""What a worker says of a table that is being written to."""
PREFIX, OF_SPARK = "shoal-spark-", ("blockmgr-", "spark-")
"""How the name of a folder for the temporary files of Spark begins, and how the names in it do."""
OF_CATALOG = "table:"
"""What stands before the name of a table that Spark knows."""


def check_installed() -> None:
    """Refuse in words where pyspark is missing."""
    if find_spec("pyspark") is None:
        raise Unsupported("the engine spark needs pyspark, which is not installed", hint="pip install 'shoal[spark]'")


def has_local_mode() -> bool:
    """Whether all of Spark is installed, or only what speaks to a server (pyspark-client)."""
    return find_spec("py4j") is not None


def session(master: str | None = None) -> Any:
    """Return the session of a master: `local[4]`, `spark://host:7077`, `yarn`, or `sc://host:15002` (Spark Connect).

    Memory of workers and similar settings are Spark's own (`spark-defaults.conf` in `SPARK_CONF_DIR`).
    """
    check_installed()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    url = master or MASTER
    if not url.startswith("sc://") and not has_local_mode():
        raise Unsupported(
            f"the pyspark that is installed speaks to a Spark Connect server only, and the master is {url!r}",
            hint="pip install 'shoal[spark]', or give the address of a server: sc://host:15002",
        )
    with asking(f"start at {url!r}", hint="check the address, and that Java 17 is installed"):
        if url.startswith("sc://"):
            return SparkSession.builder.remote(url).getOrCreate()
        builder = SparkSession.builder.master(url).appName("shoal")
        for name, value in {**SETTINGS, **_own_folder(url)}.items():
            builder = builder.config(name, value)
        return builder.getOrCreate()


def _own_folder(url: str) -> dict[str, str]:
    """Return where a Spark on this machine puts rows meanwhile: in a folder that is removed however the run ends."""
    return {"spark.local.dir": str(_private_folder(os.getpid()))} if url.startswith("local") else {}


@cache
def _private_folder(process: int) -> Path:
    """Return a folder for the temporary files of Spark; one that a killed process left is removed first."""
    sweep_up(PREFIX, lambda name: name.startswith(OF_SPARK))
    folder, held = make_private(PREFIX)
    atexit.register(remove_own, process, folder, held)
    return folder


def read_frame(
    spark: Any, path: str | Path, *, separator: str | None = None, encoding: str | None = None
) -> SparkFrame:
    """Read a Parquet file or folder, a CSV file, all of whose cells are text, or a table of Spark (`table:NAME`)."""
    where, name = str(path), str(path).rstrip("/").lower()
    with asking("read a table, or a Parquet or CSV file that every worker sees"):
        if where.startswith(OF_CATALOG):
            return spark.table(where.removeprefix(OF_CATALOG))
        if not name.endswith(Csv.suffixes):
            return spark.read.parquet(where)
        encoding = encoding or "UTF-8"
        separator = separator or _separator(spark, where, encoding)
        options = {"header": True, "sep": separator, "encoding": encoding, "quote": '"', "escape": '"'}
        return spark.read.options(**options, multiLine=True, mode="FAILFAST").csv(where)


@contextmanager
def asking(what: str, *, hint: str = "the log of Spark's driver says why") -> Iterator[None]:
    """Guarantees that what Spark says of a failure is not repeated: its words may hold cells."""
    try:
        yield
    except ShoalError:
        raise
    except Exception as error:
        if CHANGED in str(error):
            raise changed() from None
        raise TableError(f"Spark could not {what} ({type(error).__name__})", hint=hint) from None


def changed(found: str = "") -> TableError:
    """Word the refusal of a table that is another one each time it is read."""
    return TableError(
        f"{found}the table changed during the run",
        hint="give a frame that Spark works out the same way each time, or cache it",
    )


def _separator(spark: Any, path: str, encoding: str) -> str:
    rows = spark.read.options(encoding=encoding).text(path).limit(50).toArrow()
    lines = [line for line in rows.column(0).to_pylist() if line]
    return guess_separator(lines) if lines else SEPARATORS[0]


def is_text(path: str | Path) -> bool:
    """Whether the cells of a file are read as text, so that their types must be found out."""
    return str(path).lower().endswith(Csv.suffixes)
