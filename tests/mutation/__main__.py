"""`python -m tests.mutation src/shoal/checking/proof.py tests/checking`: which changes of a module do no tests notice?

The tests are collected and run once, and it is written down which of them call which function of the module; several
modules, separated by commas, share that run. For each mutant the code of one function is exchanged, and the tests that
call it run, a case of each first, until one fails. Nothing is imported again. If a test goes on failing with the old
code back, something was kept that a mutant spoilt: the process then starts anew, and tries the mutant again if it was
not the first one of the process. If it was the first, the test is run twice without it: if it then fails too, it cannot
be run again, and notices nothing. What came of each mutant is a line of JSON in `build/mutation`, so that a run goes on
where it stopped; `--shard 0 --of 2` takes every second one.

With `--loops` compiled loops of the modules are changed as well, and run as Python: give quick tests of small tables.

A mutant is killed by a test that fails. Counted apart are mutants with which a test does not end in ten times its time,
those that end the process (the system ends it where a compiled loop does not end), and those that no test noticed while
some were left out because the others took too long.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from inspect import unwrap
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol  # pytest has no public name for it
from tests.mutation.mutants import CALLED, Mutant, mutants, mutated, recorded

from shoal.core.compiler import Loop

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "mutation"
KILLED, ENDLESS, SURVIVED, PARTLY = "killed", "no end", "survived", "survived some tests"
CRASHED = "ended the process"
UNREACHED = "called by no test"
MOST_TESTS, MOST_SECONDS = 150, 10
"""Tests that a mutant is sent through, and the seconds of a processor that they may take together."""
LONGEST, TIMES = 10, 10
"""Seconds of a processor that every test may take, and how many times longer than without a mutant."""
ASLEEP = 20
"""How many times longer a test may take by the clock, so that a busy machine kills no mutant."""
PASSES, FAILS = "passes", "fails"

NAMES = pytest.StashKey[dict[str, Any]]()
"""What the examples of a docstring know."""


@dataclass
class Known:
    """What processes hand on to the next one: which tests call which function, and which test is in doubt."""

    tests: dict[str, dict[str, float]] = field(default_factory=dict)
    """By module and function, the tests that call it, with their seconds, in the order to run them: a case of each
    before a second of any, file by file, and after the others those for which it prepares what they share."""
    prepared: dict[str, list[str]] = field(default_factory=dict)
    """By test, the functions that are called to prepare what it shares with others."""
    doubted: str = ""
    """A test that failed with the old code back, after the first mutant of a process."""
    trusted: list[str] = field(default_factory=list)
    """Tests that were doubted and can be run again."""
    ends: float = 0.0
    """When to stop, by the clock."""
    trying: str = ""
    """The mutant that is being tried: the next process reads it if this one ends in between."""


class Subject:
    """A module whose functions are changed, and what has come of its mutants."""

    def __init__(self, module: ModuleType, target: Path, *, loops: bool = False) -> None:
        self.name, self.target, self.file = module.__name__, target, str(module.__file__)
        self.source = Path(self.file).read_text(encoding="utf-8")
        self.functions = dict(_functions(module, loops=loops))
        self.names = vars(module)
        self.mutants = [mutant for mutant in mutants(self.source) if mutant.function in self.functions]

    def outcomes(self) -> dict[str, str]:
        """Return what came of the mutants so far."""
        lines = self.target.read_text(encoding="utf-8").splitlines() if self.target.exists() else []
        return {line["mutant"]: line["outcome"] for line in map(json.loads, lines)}

    def write(self, mutant: Mutant, outcome: str, by: str) -> None:
        """Write down what came of a mutant."""
        with self.target.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"mutant": mutant.name, "outcome": outcome, "by": by}) + "\n")

    def record(self, called: set[str]) -> dict[str, CodeType]:
        """Let every function write its name into a set when it is called, and return the codes it had."""
        self.names[CALLED] = called.add
        codes = {name: function.__code__ for name, function in self.functions.items()}
        whole = recorded(self.source, self.name, self.file)
        for code in _within(whole):
            if code.co_qualname in codes:
                self.functions[code.co_qualname].__code__ = code
        return codes

    def restore(self, codes: dict[str, CodeType]) -> None:
        """Give the functions their codes back."""
        for name, code in codes.items():
            self.functions[name].__code__ = code

    def code(self, mutant: Mutant) -> CodeType:
        """Return the code of the function that a mutant changes."""
        whole = mutated(self.source, mutant, self.file)
        return next(code for code in _within(whole) if code.co_qualname == mutant.function)


class Session:
    """A plugin of pytest that runs collected tests once for every mutant instead of once."""

    def __init__(
        self, subjects: list[Subject], known: Path, seconds: float, shard: tuple[int, int], most: float = MOST_SECONDS
    ) -> None:
        self.subjects, self.path, self.most = subjects, known, most
        self.shard, self.of = shard
        self.known = Known(ends=time.time() + seconds)
        self.called: set[str] = set()
        self.shared: dict[int, tuple[set[str], float]] = {}
        """By fixture that tests share, the functions that preparing it calls, and its seconds."""
        self.items: dict[str, pytest.Item] = {}

    def pytest_configure(self) -> None:
        """Do not look for the smallest example that fails."""
        from hypothesis import Phase, settings  # pytest rewrites its assertions when it is imported first

        phases = [Phase.explicit, Phase.generate]
        settings.register_profile("mutants", settings(), phases=phases)
        settings.load_profile("mutants")

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Iterator[None]:
        """Write down what is called to prepare what several tests share, and how long that takes."""
        before, start = set(self.called), time.process_time()
        self.called.clear()
        try:
            return (yield)
        finally:
            if fixturedef.scope != "function":
                self.shared[id(fixturedef)] = (set(self.called), time.process_time() - start)
                self.called.clear()
            self.called |= before

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the mutants."""
        self.items = {item.nodeid: item for item in session.items}
        self._learn()
        first = True
        for subject in self.subjects:
            done = subject.outcomes()
            for place, mutant in enumerate(subject.mutants):
                if place % self.of == self.shard and mutant.name not in done and time.time() < self.known.ends:
                    self._try(subject, mutant, first)
                    first = False
        return True

    def _try(self, subject: Subject, mutant: Mutant, first: bool) -> None:
        """Try a mutant, and write down what came of it."""
        if self.known.trying == f"{subject.name} {mutant.name}":
            outcome, by = CRASHED, ""
        else:
            self.known.trying = f"{subject.name} {mutant.name}"
            self._hand_on()
            outcome, by = self._sent(subject, mutant)
            self.known.trying = ""
        if by and not self._passes(by):  # it may be what tests share that is spoilt, by this mutant or one before
            self.items[by].session._setupstate.teardown_exact(None)
            outcome, by = self._sent(subject, mutant)
        spoilt = bool(by) and not self._passes(by)
        if spoilt and not (first and by in self.known.trusted):
            self._start_anew(by if first else "")
        subject.write(mutant, outcome, by)
        if outcome != KILLED:
            print(f"{outcome}: {subject.name} {mutant.name} {by}", flush=True)
        if spoilt:
            self._start_anew("")

    def _passes(self, test: str) -> bool:
        """Whether a test passes with the old code."""
        return _run(self.items[test], self._longest(test)) == PASSES

    def _start_anew(self, doubted: str) -> None:
        """Go on in a new process."""
        self.known.doubted = doubted
        self._hand_on()
        again = [] if "--again" in sys.argv else ["--again"]
        os.execv(sys.executable, [sys.executable, "-m", "tests.mutation", *sys.argv[1:], *again])

    def _hand_on(self) -> None:
        self.path.write_text(json.dumps(vars(self.known)), encoding="utf-8")

    def _learn(self) -> None:
        """Find out which tests call which function, or read what the process before has found out."""
        if "--again" not in sys.argv:
            self.path.unlink(missing_ok=True)
            self.known.tests = self._calls()
            self._hand_on()
            return
        self.known = Known(**json.loads(self.path.read_text(encoding="utf-8")))
        doubted, self.known.doubted = self.known.doubted, ""
        if doubted and [_run(self.items[doubted]) for _ in range(2)] == [PASSES] * 2:
            self.known.trusted.append(doubted)
        elif doubted:
            print(f"cannot be run again, left out: {doubted}", flush=True)
            for tests in self.known.tests.values():
                tests.pop(doubted, None)

    def _calls(self) -> dict[str, dict[str, float]]:
        """Run all tests, and return by function those that call it, the quickest first."""
        codes = [subject.record(self.called) for subject in self.subjects]
        calls: dict[str, list[tuple[str, float, str]]] = {}
        for name, item in self.items.items():
            self.called.clear()
            start, before = time.process_time(), sum(seconds for _, seconds in self.shared.values())
            if _run(item) != PASSES:
                print(f"fails without a mutant, left out: {name}", flush=True)
                continue
            took = time.process_time() - start - sum(seconds for _, seconds in self.shared.values()) + before
            prepared = self._prepared(item)
            self.known.prepared[name] = sorted(prepared)
            for function in self.called | prepared:
                file = str(item.path) if function in prepared else ""
                calls.setdefault(function, []).append((file, took, name))
        for subject, old in zip(self.subjects, codes, strict=True):
            subject.restore(old)
        return {function: {name: seconds for *_, seconds, name in _in_turn(tests)} for function, tests in calls.items()}

    def _prepared(self, item: pytest.Item) -> set[str]:
        """Return the functions that are called to prepare what a test shares with others."""
        named = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
        known = [self.shared[id(one)] for several in named.values() for one in several if id(one) in self.shared]
        return {function for functions, _ in known for function in functions}

    def _sent(self, subject: Subject, mutant: Mutant) -> tuple[str, str]:
        """Run tests with a mutant: what became of it, and the test that noticed it."""
        changed = f"{subject.name}:{mutant.function}"
        tests = list(self.known.tests.get(changed, ()))
        if not tests:
            return UNREACHED, ""
        function = subject.functions[mutant.function]
        old, ends = function.__code__, time.process_time() + self.most
        function.__code__ = subject.code(mutant)
        files: set[Path] = set()
        try:
            for number, name in enumerate(tests):
                if number >= MOST_TESTS or time.process_time() > ends:
                    return PARTLY, ""
                item, shares = self.items[name], changed in self.known.prepared[name]
                ended = _run(item, self._longest(name), anew=shares and item.path not in files)
                files |= {item.path} if shares else set()
                if ended != PASSES:
                    return (KILLED if ended == FAILS else ENDLESS), name
        finally:
            function.__code__ = old
            if files:  # what was prepared with the mutant
                self.items[tests[0]].session._setupstate.teardown_exact(None)
        return SURVIVED, ""

    def _longest(self, test: str) -> float:
        """Return the seconds of a processor that a test may take."""
        usual = max((tests[test] for tests in self.known.tests.values() if test in tests), default=0.0)
        return max(LONGEST, TIMES * usual)


