"""The command line: a thin layer over the library. Only what `--help` needs is imported before a command runs."""

from __future__ import annotations

import sys

INTERRUPTED = 130
"""The exit code that the command line library gives an interrupted program."""


def main() -> None:
    """Run the command line; errors of shoal become one line on standard error and an exit code."""
    from shoal.cli.app import app
    from shoal.errors import Infeasible, ShoalError

    try:
        app(prog_name="shoal")
    except ShoalError as error:
        print(f"shoal: {error}", file=sys.stderr)
        sys.exit(3 if isinstance(error, Infeasible) else 2)
    except SystemExit as end:
        if end.code == INTERRUPTED:
            print("shoal: stopped; no release was written", file=sys.stderr)
        raise
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
