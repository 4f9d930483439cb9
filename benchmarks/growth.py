"""Growth: Mondrian and the audit on the synthetic census at n, 4n and 16n rows, with the exponent between them."""

from __future__ import annotations

from functools import partial
from math import log

import polars as pl

from benchmarks.measure import function, show
from shoal.checking.audit import Audit, audit
from shoal.methods.general.mondrian import Mondrian
from shoal.microdata.microdata import Microdata, encode
from shoal.models.requirement import parse_requirement
from shoal.problem import make_problem
from shoal.studies.synth import QUASI, SENSITIVE, census
from shoal.tables.roles import Roles
from shoal.tables.table import Table

SIZES = (20_000, 80_000, 320_000)
REQUIRE = "k=5 distinct-l(occupation)=3"


def main() -> None:
    rows: list[list[object]] = []
    before: tuple[float, float, float] | None = None
    for size in SIZES:
        frame = census(size)
        encoding = function(partial(_encoded, frame), times=1).cpu
        problem = make_problem(_encoded(frame), parse_requirement(REQUIRE), recoding="range")
        solving = function(partial(Mondrian().run, problem), times=1).cpu
        published = problem.publish(Mondrian().run(problem).partition).frame()
        auditing = function(partial(_audited, published), times=1).cpu
        now = (encoding, solving, auditing)
        growth = ["-"] * 3 if before is None else [f"{log(b / a, 4):.2f}" for a, b in zip(before, now, strict=True)]
        rows.append([f"{size:,}", *(cell for pair in zip(now, growth, strict=True) for cell in pair)])
        before = now
    show(
        f"Census, {REQUIRE}, ranges",
        ("rows", "encode CPU s", "exponent", "mondrian CPU s", "exponent", "audit CPU s", "exponent"),
        rows,
    )


def _encoded(frame: pl.DataFrame) -> Microdata:
    return encode(Table(frame), Roles.of(frame.columns, quasi=QUASI, sensitive=SENSITIVE))


def _audited(frame: pl.DataFrame) -> Audit:
    return audit(frame, quasi=QUASI, sensitive=SENSITIVE, require=REQUIRE)


if __name__ == "__main__":
    main()
