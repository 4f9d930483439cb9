"""`make campaign`: the law over random small tables, in shards that go on where they stopped.

`python -m tests.campaign --seconds 600 --shards 2` runs; `--aim` tries what no release is of yet, cell by cell of the
table of method, recoding and model; `--summary FOLDER` writes what all ledgers came to, `campaign.json` and that table,
`campaign.csv`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from tests.campaign.shard import still_broken
from tests.campaign.summary import write_summary

ONE_THREAD = {"POLARS_MAX_THREADS": "1", "NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""A table of a few rows is done sooner than a second thread is woken."""


def main() -> None:
    """Run shards side by side, or write the summary of what was run."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaign", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0, help="time for every shard")
    parser.add_argument("--shards", type=int, default=os.cpu_count() or 1, help="processes side by side")
    parser.add_argument("--folder", type=Path, default=Path("build/campaign"), help="where the ledgers are")
    parser.add_argument("--summary", type=Path, help="a folder: write the summary of the ledgers there, run nothing")
    parser.add_argument("--aim", action="store_true", help="try the cells of the table that have no release yet")
    asked = parser.parse_args()
    if asked.aim:
        aim(asked.folder)
    elif asked.summary is None:
        run(asked.folder, asked.shards, asked.seconds)
    print(write_summary(sorted(asked.folder.glob("ledger-*.jsonl")), asked.summary or asked.folder, still_broken))


def run(folder: Path, shards: int, seconds: float) -> None:
    """Run shards, each in a process of its own, and end with 1 if one of them could not go on."""
    command = [sys.executable, "-m", "tests.campaign.shard", "--of", str(shards)]
    more = ["--folder", str(folder), "--seconds", str(seconds)]
    environment = {**os.environ, **ONE_THREAD}
    started = [subprocess.Popen([*command, "--shard", str(shard), *more], env=environment) for shard in range(shards)]
    ended = [process.wait() for process in started]
    if any(ended):
        sys.exit(1)


def aim(folder: Path) -> None:
    """Try what has no release yet, in one process."""
    command = [sys.executable, "-m", "tests.campaign.shard", "--aim", "--folder", str(folder)]
    subprocess.run(command, env={**os.environ, **ONE_THREAD}, check=True)


if __name__ == "__main__":
    main()
