"""One shard of the campaign: blocks of tables, every so-manieth of all, until time is over; run again, it goes on."""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
from tests.campaign.law import ACROSS, AUDITED, INFEASIBLE, METHODS, PUBLISHED, UNSUPPORTED, Choice, Seen, examine
from tests.campaign.ledger import BLOCK, Tally, append, lines, plain_reason
from tests.campaign.shrinking import smallest
from tests.campaign.summary import summed
from tests.campaign.trials import MODELS, Drawn, Trial, aimed, trial_of

import shoal
from shoal.core.errors import ShoalError
from shoal.recoding.recode import recodings

KEPT = 3
"""Tables that are kept of a law that a method breaks again and again; the others are counted."""
AIMED = 40
"""Tables that are tried for each recoding and model that a method has no release of; more where it took one."""
SAVED = 1000
"""One table in so many is anonymized, written to a folder and verified, as people do it."""


def main() -> None:
    """Run blocks of one shard."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--shard", type=int, default=0)
    parser.add_argument("--of", type=int, default=1, help="number of shards")
    parser.add_argument("--folder", type=Path, default=Path("build/campaign"))
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--tables", type=int, default=10**9, help="tables of this run at most")
    parser.add_argument("--aim", action="store_true", help="try the cells of the table that have no release yet")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    if asked.aim:
        aim(asked.folder)
    else:
        path = asked.folder / f"ledger-{asked.shard}-of-{asked.of}.jsonl"
        run(path, asked.shard, asked.of, asked.seconds, asked.tables)


def run(path: Path, shard: int, of: int, seconds: float, tables: int) -> None:
    """Go on where the ledger ends, block by block; what methods refuse is known from all ledgers beside it."""
    done = [line["block"] for line in lines([path] if path.exists() else []) if "block" in line]
    block, ends = max(done, default=shard - of) + of, time.monotonic() + seconds
    made, choice = 0, Choice(summed(sorted(path.parent.glob("ledger-*.jsonl")))[0])
    while time.monotonic() < ends and made < tables:
        numbers = range(block * BLOCK, (block + 1) * BLOCK)
        start, working, tally = time.monotonic(), time.process_time(), Tally()
        with _seldom_collected():
            for number in numbers:
                one_table(number, choice, tally, path)
        tally.seconds, tally.processor_seconds = time.monotonic() - start, time.process_time() - working
        append(path, {"block": block, **tally.line()})
        made += tally.tables
        speed = f"{tally.tables / tally.processor_seconds:.0f} tables a second of a processor"
        print(f"shard {shard}: block {block}, {tally.runs:,} runs, {speed}", flush=True)
        block += of


@contextmanager
def _seldom_collected() -> Iterator[None]:
    """Collect cyclic garbage once, at the end: looking for it after every few tables takes a tenth of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.collect()


def aim(folder: Path) -> None:
    """Send tables at every cell of the table that has no release yet, some for each recoding and model."""
    path = folder / "ledger-aimed.jsonl"
    known, _ = summed(sorted(folder.glob("ledger-*.jsonl")))
    for recoding in recodings():
        tally, choice, start, working = Tally(), Choice(known), time.monotonic(), time.process_time()
        for model in MODELS:
            empty = {name for name in METHODS if not known.cells[f"{name}|{recoding}|{model}"]["published"]}
            tried = {name for name in empty if known.cells[f"{name}|{recoding}|{model}"]["infeasible"]}
            for number in range(10 * AIMED):
                among = empty if number < AIMED else empty & tried
                trial = aimed(number, recoding, model) if among else None
                if trial is None:
                    continue
                seen = examine(trial, sorted(among), False, Random(number))
                tally.tables += 1
                note(trial, seen, choice, tally)
                tried |= {name for name, outcome in seen.outcomes.items() if outcome == INFEASIBLE}
                empty -= {name for name, outcome in seen.outcomes.items() if outcome == PUBLISHED}
                for name, law in seen.broken.items():
                    failed(path, law, name, number, trial)
        tally.seconds, tally.processor_seconds = time.monotonic() - start, time.process_time() - working
        append(path, {"aimed": recoding, **tally.line()})
        print(f"{recoding}: {tally.runs:,} runs", flush=True)


