"""`python -m tests.fuzz --seconds 600`: every reader, with files changed at random, led by the lines that they reach.

It needs atheris, which is no dependency of shoal: `pip install atheris`. Each target is run in a process of its own,
for an equal part of the time. An exception that is no error of shoal, a crash of the process, more than 2 GB of memory
or a file that takes longer than 20 seconds is a fault. Faults are written to `build/fuzz/faults`, one file for each
place in the code; what was run is a line of JSON in `build/fuzz/ledger.jsonl`. Inputs that reach new lines are kept in
`build/fuzz/corpus`, so the next run goes on from there.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import resource
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from traceback import extract_tb

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "fuzz"
LEDGER = BUILD / "ledger.jsonl"
INSTRUMENTED = ["shoal.tables", "shoal.hierarchies", "shoal.config", "shoal.release", "shoal.models.requirement"]
MEMORY, LONGEST = 2_048, 20
"""Megabytes and seconds that one file may take."""


def main() -> None:
    """Run all targets, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", help="those alone; else all")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if find_spec("atheris") is None:
        sys.exit("atheris is not installed, which leads the fuzzing: pip install atheris")
    if given.inside:
        _fuzz(given.targets[0], given.seconds)
        return
    from tests.fuzz.targets import targets

    names = given.targets or list(targets())
    faults = [_run(name, given.seconds / len(names)) for name in names]
    print(f"{sum(faults)} faults; they are in {BUILD / 'faults'}, what was run in {LEDGER}")
    sys.exit(any(faults))


def _run(name: str, seconds: float) -> int:
    """Fuzz a target in a process of its own; return the number of places where it failed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    ended, executed, crashes = 0, 0, 0
    while time.monotonic() - began < seconds:
        left = seconds - (time.monotonic() - began)
        command = [sys.executable, "-m", "tests.fuzz", name, "--inside", "--seconds", str(left)]
        environment = {**os.environ, "POLARS_MAX_THREADS": "1"}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        found = re.search(r"stat::number_of_executed_units:\s*(\d+)", done.stderr)
        executed += int(found[1]) if found else _last_count(done.stderr)
        ended = done.returncode
        if ended == 0:
            break
        crashes += 1
        (BUILD / "faults" / f"{name}-{crashes}.log").write_text(done.stderr[-20_000:], encoding="utf-8")
        if crashes > 5:
            break
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    places = sorted(path.name for path in (BUILD / "faults").glob(f"{name}@*"))
    line = {"target": name, "seconds": round(cpu, 1), "executed": executed, "faults": len(places), "crashes": crashes}
    with LEDGER.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    print(f"{name}: {executed:,} files in {cpu:,.0f} s, {len(places)} faults, {crashes} crashes", flush=True)
    return len(places) + crashes


def _last_count(said: str) -> int:
    """Return how many inputs a process had run that did not come to its end."""
    return max((int(one) for one in re.findall(r"^#(\d+)\s", said, re.MULTILINE)), default=0)


def _fuzz(name: str, seconds: float) -> None:
    """Fuzz one target in this process, which ends with it."""
    import atheris  # what leads the fuzzing, and is no dependency

    with atheris.instrument_imports(include=INSTRUMENTED):
        from tests.fuzz import targets

        target = targets.targets()[name]
        begin = BUILD / "corpus" / name
        begin.mkdir(parents=True, exist_ok=True)
        (BUILD / "faults").mkdir(exist_ok=True)
        for word, content in targets.seeds(name).items():
            (begin / word).write_bytes(content)
            target(content)
    if name == "csv-by-disk":
        targets.shrink_blocks()

    def once(data: bytes) -> None:
        try:
            target(data)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a panic of polars is no Exception
            _keep(name, data, error)

    options = [
        f"-max_total_time={max(1, int(seconds))}",
        "-print_final_stats=1",
        f"-rss_limit_mb={MEMORY}",
        f"-timeout={LONGEST}",
        "-max_len=20000",
        f"-artifact_prefix={BUILD}/faults/{name}-",
        "-verbosity=1",
    ]
    atheris.Setup([sys.argv[0], *options, str(begin)], once)
    atheris.Fuzz()


def _keep(name: str, data: bytes, error: BaseException) -> None:
    """Write down an input that fails, once for each place."""
    places = [f"{Path(one.filename).stem}:{one.lineno}" for one in extract_tb(error.__traceback__)][-2:]
    key = f"{name}@{type(error).__name__}@{'@'.join(places)}".replace("/", "_").replace("<", "").replace(">", "")
    path = BUILD / "faults" / key
    if not path.exists() or len(data) < path.stat().st_size:
        path.write_bytes(data)
        path.with_name(f"words-{hashlib.sha256(key.encode()).hexdigest()[:12]}.txt").write_text(f"{key}\n{error!r}\n")


if __name__ == "__main__":
    main()
