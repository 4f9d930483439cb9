"""Cost, proven bound and gap of `auto` with the best effort on real tables; every release is saved and verified.

`python -m benchmarks proofs` runs every case in a process of its own; `python -m benchmarks.proofs NAME` one of them.
Time limits count CPU seconds, as on two idle cores (`benchmarks.cpu_clock`).
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.cpu_clock import CpuTime, on_two_cores
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
    seconds: float = 60
    method: str = "auto"
    effort: str = "best"
    known: str = ""
    aim: str = ""
    """What the cost or the gap should come down to."""
    arx: str = ""


def _adult(
    quasi: Sequence[str], require: str, sensitive: Sequence[str], seconds: float, known: str, aim: str, arx: str = ""
) -> Case:
    return Case(
        "adult/adult_30162.csv.gz",
        quasi,
        require,
        sensitive,
        "adult/hierarchies/adult_hierarchy_{}.csv",
        seconds,
        known=known,
        aim=aim,
        arx=arx,
    )


CASES = {
    "stars-4": Case("adult/adult_30162.csv.gz", ADULT[:4], seconds=10, known="optimum 1,842", aim="1"),
    "stars-6": Case("adult/adult_30162.csv.gz", ADULT[:6], known="11,300 / 11,070"),
    "stars-8": Case("adult/adult_30162.csv.gz", ADULT, known="32,200 / 30,880", aim="1.015"),
    "ncp-8": _adult(ARX, "k=5", (), 120, "0.0275 / 0.0229", "1.06", "0.0284 (step 0.0002)"),
    "ncp-9": _adult(
        (*ADULT, "salary-class"),
        "k=5",
        (),
        120,
        "0.065",
        "1.15",
        "0.0525 (step 0.0002; 3 rows not valid), 0.0589 (step 0.01)",
    ),
    "distinct": _adult(
        ARX, "k=5 distinct-l(occupation)=3", ("occupation",), 60, "0.034", "1.12", "0.0319 (step 0.0002)"
    ),
    "entropy": _adult(ARX, "k=5 entropy-l(occupation)=3", ("occupation",), 60, "0.045", "1.35"),
    "close": _adult(
        ARX,
        "k=5 t(occupation)=0.2",
        ("occupation",),
        60,
        "0.30, 1,200 classes",
        "1.6, cost 0.285",
        "0.442 (step 0.01; 1,090 rows suppressed)",
    ),
    "close-2": _adult(
        ADULT[:7],
        "k=5 t(occupation)=0.2 t(salary-class)=0.2",
        ("occupation", "salary-class"),
        60,
        "0.36, 560 classes",
        "1.8, cost 0.30",
    ),
    "census": Case(
        "census", ("age", "gender", "education", "birthplace"), "l(income)=6", ("income",), known="396,463", aim="1.5"
    ),
    "nhanes": Case("nhanes/nhanes_raw.csv.gz", ("Gender", "Age", "Race1", "Education", "MaritalStatus"), seconds=30),
    "creditcard": Case(
        "creditcard_int/creditcard_int.csv.gz",
        ("SEX", "EDUCATION", "MARRIAGE", "AGE", "LIMIT_BAL"),
        "k=5 t(default-payment-next-month)=0.15",
        ("default-payment-next-month",),
        "creditcard_int/hierarchies/creditcard_int_hierarchy_{}.csv.gz",
        known="0.0461",
        aim="1.8",
    ),
    "covid": Case(
        "covid_mx/covid_mx.parquet",
        ("SEX", "AGE", "PREGNANT", "MEDICAL_UNIT", "USMER"),
        "k=5 l(CLASIFFICATION_FINAL)=2",
        ("CLASIFFICATION_FINAL",),
        known="287,000",
        aim="1.02",
        seconds=120,
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
        rows.append([name, case.known, case.aim, case.arx, *(line[key] for key in HEADINGS)])
    headings = ("case", "must reach", "aim", "ARX's best, quoted", *HEADINGS)
    show("Releases and what is proved of them", headings, rows)


HEADINGS = ("cost", "bound", "proved", "gap", "method", "classes", "seconds", "CPU s", "verified in", "MB")


def request_of(case: Case) -> Request:
    """Return what is asked of a table."""
    found = case.hierarchies and {column: str(SHARED / case.hierarchies.format(column)) for column in case.quasi}
    return Request(
        case.quasi,
        case.require,
        case.sensitive,
        leave_out="rest",
        hierarchies=found or {},
        recoding="generalize" if found else "suppress",
        method=case.method,
        effort=case.effort,
        time_limit=case.seconds,
    )


def one(name: str) -> dict[str, object]:
    """Make, save and verify one release; return what was seen."""
    case = CASES[name]
    table = Table.of(census(600_000, 1)) if case.table == "census" else read(SHARED / case.table)
    request = request_of(case)
    began = time.process_time()
    with on_two_cores():
        release = run(table, request)
    took = time.process_time() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    with tempfile.TemporaryDirectory() as folder:
        release.save(Path(folder) / "release")
        began = time.process_time()
        checked = verify(Path(folder) / "release", original=table.frame)
        verified = time.process_time() - began
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
        "method": made.method,
        "classes": made.classes,
        "dropped": made.dropped,
        "seconds": round(took - CpuTime.saved, 1),
        "CPU s": round(took, 1),
        "verified in": round(verified, 1),
        "MB": round(memory),
    }


if __name__ == "__main__":
    print(json.dumps(one(sys.argv[1])))
