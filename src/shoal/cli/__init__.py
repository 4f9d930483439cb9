"""The command line: a thin layer over the library. A command and what it needs are imported when it is called."""

from __future__ import annotations

import json
import logging
import os
import sys
import warnings
from typing import Any

from shoal.cli.app import app
from shoal.cli.interrupt import INTERRUPTED, ending_tidily
from shoal.cli.warned import warn_now
from shoal.core import memory
from shoal.core.errors import Infeasible, ParameterError, SafetyWarning, ShoalError

LEVEL, LEVELS = "SHOAL_LOG", ("debug", "info", "warning", "error")
"""The environment variable that says from which level on is logged, and the levels."""

FAULT = 70
"""The exit code of an error that shoal did not foresee."""


def main() -> None:
    """Run the command line; errors of shoal become one line on standard error and an exit code."""
    warnings.simplefilter("always", SafetyWarning)
    warnings.showwarning = _show_warning
    memory.give_back_arrays()
    try:
        _log_as_asked(os.environ.get(LEVEL, ""))
        with ending_tidily():
            app(prog_name="shoal")
    except ShoalError as error:
        print(_as_json(error) if "--json" in sys.argv else f"shoal: {error}", file=sys.stderr)
        sys.exit(3 if isinstance(error, Infeasible) else 2)
    except SystemExit as end:
        if end.code == INTERRUPTED:
            print("shoal: stopped; no partial release was written", file=sys.stderr)
        raise
    except MemoryError:
        print("shoal: out of memory; allow more of it, or name fewer columns", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        if os.environ.get(LEVEL) == "debug":
            raise
        said = _refused(error)
        print(_as_json(said) if "--json" in sys.argv else f"shoal: {said}", file=sys.stderr)
        sys.exit(2)
    except Exception as error:
        if os.environ.get(LEVEL) == "debug":
            raise
        print(_as_json(_fault(error)) if "--json" in sys.argv else f"shoal: {_fault(error)}", file=sys.stderr)
        sys.exit(FAULT)


def _refused(error: OSError) -> ShoalError:
    """Say what the system refused: the name of the file and the reason."""
    what = f" {str(error.filename)!r}" if error.filename else " a file"
    return ShoalError(
        f"the system refuses{what}: {error.strerror or type(error).__name__}", hint="check permissions and the disk"
    )


def _fault(error: Exception) -> ShoalError:
    """Say where shoal itself failed; the message of the error is left out, as it may repeat a cell."""
    places = []
    trace = error.__traceback__
    while trace is not None:
        module = trace.tb_frame.f_globals.get("__name__", "")
        if module.startswith("shoal."):
            places.append(f"{module}:{trace.tb_lineno}")
        trace = trace.tb_next
    where = f" at {', '.join(places[-3:])}" if places else ""
    return ShoalError(
        f"an unexpected error occurred in shoal ({type(error).__name__}{where})",
        hint=f"please report this: it is a fault of shoal; {LEVEL}=debug prints the traceback, which may contain cells",
    )


def _log_as_asked(level: str) -> None:
    """Print what the steps log, on standard error, from a level on: `SHOAL_LOG=info`."""
    if not level:
        return
    if level not in LEVELS:
        raise ParameterError(f"{LEVEL} is {level!r}", expected=", ".join(LEVELS))
    logging.basicConfig(level=level.upper(), format="%(asctime)s %(name)s: %(message)s")


def _as_json(error: ShoalError) -> str:
    """Return an error for machines, on one line: its kind, the whole message, and the parts that it has."""
    parts = {"given": error.given, "expected": error.expected, "hint": error.hint}
    said = {
        "error": type(error).__name__,
        "message": str(error),
        **{name: text for name, text in parts.items() if text},
    }
    return json.dumps(said, ensure_ascii=False)


def _show_warning(message: object, category: type, *where: Any, **more: Any) -> None:
    """Print what is warned of in one line, without the place in the code."""
    warn_now(str(message))
