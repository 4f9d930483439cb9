"""`python -m tests.mutation src/shoal/checking/proof.py tests/checking`: which changes of a module do no tests notice?

The tests are collected and run once, and it is written down which of them call which function of the module. For each
mutant the code of one function is exchanged, and the tests that call it run, quick ones first, until one fails. Nothing
is imported again. If a test goes on failing with the old code back, something was kept that a mutant spoilt: the
process then starts anew, and tries the mutant again if it was not the first one of the process. What came of each
mutant is a line of JSON in `build/mutation`, so that a run goes on where it stopped; `--shard 0 --of 2` takes every
second one.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from inspect import unwrap
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol  # pytest has no public name for it
from tests.mutation.mutants import Mutant, mutants, mutated

ROOT = Path(__file__).parents[2]
KILLED, SURVIVED, UNREACHED = "killed", "survived", "called by no test"
MOST_TESTS, MOST_SECONDS, LONGEST = 150, 20, 20
"""Tests that a mutant is sent through, and the seconds of a processor that they may take together, and one alone."""
ASLEEP = 20
"""How many times longer a test may take by the clock, so that a busy machine kills no mutant."""

NAMES = pytest.StashKey[dict[str, Any]]()
"""What the examples of a docstring know."""


class Session:
    """A plugin of pytest that runs collected tests once for every mutant instead of once."""

    def __init__(self, module: ModuleType, target: Path, shard: int, of: int, seconds: float) -> None:
        self.module, self.target, self.shard, self.of = module, target, shard, of
        self.ends = time.monotonic() + seconds
        self.source = Path(str(module.__file__)).read_text(encoding="utf-8")
        self.functions = dict(_functions(module))
        self.spoilt, self.tried = False, 0

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the mutants."""
        calls = self._calls(session)
        done = (
            {json.loads(line)["mutant"] for line in self.target.read_text().splitlines()}
            if self.target.exists()
            else {}
        )
        for place, mutant in enumerate(mutants(self.source)):
            if place % self.of == self.shard and mutant.name not in done and time.monotonic() < self.ends:
                outcome, by = self._sent(session, mutant, calls.get(mutant.function, []))
                self.tried += 1
                if self.spoilt and self.tried > 1:
                    self._start_anew()
                line = {"mutant": mutant.name, "outcome": outcome, "by": by}
                with self.target.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
                if self.spoilt:
                    self._start_anew()
                if outcome != KILLED:
                    print(f"{outcome}: {self.module.__name__} {mutant.name}", flush=True)
        return True

    def _start_anew(self) -> None:
        """Go on in a new process."""
        os.execv(sys.executable, [sys.executable, "-m", "tests.mutation", *sys.argv[1:]])

    def _calls(self, session: pytest.Session) -> dict[str, list[int]]:
        """Run all tests, and return by function those that call it, the quickest first."""
        code_of = {function.__code__: name for name, function in self.functions.items()}
        calls: dict[str, list[tuple[float, int]]] = {}
        for place, item in enumerate(session.items):
            seen: set[CodeType] = set()
            start = time.process_time()
            sys.setprofile(lambda frame, event, _: seen.add(frame.f_code) if event == "call" else None)  # noqa: B023
            try:
                failed = _run(item)
            finally:
                sys.setprofile(None)
            if failed:
                print(f"fails without a mutant, left out: {item.nodeid}", flush=True)
                continue
            for code in seen & set(code_of):
                calls.setdefault(code_of[code], []).append((time.process_time() - start, place))
        return {name: [place for _, place in sorted(tests)] for name, tests in calls.items()}

    def _sent(self, session: pytest.Session, mutant: Mutant, tests: list[int]) -> tuple[str, str]:
        """Run tests with a mutant: what became of it, and the test that noticed it."""
        if not tests:
            return UNREACHED, ""
        function = self.functions[mutant.function]
        old, ends = function.__code__, time.process_time() + MOST_SECONDS
        function.__code__ = self._code(mutant)
        try:
            for place in tests[:MOST_TESTS]:
                if _run(session.items[place], LONGEST):
                    function.__code__ = old
                    self.spoilt = _run(session.items[place], LONGEST)
                    return KILLED, session.items[place].nodeid
                if time.process_time() > ends:
                    break
        finally:
            function.__code__ = old
        return SURVIVED, ""

    def _code(self, mutant: Mutant) -> CodeType:
        """Return the code of the function that a mutant changes."""
        whole = mutated(self.source, mutant, str(self.module.__file__))
        return next(code for code in _within(whole) if code.co_qualname == mutant.function)


class TooLong(BaseException):
    """A test that does not end: so a mutant is noticed, too."""


def _stop(*_: object) -> None:
    raise TooLong


def _run(item: pytest.Item, seconds: int = 600) -> bool:
    """Run a test and say whether it fails, or does not end in time."""
    if isinstance(item, pytest.DoctestItem):
        names = item.stash.setdefault(NAMES, dict(item.dtest.globs))
        item.dtest.globs.update(names)  # which are gone after a run
    signal.signal(signal.SIGPROF, _stop)
    signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.alarm(seconds * ASLEEP)
    try:
        reports = runtestprotocol(item, nextitem=None, log=False)
    except BaseException:  # a mutant may do anything
        return True
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
    return any(report.failed for report in reports)


def _within(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _within(constant)


def _functions(module: ModuleType) -> Iterator[tuple[str, FunctionType]]:
    """Yield the functions and methods of a module, without what is wrapped around them."""
    for found in vars(module).values():
        if getattr(found, "__module__", None) != module.__name__:
            continue
        for part in vars(found).values() if isinstance(found, type) else [found]:
            plain = _plain(part)
            if plain is not None and plain.__code__.co_filename == module.__file__:
                yield plain.__code__.co_qualname, plain


def _plain(found: Any) -> FunctionType | None:
    if isinstance(found, property):
        found = found.fget
    elif isinstance(found, cached_property):
        found = found.func
    elif isinstance(found, classmethod | staticmethod):
        found = found.__func__
    found = unwrap(found) if callable(found) else None
    return found if isinstance(found, FunctionType) else None


def main() -> None:
    """Run the mutants of a module, and print what came of them."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("file", type=Path, help="a module of src")
    parser.add_argument("tests", nargs="+", help="files and folders of tests")
    parser.add_argument("--shard", type=int, default=0)
    parser.add_argument("--of", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=600.0)
    asked = parser.parse_args()
    name = ".".join(asked.file.resolve().relative_to(ROOT / "src").with_suffix("").parts)
    target = ROOT / "build" / "mutation" / f"{name}-{asked.shard}-of-{asked.of}.jsonl"
    target.parent.mkdir(parents=True, exist_ok=True)
    plugin = Session(import_module(name), target, asked.shard, asked.of, asked.seconds)
    code = pytest.main([*asked.tests, str(asked.file), "-q", "-p", "no:cacheprovider", "-p", "no:xdist"], [plugin])
    outcomes = [json.loads(line)["outcome"] for line in target.read_text().splitlines()] if target.exists() else []
    counted = ", ".join(f"{outcomes.count(one):,} {one}" for one in (KILLED, SURVIVED, UNREACHED))
    print(f"{name}: {len(outcomes):,} of {len(mutants(plugin.source)):,} mutants: {counted}")
    sys.exit(int(code) if int(code) > 1 else 0)


if __name__ == "__main__":
    main()
