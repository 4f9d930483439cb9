"""Cost, proven bound and gap of the cube method on real tables; each release is saved, then verified with its original.

`python -m benchmarks proofs` runs every case in a process of its own; `python -m benchmarks.proofs NAME` one of them.
Compiled loops are warm from the second run on: run it twice, or read the first case's seconds with that in mind.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.measure import SHARED, show
from shoal.pipeline import run
from shoal.release.verification import verify
from shoal.request import Request
from shoal.studies.synth import census
from shoal.tables.table import Table, read

ADULT = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")
ARX = (*ADULT[:7], "salary-class")


@dataclass(frozen=True)
class Case:
    """A table, what is asked of it, for how long, and what is known of it: (cost at most, bound at least).

    `arx` quotes ARX 3.9.2, the best of the settings tried: `optimizeIterativeFast` with gs factor 0, a suppression
    limit of 100 % and the step named; NCP, a suppressed row counting 1.
    """

    table: str
    quasi: Sequence[str]
    require: str = "k=5"
    sensitive: Sequence[str] = ()
    hierarchies: str | None = None
    seconds: float | None = 60
    method: str = "cube"
    known: str = ""
    arx: str = ""
    options: Mapping[str, str] = field(default_factory=dict)


def _adult(
    quasi: Sequence[str], require: str, sensitive: Sequence[str], seconds: float, known: str, arx: str = ""
) -> Case:
    return Case(
        "adult/adult_30162.csv.gz",
        quasi,
        require,
        sensitive,
        "adult/hierarchies/adult_hierarchy_{}.csv",
        seconds,
        known=known,
        arx=arx,
    )


CASES = {
    "stars-4": Case("adult/adult_30162.csv.gz", ADULT[:4], seconds=10, known="optimum 1,842"),
    "stars-6": Case("adult/adult_30162.csv.gz", ADULT[:6], known="11,300 / 11,070"),
    "stars-8": Case("adult/adult_30162.csv.gz", ADULT, known="32,200 / 30,880"),
    "ncp-8": _adult(ARX, "k=5", (), 120, "0.0275 / 0.0229", "0.0284 (step 0.0002)"),
    "ncp-9": _adult(
        (*ADULT, "salary-class"), "k=5", (), 120, "0.065", "0.0525 (step 0.0002; 3 rows not valid), 0.0589 (step 0.01)"
    ),
    "distinct": _adult(ARX, "k=5 distinct-l(occupation)=3", ("occupation",), 60, "0.034", "0.0319 (step 0.0002)"),
    "entropy": _adult(ARX, "k=5 entropy-l(occupation)=3", ("occupation",), 60, "0.045"),
    "close": _adult(
        ARX,
        "k=5 t(occupation)=0.2",
        ("occupation",),
        60,
        "0.30, 1,200 classes",
        "0.442 (step 0.01; 1,090 rows suppressed)",
    ),
    "close-2": _adult(
        ADULT[:7],
        "k=5 t(occupation)=0.2 t(salary-class)=0.2",
        ("occupation", "salary-class"),
        60,
        "0.36, 560 classes",
    ),
    "census": Case(
        "census", ("age", "gender", "education", "birthplace"), "l(income)=6", ("income",), seconds=40, known="gap 1.10"
    ),
    "nhanes": Case("nhanes/nhanes_raw.csv.gz", ("Gender", "Age", "Race1", "Education", "MaritalStatus"), seconds=30),
    "creditcard": Case(
        "creditcard_int/creditcard_int.csv.gz",
        ("SEX", "EDUCATION", "MARRIAGE", "AGE", "LIMIT_BAL"),
        "k=5 t(default-payment-next-month)=0.15",
        ("default-payment-next-month",),
        "creditcard_int/hierarchies/creditcard_int_hierarchy_{}.csv.gz",
        seconds=60,
    ),
    "covid": Case(
        "covid_mx/covid_mx.parquet",
        ("SEX", "AGE", "PREGNANT", "MEDICAL_UNIT", "USMER"),
        "k=5 l(CLASIFFICATION_FINAL)=2",
        ("CLASIFFICATION_FINAL",),
        known="287,000",
    ),
}


def main() -> None:
    """Run every case whose table is at hand."""
    rows = []
    for name, case in CASES.items():
        if case.table != "census" and not (SHARED / case.table).is_file():
            print(f"{name}: skipped, the table is not at hand")
            continue
        found = subprocess.run([sys.executable, "-m", "benchmarks.proofs", name], stdout=subprocess.PIPE, check=True)
        line = json.loads(found.stdout)
        print(json.dumps(line), flush=True)
        rows.append([name, case.known, case.arx, *(line[key] for key in HEADINGS)])
    show("The cube method and its proofs", ("case", "must reach", "ARX's best, quoted", *HEADINGS), rows)


HEADINGS = ("cost", "bound", "proved", "gap", "classes", "seconds", "verified in", "MB")


def one(name: str) -> dict[str, object]:
    """Make, save and verify one release; return what was seen."""
    case = CASES[name]
    table = Table.of(census(600_000, 1)) if case.table == "census" else read(SHARED / case.table)
    hierarchies = {}
    if case.hierarchies is not None:
        hierarchies = {column: str(SHARED / case.hierarchies.format(column)) for column in case.quasi}
    request = Request(
        case.quasi,
        case.require,
        case.sensitive,
        leave_out="rest",
        hierarchies=hierarchies,
        recoding="generalize" if hierarchies else "suppress",
        method=case.method,
        time_limit=case.seconds,
    )
    began = time.perf_counter()
    release = run(table, request)
    took = time.perf_counter() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    with tempfile.TemporaryDirectory() as folder:
        release.save(Path(folder) / "release")
        began = time.perf_counter()
        checked = verify(Path(folder) / "release", original=table.frame)
        verified = time.perf_counter() - began
    if not checked.passed:
        sys.exit(f"{name}: {checked.failures}")
    made = release.certificate
    return {
        "case": name,
        "status": made.status,
        "cost": float(made.cost),
        "bound": made.lower_bound,
        "proved": None if checked.proved is None else checked.proved.bound,
        "gap": made.gap,
        "classes": made.classes,
        "dropped": made.dropped,
        "seconds": round(took, 1),
        "verified in": round(verified, 1),
        "MB": round(memory),
    }


if __name__ == "__main__":
    print(json.dumps(one(sys.argv[1])))
