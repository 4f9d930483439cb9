"""One shard of the campaign: blocks of tables, every so-manieth of all, until time is over; run again, it goes on."""

from __future__ import annotations

import argparse
import sys
import time
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import polars as pl
from tests.campaign.law import ACROSS, AUDITED, METHODS, PUBLISHED, UNSUPPORTED, Choice, Seen, examine
from tests.campaign.ledger import BLOCK, Tally, append, lines, plain_reason
from tests.campaign.shrinking import smallest
from tests.campaign.summary import summed
from tests.campaign.trials import MODELS, Trial, aimed, trials

import shoal
from shoal.core.errors import ShoalError
from shoal.recoding.recode import recodings

KEPT = 3
"""Tables that are kept of a law that a method breaks again and again; the others are counted."""
AIMED = 25
"""Tables that are tried at most for each recoding and model that a method has no release of."""
SAVED = 200
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
    """Go on where the ledger ends, block by block."""
    done = [line["block"] for line in lines([path] if path.exists() else []) if "block" in line]
    block, ends = max(done, default=shard - of) + of, time.monotonic() + seconds
    made, choice = 0, Choice()
    while time.monotonic() < ends and made < tables:
        numbers = range(block * BLOCK, (block + 1) * BLOCK)
        start, working, tally = time.monotonic(), time.process_time(), Tally()
        for number in numbers:
            one_table(number, choice, tally, path)
        tally.seconds, tally.processor_seconds = time.monotonic() - start, time.process_time() - working
        append(path, {"block": block, **tally.line()})
        made += tally.tables
        speed = (
            f"{tally.runs / tally.seconds:.0f} runs a second, {tally.runs / tally.processor_seconds:.0f} of a processor"
        )
        print(f"shard {shard}: block {block}, {tally.problems:,} problems, {speed}", flush=True)
        block += of


def aim(folder: Path) -> None:
    """Send tables at every cell of the table that has no release yet, some for each recoding and model."""
    path = folder / "ledger-aimed.jsonl"
    known, _ = summed(sorted(folder.glob("ledger-*.jsonl")))
    for recoding in recodings():
        tally, choice, start, working = Tally(), Choice(), time.monotonic(), time.process_time()
        for model in MODELS:
            empty = {name for name in METHODS if not known.cells[f"{name}|{recoding}|{model}"]["published"]}
            for number in range(AIMED if empty else 0):
                trial = aimed(number, recoding, model)
                if trial is not None and empty:
                    seen = examine(trial, sorted(empty), False, Random(number))
                    note(trial, seen, choice, tally)
                    empty -= {name for name, outcome in seen.outcomes.items() if outcome == PUBLISHED}
                    for name, law in seen.broken.items():
                        failed(path, law, name, (number, 0), trial)
        tally.seconds, tally.processor_seconds = time.monotonic() - start, time.process_time() - working
        append(path, {"aimed": recoding, **tally.line()})
        print(f"{recoding}: {tally.runs:,} runs", flush=True)


def one_table(number: int, choice: Choice, tally: Tally, path: Path) -> None:
    """Draw a table, ask all that is asked of it, and note what came of it."""
    tally.tables += 1
    for place, trial in enumerate(trials(number)):
        random = Random(number * 101 + place)
        names, audited = choice.methods(trial, random), random.randrange(AUDITED) == 0
        seen = examine(trial, names, audited, random)
        choice.learn(trial, seen)
        note(trial, seen, choice, tally)
        for name, law in seen.broken.items():
            choice.broken[name, plain_reason(law)] += 1
            if choice.broken[name, plain_reason(law)] > KEPT:
                continue
            found = smallest(trial, partial(breaks_again, name=name, law=law, names=names))
            failed(path, law, name, (number, place), found)
        if place == 0 and number % SAVED == 0:
            law = whole_way(trial)
            tally.saved += not law
            if law not in ("", "refused"):
                failed(path, law, "auto", (number, place), trial)


def failed(path: Path, law: str, method: str, drawn: tuple[int, int], trial: Trial) -> None:
    """Write down a law that was broken, and the smallest table that shows it."""
    append(path, {"failure": law, "method": method, "drawn": drawn, "case": trial.as_data()})
    print(f"FAILURE {method}: {law} in {trial}", file=sys.stderr, flush=True)


def breaks_again(trial: Trial, name: str, law: str, names: list[str]) -> bool:
    """Whether the same method breaks the same law for another trial."""
    among = names if law.startswith(ACROSS) else [name] if name else []
    seen = examine(trial, among, "audit" in law, Random(0))
    return plain_reason(seen.broken.get(name, "")) == plain_reason(law)


def note(trial: Trial, seen: Seen, choice: Choice, tally: Tally) -> None:
    """Add what became of a trial."""
    tally.problems += 1
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
