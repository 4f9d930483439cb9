"""One method in a process of its own, so that the time and the memory it takes are its own.

The problem goes to the child through its standard input; progress and the solution come back through its standard
output. The child is a fresh interpreter that runs none of the caller's code: no guard in a script is needed, and a
frame that was given is not read again. A child that dies is a method that failed, and nothing else.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from typing import IO

from shoal.core.errors import Infeasible, ShoalError, Unsupported
from shoal.core.memory import MemoryLimit, peak, start_of_peak, within
from shoal.methods.auto import choose, methods
from shoal.methods.base import Deadline, Progress, silent
from shoal.methods.effort import NORMAL
from shoal.problem import Problem, Solution

START = "import sys; sys.path[:] = {path!r}; from shoal.studies.isolated_run import serve; serve()"
"""What the child runs: it finds the same packages as its parent."""
EVERY = 0.1
"""Seconds between two reports of progress."""


@dataclass(frozen=True, eq=False)
class Task:
    """What a method is asked to do."""

    problem: Problem
    method: str
    seed: int
    limit: float | None
    """Seconds, counted from the method's start; then it returns the best it has."""
    memory: MemoryLimit | None = None
    """The most that the method's process may hold."""
    effort: str = NORMAL


@dataclass(frozen=True, eq=False)
class Attempt:
    """What became of a task: a solution, or a status and a reason why there is none."""

    status: str
    solution: Solution | None = None
    reason: str | None = None
    seconds: float | None = None
    """From the method's start to its solution, the compiling of what it compiles included."""
    memory_before: int | None = None
    """Bytes that the process held before: the interpreter, its libraries, the encoded table."""
    peak_memory: int | None = None
    """The most bytes that the process held while the method ran; None where that cannot be measured."""


def run_apart(task: Task, progress: Progress = silent) -> Attempt:
    """Run a method in a fresh process; in this one, unmeasured, where the problem cannot be sent.

    It cannot where it holds a class that no module has: a model defined in a notebook, say.
    """
    child = subprocess.Popen(
        [sys.executable, "-c", START.format(path=sys.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        process_group=0 if os.name == "posix" else None,  # Ctrl-C is for the parent to handle
    )
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        found = _received(child.stdout, progress) if _sent(task, child.stdin) else None
        if found is None:
            return attempt(task, progress)
        return found if isinstance(found, Attempt) else _died(child.wait())
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def _sent(task: Task, to: IO[bytes]) -> bool:
    """Send a task; whether it could be written."""
    try:
        with to:
            pickle.dump(task, to, protocol=5)
    except (BrokenPipeError, ConnectionError):  # the child is gone; what it left says so
        return True
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return True


def _received(source: IO[bytes], progress: Progress) -> Attempt | str | None:
    """Pass progress on until the attempt comes; None if the child could not read the task, a word if it died."""
    while True:
        try:
            word, *rest = pickle.load(source)
        except (EOFError, pickle.UnpicklingError):
            return "died"
        if word != "progress":
            return rest[0] if rest else None
        progress(*rest)


def _died(code: int) -> Attempt:
    """Word the end of a process that gave no answer."""
    ended = f"signal {-code}" if code < 0 else f"exit code {code}"
    cause = "; most often that means that memory ran out" if code == -9 else ""
    return Attempt("failed", reason=f"its process ended with {ended}{cause}")


def attempt(task: Task, progress: Progress = silent) -> Attempt:
    """Run a method in this process; a refusal and a fault become a reason without any cell of the table."""
    began = time.perf_counter()
    try:
        with within(task.memory):
            solution = choose(
                task.problem,
                task.method,
                seed=task.seed,
                deadline=Deadline.after(task.limit),
                progress=progress,
                effort=task.effort,
            )
    except Unsupported as error:
        return Attempt("unsupported", reason=error.given)
    except Infeasible as error:
        return Attempt("infeasible", reason=str(error))
    except ShoalError as error:
        return Attempt("failed", reason=str(error))
    except Exception as error:
        where = f"shoal anonymize --method {task.method} shows where"
        return Attempt("failed", reason=f"{type(error).__name__} in the method, a bug; {where}")
    return Attempt(solution.status, solution, seconds=time.perf_counter() - began)


# In the child


def serve() -> None:
    """Read a task from standard input, run it, write progress and the attempt to standard output."""
    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints does not come in between
    try:
        task: Task = pickle.load(sys.stdin.buffer)
    except Exception:
        _send(channel, "unreadable")
        return
    methods()  # the time to import them is not counted
    before = start_of_peak()
    found = attempt(task, _now_and_then(channel))
    _send(channel, "done", replace(found, memory_before=before, peak_memory=peak()))


def _send(channel: IO[bytes], *message: object) -> None:
    pickle.dump(message, channel, protocol=5)
    channel.flush()


def _now_and_then(channel: IO[bytes]) -> Progress:
    last = [0.0]

    def report(share: float, doing: str) -> None:
        now = time.monotonic()
        if now - last[0] >= EVERY:
            last[0] = now
            _send(channel, "progress", share, doing)

    return report