def one_table(number: int, choice: Choice, tally: Tally, path: Path) -> None:
    """Draw a table and what is asked of it, send it through methods, and note what came of it."""
    drawn = Drawn(number)
    found = choice.draw(drawn)
    if found is None:
        return
    (trial, names), random = found, drawn.random
    tally.tables += 1
    seen = examine(trial, names, random.randrange(AUDITED) == 0, random)
    choice.learn(trial, seen)
    note(trial, seen, choice, tally)
    for name, law in seen.broken.items():
        choice.broken[name, plain_reason(law)] += 1
        if choice.broken[name, plain_reason(law)] > KEPT:
            continue
        small = smallest(trial, partial(breaks_again, name=name, law=law, names=names))
        failed(path, law, name, number, small)
    if number % SAVED == 0:
        law = whole_way(trial)
        tally.saved += not law
        if law not in ("", "refused"):
            failed(path, law, "auto", number, trial)


def failed(path: Path, law: str, method: str, number: int, trial: Trial) -> None:
    """Write down a law that was broken, and the smallest table that shows it."""
    append(path, {"failure": law, "method": method, "number": number, "case": trial.as_data()})
    print(f"FAILURE {method}: {law} in {trial}", file=sys.stderr, flush=True)


def breaks_again(trial: Trial, name: str, law: str, names: list[str]) -> bool:
    """Whether the same method breaks the same law for another trial."""
    among = names if law.startswith(ACROSS) else [name] if name else []
    seen = examine(trial, among, "audit" in law, Random(0))
    return plain_reason(seen.broken.get(name, "")) == plain_reason(law)


def still_broken(failure: dict[str, Any]) -> bool:
    """Whether the law that a line of a ledger is about is broken by its table today."""
    return breaks_again(trial_of(failure["case"]), failure["method"], failure["failure"], list(METHODS))


def note(trial: Trial, seen: Seen, choice: Choice, tally: Tally) -> None:
    """Add what became of a trial."""
    tally.conjunctions += len(trial.models) > 1
    tally.runs += len(seen.outcomes)
    tally.releases += seen.releases
    tally.audits += seen.audits
    for name, outcome in seen.outcomes.items():
        for model in trial.models:
            cell = f"{name}|{trial.recoding}|{model.name}"
            tally.cells[cell][outcome] += 1
            if outcome == UNSUPPORTED and len(trial.models) == 1 and cell not in choice.explained:
                tally.reasons[cell] = plain_reason(seen.reasons[name])
                choice.explained.add(cell)


def whole_way(trial: Trial) -> str:
    """Anonymize a table as people do, write it, and verify the folder: the law that is broken, if any."""
    frame = trial.frame.with_columns(pl.Series("home", trial.homes))
    at_home = any(model.needs_households for model in trial.models)
    try:
        release = shoal.anonymize(
            frame,
            quasi=trial.quasi,
            sensitive=trial.sensitive,
            leave_out="rest",
            require=trial.models,
            recoding=trial.recoding,
            column_recodings=trial.column_recodings,
            cost=trial.cost,
            attribute_weights={name: str(weight) for name, weight in trial.weights.items()},
            hierarchies=trial.builders,
            max_dropped=trial.max_dropped,
            max_suppressed=trial.max_suppressed,
            population=trial.people,
            household="home" if at_home else None,
        )
    except ShoalError:
        return "refused"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    with TemporaryDirectory() as folder:
        release.save(Path(folder) / "release")
        found = shoal.verify(Path(folder) / "release")
        return "" if found.passed else "a folder that was written is verified"


if __name__ == "__main__":
    main()
