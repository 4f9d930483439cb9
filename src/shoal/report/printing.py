"""The report on paper: its page printed to a PDF file by a browser that is installed.

Chromium, Chrome or Edge print without a window, with a fresh profile in a temporary folder, and with every name of
the network unknown: the page refers to nothing outside itself, and nothing is fetched. The file is written beside its
place and moved there in one step.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from shoal.core.atomic_files import replacing
from shoal.core.errors import ReleaseError, Unsupported, cannot_write

COMMANDS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
    "msedge",
    "chrome",
)
"""What the browsers are called on the search path."""
APPLICATIONS = {
    "darwin": ("Google Chrome", "Chromium", "Microsoft Edge"),
    "win32": (r"Google\Chrome\Application\chrome.exe", r"Microsoft\Edge\Application\msedge.exe"),
}
"""What they are called where programs are not on the search path."""
ARGUMENTS = (
    "--headless",
    "--disable-gpu",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-pdf-header-footer",
)
SECONDS = 180
"""After which a browser that has not printed is stopped."""


def browser() -> str:
    """Return the program that prints, or raise `Unsupported` where none is installed."""
    for found in _browsers():
        return found
    raise Unsupported(
        "a PDF file is printed by Chromium, Chrome or Edge; none of them is installed",
        hint="install one, or open the HTML report in another browser and print it there",
    )


def _browsers() -> Iterator[str]:
    yield from filter(None, map(shutil.which, COMMANDS))
    places = {
        "darwin": [f"/Applications/{name}.app/Contents/MacOS/{name}" for name in APPLICATIONS["darwin"]],
        "win32": [
            os.path.join(os.environ[root], name)  # noqa: PTH118 - a path of Windows, whatever system this is
            for root in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")
            for name in APPLICATIONS["win32"]
            if root in os.environ
        ],
    }
    yield from (place for place in places.get(sys.platform, ()) if Path(place).is_file())


def print_page(page: str, path: Path) -> None:
    """Print an HTML page to a PDF file."""
    program = browser()
    with tempfile.TemporaryDirectory(prefix="shoal-print-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        source, printed = folder / "report.html", folder / "report.pdf"
        source.write_text(page, encoding="utf-8", newline="\n")
        _run([program, *ARGUMENTS, *_without_sandbox(), f"--user-data-dir={folder / 'profile'}"], source, printed)
        if not printed.is_file() or not printed.read_bytes().startswith(b"%PDF"):
            raise ReleaseError(f"{Path(program).name} printed no PDF file", hint="print the HTML report by hand")
        try:
            with replacing(path) as beside:
                shutil.copyfile(printed, beside)
        except OSError as error:
            raise cannot_write(path, error) from error


def _without_sandbox() -> list[str]:
    """Return what Chromium asks for where the administrator of Linux starts it; the page has no script."""
    administrator = sys.platform.startswith("linux") and os.geteuid() == 0
    return ["--no-sandbox"] if administrator else []


def _run(command: list[str], source: Path, printed: Path) -> None:
    try:
        subprocess.run(
            [*command, f"--print-to-pdf={printed}", source.as_uri()],
            check=True,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise ReleaseError(
            f"{Path(command[0]).name} has not printed the report in {SECONDS} seconds",
            hint="print the HTML report by hand",
        ) from None
    except (OSError, subprocess.CalledProcessError) as error:
        raise ReleaseError(
            f"{Path(command[0]).name} could not print the report ({type(error).__name__})",
            hint="print the HTML report by hand",
        ) from error
