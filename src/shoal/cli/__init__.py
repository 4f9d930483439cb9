"""The command line: a thin layer over the library. Only what `--help` needs is imported before a command runs.

A command lists what it needs besides under `if TYPE_CHECKING:`, and imports it by `import_deferred` when it runs.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

from shoal.cli.app import app
from shoal.cli.interrupt import ending_tidily
from shoal.core.errors import Infeasible, SafetyWarning, ShoalError
from shoal.core.memory import check_start

INTERRUPTED = 130
"""The exit code that the command line library gives an interrupted program."""

HELP = {"-h", "--help", "--version"}
"""What is answered with no library loaded."""


def main() -> None:
    """Run the command line; errors of shoal become one line on standard error and an exit code."""
    warnings.simplefilter("always", SafetyWarning)
    warnings.showwarning = _show_warning
    try:
        if sys.argv[1:] and not HELP & set(sys.argv):
            check_start()
        with ending_tidily():
            app(prog_name="shoal")
    except ShoalError as error:
        print(f"shoal: {error}", file=sys.stderr)
        sys.exit(3 if isinstance(error, Infeasible) else 2)
    except SystemExit as end:
        if end.code == INTERRUPTED:
            print("shoal: stopped; no release was written", file=sys.stderr)
        raise
    except MemoryError:
        print("shoal: out of memory; allow more of it, or name fewer columns", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)


def _show_warning(message: object, category: type, *where: Any, **more: Any) -> None:
    """Print what is warned of in one line, without the place in the code."""
    print(f"shoal: {message}", file=sys.stderr)
