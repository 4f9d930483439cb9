"""`make bench`: run every benchmark, or those named: `python -m benchmarks adult growth`."""

from __future__ import annotations

import importlib
import sys

ALL = (
    *("adult", "arx", "attacks", "default_recoding", "dependences", "diverse", "growth", "guarantees", "inspection"),
    *("lattice", "proofs", "queries", "report", "risk", "startup"),
)


def main() -> None:
    for name in sys.argv[1:] or ALL:
        importlib.import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    main()
