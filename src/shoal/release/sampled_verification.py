"""Re-checking a release with (epsilon, delta)-differential privacy: its own arithmetic, from the published files.

What was random, and what the promise rests on, cannot be checked: the certificate says it.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil, exp, floor, lgamma, log, log1p, prod
from pathlib import Path
from typing import Any

import polars as pl

from shoal.release.certificate import seal
from shoal.release.files import file_hash

CLOSE = 1e-6
"""How closely sums of floating point numbers are compared, as a share."""


def sampled_problems(folder: Path, stated: Mapping[str, Any]) -> dict[str, str]:
    """Return what was looked at, and what is wrong with it; nothing where all is well."""
    content = {name: value for name, value in stated.items() if name != "seal"}
    table = folder / "public" / "table.csv"
    whole = seal(content) == stated.get("seal") and file_hash(table) == stated["hashes"]["table"]
    found = {"the table and the certificate are the sealed ones": "" if whole else "a seal or a hash differs"}
    if whole:
        found["epsilon and delta follow from beta and k"] = _parameter_problem(stated)
        if "search" in stated:
            found["the levels are of those that were searched, with a crowd that follows from k"] = _search_problem(
                stated
            )
        found["every published row is one of at least k that are alike"] = _class_problem(table, stated)
    return found


def _parameter_problem(stated: Mapping[str, Any]) -> str:
    """Say if the probability to draw a row is too large, or k too small; a search has taken its part of epsilon."""
    epsilon, delta, beta = (float(Fraction(stated[name])) for name in ("epsilon", "delta", "beta"))
    epsilon -= float(Fraction(stated.get("search", {}).get("epsilon", 0)))
    if not 0 < beta < 1 or -log1p(-beta) > epsilon * (1 + CLOSE):
        return "rows were drawn with too large a probability for epsilon"
    worst = _largest_tail(int(stated["k"]), 1 - (1 - beta) * exp(-epsilon), beta)
    return "" if worst <= delta * (1 + CLOSE) else f"k gives a delta of {worst:.3g}"


def _search_problem(stated: Mapping[str, Any]) -> str:
    """Say if levels are published that were not searched, or the search compared cells of other sizes."""
    search = stated["search"]
    ranges = {name: [int(end) for end in levels.split("..")] for name, levels in search["levels"].items()}
    if list(ranges) != list(stated["levels"]):
        return "other columns were searched"
    if not all(low <= stated["levels"][name] <= high for name, (low, high) in ranges.items()):
        return "a level is published that was not searched"
    if prod(high - low + 1 for low, high in ranges.values()) != search["nodes"]:
        return "the number of choices differs"
    crowd = ceil(stated["k"] / Fraction(stated["beta"]))
    return "" if search["crowd"] == crowd and Fraction(search["epsilon"]) > 0 else "the crowd does not follow from k"


def _largest_tail(k: int, gamma: float, beta: float) -> float:
    """Return the largest probability over n of more than gamma * n drawn rows, n from ceil(k / gamma - 1) on."""
    n = max(ceil(k / gamma - 1 - 1e-12), 1)
    worst = 0.0
    fall = gamma * log(gamma / beta) + (1 - gamma) * log((1 - gamma) / (1 - beta))
    while exp(-n * fall) >= worst:
        worst = max(worst, sum(_chance(j, n, beta) for j in range(floor(gamma * n) + 1, n + 1)))
        n += 1
    return worst


def _chance(drawn: int, rows: int, beta: float) -> float:
    """Return the binomial probability."""
    ways = lgamma(rows + 1) - lgamma(drawn + 1) - lgamma(rows - drawn + 1)
    return exp(ways + drawn * log(beta) + (rows - drawn) * log1p(-beta))


def _class_problem(path: Path, stated: Mapping[str, Any]) -> str:
    """Say if the table has other columns or rows than stated, or a class below k."""
    if stated["rows"] == 0:
        rows = path.read_text(encoding="utf-8").splitlines()
        return "" if len(rows) == 1 else "the table has rows, and none is stated"
    table = pl.read_csv(path, infer_schema=False)
    if table.columns != list(stated["levels"]) or table.height != stated["rows"]:
        return "the table has other columns or another number of rows"
    sizes = table.group_by(table.columns).len("".join(table.columns) + "#")[:, -1]
    if len(sizes) != stated["classes"]:
        return "the table has another number of classes"
    fewest = int(sizes.to_numpy().min())
    return "" if fewest >= stated["k"] else f"a class has {fewest:,} rows"
