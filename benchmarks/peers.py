"""Peers: shoal beside pycanon (audit), anjana and anonypy, on the same table and request, in one run.

Each peer gets an environment of its own in a temporary folder, filled with pip from the package index: this needs a
network, and nothing is put into the environment that runs it. A peer that cannot be installed or fails is said so.
"""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import polars as pl

from benchmarks.measure import Measurement, command
from shoal.studies.synth import QUASI, write_census

ROWS = 10_000
K = 5
ANONYPY = """
import sys, pandas, anonypy
frame = pandas.read_csv(sys.argv[1])
quasi = sys.argv[2].split(",")
for name in frame.columns:
    if frame[name].dtype == object:
        frame[name] = frame[name].astype("category")
made = anonypy.Preserver(frame, quasi, "income").anonymize_k_anonymity(k=int(sys.argv[3]))
pandas.DataFrame(made).to_csv(sys.argv[4], index=False)
"""
ANJANA = """
import sys, pandas
from anjana.anonymity import k_anonymity
frame = pandas.read_csv(sys.argv[1])
quasi = sys.argv[2].split(",")
levels = {name: {0: frame[name].values, 1: ["*"] * len(frame)} for name in quasi}
k_anonymity(frame, [], quasi, int(sys.argv[3]), 50, levels).to_csv(sys.argv[4], index=False)
"""
PYCANON = """
import sys, pandas
from pycanon import anonymity
frame = pandas.read_csv(sys.argv[1])
print(anonymity.k_anonymity(frame, sys.argv[2].split(",")))
"""
PEERS = {"anonypy": ANONYPY, "anjana": ANJANA, "pycanon": PYCANON}
WAYS: dict[str, tuple[str, ...]] = {
    "shoal, ranges (as anonypy)": ("--recoding", "range", "--method", "mondrian"),
    "shoal, stars (as anjana)": (),
}
NEEDED = {"anonypy": "pandas<3"}
"""What a peer needs besides, where it does not say so itself."""


def main() -> None:
    lines = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source, quasi = folder / "census.csv", ",".join(QUASI)
        write_census(source, ROWS)
        asked = ("--quasi", quasi, "--sensitive", "income", "--leave-out", "rest", "--require", f"k={K}")
        shoal = (sys.executable, "-m", "shoal")
        for what, more in WAYS.items():
            taken = command(*shoal, "anonymize", source, *asked, *more, "--overwrite", "-o", folder / "out")
            lines.append(_line(what, taken, folder / "out" / "public" / "table.csv"))
        lines.append(_line("shoal audit", command(*shoal, "audit", source, *asked[:4])))
        for peer, program in PEERS.items():
            lines.append(_peer(folder, peer, program, source, quasi))
    print(
        f"{datetime.date.today()}; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {platform.system()}; ", end=""
    )
    print(f"Python {platform.python_version()}, polars {pl.__version__}; {ROWS:,} rows of the census, k={K}\n")
    print("| what | CPU s | wall s | peak MB | rows published | classes |\n|---|---|---|---|---|---|")
    print("\n".join(lines))


def _peer(folder: Path, peer: str, program: str, source: Path, quasi: str) -> str:
    """Install one peer in an environment of its own, run it, and return its line."""
    home = folder / peer
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    installed = subprocess.run([python, "-m", "pip", "install", "-q", peer, NEEDED.get(peer, "pandas")], check=False)
    if installed.returncode:
        return f"| {peer}: could not be installed | | | | | |"
    shown = subprocess.run([python, "-m", "pip", "show", peer], capture_output=True, text=True, check=True).stdout
    version = next(line.split()[1] for line in shown.splitlines() if line.startswith("Version:"))
    made = folder / f"{peer}.csv"
    try:
        return _line(f"{peer} {version}", command(python, "-c", program, source, quasi, str(K), made), made)
    except SystemExit:
        return f"| {peer} {version}: failed | | | | | |"


def _line(what: str, taken: Measurement, made: Path | None = None) -> str:
    """Return what something took, and of a table that it made how many rows and classes it has."""
    rows = classes = ""
    if made is not None and made.is_file():
        frame = pl.read_csv(made, infer_schema=False)
        rows = f"{frame['count'].cast(pl.Int64).sum() if 'count' in frame.columns else frame.height:,}"
        classes = f"{frame.select(QUASI).n_unique():,}"
    return f"| {what} | {taken.cpu:.2f} | {taken.wall:.2f} | {taken.memory:,.0f} | {rows} | {classes} |"


if __name__ == "__main__":
    main()
