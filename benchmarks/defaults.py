"""The default beside the best: what `auto` publishes with normal effort, against anything that ten times as long finds.

`python -m benchmarks.defaults [TABLE ...]` runs the tables named, or all that are at hand, each with the roles that its
`roles.json` suggests: k = 5, with distinct 3-diversity, with 0.2-closeness; three recodings. Of large tables so many
rows are drawn as `ROWS` says. A line above 1.05 is a table on which the default should be better.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import replace

import polars as pl

from benchmarks.measure import SHARED, show
from shoal.core.errors import Infeasible, Unsupported
from shoal.methods.auto import choose
from shoal.methods.base import Deadline, silent
from shoal.methods.effort import BEST, NORMAL
from shoal.problem import Problem
from shoal.request import Request
from shoal.steps.preparation import prepare
from shoal.tables.table import Table, read

ROWS = 20_000
RECODINGS = ("generalize", "suppress", "range")
REQUIRE = ("k=5", "k=5 distinct-l({})=3", "k=5 t({}:equal)=0.2")
RIVALS = ("cube", "peel", "fragments", "hilbert", "tp-plus-refined", "mondrian")
"""Methods that are given ten times as long as the default took."""
LEAST_SECONDS = 10.0
"""But no less than this."""
HEADINGS = ("table", "recoding", "require", "default", "seconds", "best", "found by", "default / best")


def main() -> None:
    """Compare on the tables that are named on the command line, or on all."""
    named = sys.argv[1:] if sys.argv[0].endswith("defaults.py") else []
    rows = []
    for name in named or sorted(path.parent.name for path in SHARED.glob("*/roles.json")):
        for line in _lines(name):
            print(*line, sep="\t", flush=True)
            rows.append(line)
    show("The default beside the best", HEADINGS, rows)


def _lines(name: str) -> Iterator[list[object]]:
    about = json.loads((SHARED / name / "roles.json").read_text())
    quasi, sensitive = about["roles"]["quasi_identifiers"], about["roles"]["sensitive"][0]
    table = read(SHARED / name / about["main"])
    frame = table.frame.select([*quasi, sensitive])
    table = Table.of(frame.sample(min(ROWS, frame.height), seed=0) if isinstance(frame, pl.DataFrame) else frame)
    for require in REQUIRE:
        asked = Request(quasi, require.format(sensitive), [sensitive])
        for recoding in RECODINGS:
            try:
                problem = prepare(table, replace(asked, recoding=recoding)).problem
                yield [name, recoding, require.partition("(")[0], *_compared(problem)]
            except (Infeasible, Unsupported) as error:
                yield [name, recoding, require.partition("(")[0], type(error).__name__, "", "", "", ""]


def _compared(problem: Problem) -> list[object]:
    """Return the cost of the default and its seconds, the best cost and its method, and their ratio."""
    began = time.perf_counter()
    default = choose(problem, "auto", seed=0, deadline=Deadline(), progress=silent).cost
    seconds = time.perf_counter() - began
    found = {f"auto, {NORMAL}": default}
    for method, effort in [("auto", BEST), *((rival, NORMAL) for rival in RIVALS)]:
        limit = Deadline.after(max(10 * seconds, LEAST_SECONDS))
        try:
            made = choose(problem, method, seed=0, deadline=limit, progress=silent, effort=effort)
            found[method if effort == NORMAL else f"{method}, {effort}"] = made.cost
        except (Infeasible, Unsupported):
            continue
    best = min(found, key=lambda method: found[method])
    ratio = default / found[best] if found[best] else 1.0
    return [f"{default:.5g}", f"{seconds:.1f}", f"{found[best]:.5g}", best, f"{ratio:.3f}"]


if __name__ == "__main__":
    main()
