"""The default beside the best: what `auto` publishes with normal effort, against anything that ten times as long finds.

`python -m benchmarks.defaults [--rows N] [--recoding NAME] [TABLE ...]` runs the tables named, or all that are at hand,
each with the roles that its `roles.json` suggests: k = 5, with distinct 3-diversity, with 0.2-closeness; three
recodings, or the one named. Of a table with more rows than `--rows` so many are drawn. A line above 1.05 at normal
effort, or above 1.02 at the best effort, is a table on which `auto` should be better. Time limits count CPU seconds, as
on two idle cores (`benchmarks.cpu_clock`).

All lines take hours. `--third` runs each requirement with one recoding, which is another one for the next requirement
and the next table; `--most SECONDS` gives no method longer than that.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from math import inf

import polars as pl

from benchmarks.cpu_clock import CpuTime, on_two_cores
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
HEADINGS = (
    *("table", "recoding", "require", "default", "seconds", "cheapest", "found by"),
    *("default / cheapest", "best effort / cheapest"),
)


def main() -> None:
    """Compare on the tables that are named on the command line, or on all."""
    options = argparse.ArgumentParser(description="The default beside the best.")
    options.add_argument("tables", nargs="*")
    options.add_argument("--rows", type=int, default=ROWS)
    options.add_argument("--recoding", choices=RECODINGS)
    options.add_argument("--third", action="store_true")
    options.add_argument("--most", type=float, default=inf)
    asked, lines = options.parse_args(), []
    for place, name in enumerate(asked.tables or sorted(path.parent.name for path in SHARED.glob("*/roles.json"))):
        recodings = (asked.recoding,) if asked.recoding else RECODINGS
        pairs = [(require, recoding) for require in REQUIRE for recoding in recodings]
        if asked.third:
            pairs = [(require, RECODINGS[(place + turn) % 3]) for turn, require in enumerate(REQUIRE)]
        for line in _lines(name, asked.rows, pairs, asked.most):
            print(*line, sep="\t", flush=True)
            lines.append(line)
    show("The default beside the best", HEADINGS, lines)


def _lines(name: str, rows: int, pairs: Sequence[tuple[str, str]], most: float) -> Iterator[list[object]]:
    about = json.loads((SHARED / name / "roles.json").read_text())
    quasi, sensitive = about["roles"]["quasi_identifiers"], about["roles"]["sensitive"][0]
    table = read(SHARED / name / about["main"])
    frame = table.frame.select([*quasi, sensitive])
    table = Table.of(frame.sample(min(rows, frame.height), seed=0) if isinstance(frame, pl.DataFrame) else frame)
    for require, recoding in pairs:
        asked = Request(quasi, require.format(sensitive), [sensitive], recoding=recoding)
        begin = [name, recoding, require.partition("(")[0]]
        try:
            problem = prepare(table, asked).problem
            with on_two_cores():
                yield [*begin, *_compared(problem, most)]
        except (Infeasible, Unsupported) as error:
            yield [*begin, type(error).__name__, "", "", "", "", ""]


def _compared(problem: Problem, most: float) -> list[object]:
    """Return the cost of the default and its seconds, the least cost and its method, and the ratios of both efforts."""
    began = CpuTime.monotonic()
    default = choose(problem, "auto", seed=0, deadline=Deadline(), progress=silent).cost
    seconds = CpuTime.monotonic() - began
    found = {f"auto, {NORMAL}": default}
    for method, effort in [("auto", BEST), *((rival, NORMAL) for rival in RIVALS)]:
        limit = Deadline.after(min(max(10 * seconds, LEAST_SECONDS), most))
        try:
            made = choose(problem, method, seed=0, deadline=limit, progress=silent, effort=effort)
            found[method if effort == NORMAL else f"{method}, {effort}"] = made.cost
        except (Infeasible, Unsupported):
            continue
    best = min(found, key=lambda method: found[method])
    ratios = [found[name] / found[best] if found[best] else 1.0 for name in (f"auto, {NORMAL}", f"auto, {BEST}")]
    return [f"{default:.5g}", f"{seconds:.1f}", f"{found[best]:.5g}", best, *(f"{ratio:.3f}" for ratio in ratios)]


if __name__ == "__main__":
    main()