def _in_turn(tests: list[tuple[str, float, str]]) -> list[tuple[str, bool, str, float, str]]:
    """Return tests in the order to run them: a case of each, then the others, file by file, the quickest first."""
    tried: set[str] = set()
    found = []
    for shared, seconds, name in sorted(tests):
        test = name.partition("[")[0]
        found.append((shared, test in tried, test.partition("::")[0], seconds, name))
        tried.add(test)
    return sorted(found)


class TooLong(BaseException):
    """A test that does not end: so a mutant is noticed, too."""


def _run(item: pytest.Item, seconds: float = 600, *, anew: bool = False) -> str:
    """Run a test and say whether it passes, fails, or does not end in time.

    What it shares with other tests of its file is kept for them, and not prepared again, unless it is made `anew`.
    """
    item.session._setupstate.teardown_exact(None if anew else item)
    others = (one for one in item.session.items if one.parent is item.parent and one is not item)
    if isinstance(item, pytest.DoctestItem):
        names = item.stash.setdefault(NAMES, dict(item.dtest.globs))
        item.dtest.globs.update(names)  # which are gone after a run
    stopped: list[int] = []

    def stop(number: int, _: object) -> None:
        stopped.append(number)
        raise TooLong

    signal.signal(signal.SIGPROF, stop)
    signal.signal(signal.SIGALRM, stop)
    _end_after(time.process_time() + 2 * seconds + 1)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, seconds * ASLEEP)
    try:
        reports = runtestprotocol(item, nextitem=next(others, None), log=False)
    except BaseException:  # a mutant may do anything
        reports = None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
    if stopped:
        return ENDLESS
    return FAILS if reports is None or any(report.failed for report in reports) else PASSES


