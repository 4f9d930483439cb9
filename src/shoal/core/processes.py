"""Other processes: start one that outlives its terminal, ask whether one lives, end one with all that it started.

POSIX systems have sessions and groups of processes; on Windows a process has a group for Ctrl-C only, and `taskkill`
ends it with its children.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
from contextlib import suppress
from typing import Any

WINDOWS = os.name == "nt"
STILL_ACTIVE = 259
QUERY_LIMITED_INFORMATION = 0x1000
"""Names of the Windows interface: the exit code of a process that lives, and the right to ask for it."""


def own_session() -> dict[str, Any]:
    """Return the options of `subprocess.Popen` for a process that neither Ctrl-C nor the end of a terminal ends."""
    if WINDOWS:
        return {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
    return {"start_new_session": True}


def end_session(process: int) -> None:
    """End at once a process that was started by `own_session`, and what it started; nothing if it is gone."""
    if WINDOWS:
        asked = ["taskkill", "/F", "/T", "/PID", str(process)]
        subprocess.run(asked, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        return
    with suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)


def is_alive(process: int) -> bool:
    """Whether a process of this number lives. Signal 0, which only asks on POSIX, would be a Ctrl-C on Windows."""
    if WINDOWS:
        return _is_alive_on_windows(process, ctypes.windll.kernel32)  # type: ignore[attr-defined,unused-ignore]
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _is_alive_on_windows(process: int, kernel: Any) -> bool:
    """Ask for the exit code; a process that lives and may not be asked cannot be opened, and counts as gone."""
    handle = kernel.OpenProcess(QUERY_LIMITED_INFORMATION, False, process)
    if not handle:
        return False
    code = ctypes.c_ulong()
    try:
        return bool(kernel.GetExitCodeProcess(handle, ctypes.byref(code))) and code.value == STILL_ACTIVE
    finally:
        kernel.CloseHandle(handle)