def _end_after(seconds: float) -> None:
    """Let the system end the process at a time of a processor: a compiled loop hears no signal."""
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _within(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _within(constant)


def _functions(module: ModuleType, *, loops: bool) -> Iterator[tuple[str, FunctionType]]:
    """Yield the functions and methods of a module, without what is wrapped around them; compiled loops if asked for."""
    for found in vars(module).values():
        if getattr(found, "__module__", None) != module.__name__:
            continue
        for part in vars(found).values() if isinstance(found, type) else [found]:
            plain = None if isinstance(part, Loop) and not loops else _plain(part)
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


def _run_as_python(modules: list[str]) -> None:
    """Let compiled loops of some modules run as Python."""
    compiled = Loop.__call__

    def called(loop: Loop, *given: Any) -> Any:
        return loop.function(*given) if loop.function.__module__ in modules else compiled(loop, *given)

    Loop.__call__ = called  # type: ignore[assignment, method-assign]


def main() -> None:
    """Run the mutants of modules, and print what came of them."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("files", help="modules of src, separated by commas")
    parser.add_argument("tests", nargs="+", help="files and folders of tests")
    parser.add_argument("--shard", type=int, default=0)
    parser.add_argument("--of", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--loops", action="store_true", help="change compiled loops too, and run them as Python")
    parser.add_argument("--most", type=float, default=MOST_SECONDS, help="seconds of a processor for one mutant")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--again", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if not asked.inside:
        sys.exit(_guarded())
    BUILD.mkdir(parents=True, exist_ok=True)
    part = f"{asked.shard}-of-{asked.of}"
    files = asked.files.split(",")
    subjects = [_subject(Path(file), part, loops=asked.loops) for file in files]
    if asked.loops:
        _run_as_python([subject.name for subject in subjects])
    known, shard = BUILD / f"{subjects[0].name}-{part}.known.json", (asked.shard, asked.of)
    plugin = Session(subjects, known, asked.seconds, shard, asked.most)
    given = ["-q", "--tb=no", "-p", "no:cacheprovider", "-p", "no:xdist"]
    given += ["-W", "ignore:overflow:RuntimeWarning"] if asked.loops else []  # whole numbers of loops wrap around
    code = pytest.main([*asked.tests, *files, *given], [plugin])
    for subject in subjects:
        outcomes = list(subject.outcomes().values())
        kinds = (KILLED, CRASHED, ENDLESS, SURVIVED, PARTLY, UNREACHED)
        counted = ", ".join(f"{outcomes.count(one):,} {one}" for one in kinds)
        print(f"{subject.name}: {len(outcomes):,} of {len(subject.mutants):,} mutants: {counted}")
    sys.exit(int(code) if int(code) > 1 else 0)


def _guarded() -> int:
    """Run the mutants in another process, and again after one that ended it."""
    command = [sys.executable, "-m", "tests.mutation", *sys.argv[1:], "--inside"]
    code = subprocess.run(command, check=False).returncode
    while code < 0:
        code = subprocess.run([*command, "--again"], check=False).returncode
    return code


def _subject(file: Path, part: str, *, loops: bool) -> Subject:
    name = ".".join(file.resolve().relative_to(ROOT / "src").with_suffix("").parts)
    return Subject(import_module(name), BUILD / f"{name}-{part}.jsonl", loops=loops)


if __name__ == "__main__":
    main()
