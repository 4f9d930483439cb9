"""What differs between systems, with the calls that Windows lacks taken away and its own put in their place."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from shoal.core import atomic_files, file_lock, private_folders, processes
from shoal.core.file_lock import inherited, keep_lock, lock, locked
from shoal.core.kernel_folder import MOST_FOLDERS, own_folder


def _locking(handle: int, mode: int, length: int) -> None:
    """What `msvcrt.locking` does, for files that are locked by somebody else."""
    if os.fstat(handle).st_ino in HELD:
        raise PermissionError
    assert (mode, length) == (1, 1)


HELD: dict[int, int] = {}
"""By its number, the files that somebody has locked."""


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Take away what Windows lacks; return the commands that are run meanwhile."""
    ran: list[list[str]] = []
    monkeypatch.setattr(file_lock, "fcntl", None)
    monkeypatch.setattr(file_lock, "TRIES", 2)
    monkeypatch.setattr(file_lock, "msvcrt", SimpleNamespace(locking=_locking, LK_NBLCK=1))
    monkeypatch.setattr(private_folders, "fcntl", None)
    monkeypatch.setattr(processes, "WINDOWS", True)
    monkeypatch.setattr(atomic_files, "WINDOWS", True)
    monkeypatch.setattr(subprocess, "run", lambda asked, **_: ran.append(asked))
    for name in ("killpg", "getuid", "setsid", "O_DIRECTORY", "O_NOFOLLOW"):
        monkeypatch.delattr(os, name)
    return ran


def test_a_lock_is_held_as_long_as_its_file_is_open(tmp_path: Path) -> None:
    held = lock(tmp_path / "lock")
    assert held is not None
    assert lock(tmp_path / "lock") is None
    assert locked(tmp_path / "lock")
    assert inherited(held) == {"pass_fds": [held]}
    keep_lock(tmp_path / "lock")  # nothing to wait for
    os.close(held)
    assert not locked(tmp_path / "lock")
    assert not locked(tmp_path / "none")


@pytest.mark.usefixtures("windows")
def test_a_lock_on_windows_is_one_on_a_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = lock(tmp_path / "lock")
    assert held is not None
    assert inherited(held) == {}
    monkeypatch.setitem(HELD, os.fstat(held).st_ino, held)
    assert lock(tmp_path / "lock") is None
    assert locked(tmp_path / "lock")
    HELD.clear()
    assert not locked(tmp_path / "lock")
    file_lock._wait_for(tmp_path / "lock")
    os.close(held)


def test_a_process_and_what_it_started_is_ended() -> None:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], **processes.own_session())
    assert processes.is_alive(child.pid)
    processes.end_session(child.pid)
    assert child.wait(10) == -signal.SIGKILL
    assert not processes.is_alive(child.pid)
    processes.end_session(child.pid)


def test_on_windows_a_process_is_ended_by_taskkill(windows: list[list[str]]) -> None:
    assert "start_new_session" not in processes.own_session()
    processes.end_session(12345)
    assert windows == [["taskkill", "/F", "/T", "/PID", "12345"]]


@pytest.mark.parametrize(("opened", "code", "alive"), [(0, 0, False), (7, 259, True), (7, 1, False)])
def test_on_windows_a_process_is_asked_for_its_exit_code(opened: int, code: int, alive: bool) -> None:
    closed: list[int] = []

    def exit_code(handle: int, place: Any) -> int:
        ctypes.cast(place, ctypes.POINTER(ctypes.c_ulong))[0] = code
        return handle

    kernel = SimpleNamespace(OpenProcess=lambda *_: opened, GetExitCodeProcess=exit_code, CloseHandle=closed.append)
    assert processes._is_alive_on_windows(1, kernel) is alive
    assert closed == [opened] * bool(opened)


@pytest.mark.usefixtures("windows")
def test_a_file_that_is_being_read_is_replaced_a_moment_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused, real = [1, 2], Path.replace

    def replace(self: Path, target: Path) -> Path:
        if refused:
            refused.pop()
            raise PermissionError
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    with atomic_files.replacing(tmp_path / "file") as beside:
        beside.write_text("new")
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


@pytest.mark.usefixtures("windows")
def test_a_private_folder_needs_no_lock() -> None:
    folder, held = private_folders.make_private("shoal-")
    assert (folder.is_dir(), held) == (True, -1)
    private_folders.sweep_up("shoal-", lambda name: True)
    private_folders.remove_private(folder, held)
    assert not folder.exists()


def test_the_page_ends_by_the_signals_that_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("nicegui")
    monkeypatch.delattr(signal, "SIGHUP")
    source = Path(str(importlib.util.find_spec("shoal.web.app").origin)).read_text("utf-8")  # type: ignore[union-attr]
    line = next(line for line in source.splitlines() if line.startswith("ENDS = "))
    found: dict[str, Any] = {"signal": signal}
    exec(line, found)
    assert found["ENDS"] == (signal.SIGTERM,)


@pytest.mark.usefixtures("windows")
def test_compiled_loops_are_kept_in_the_local_folder_of_a_user_of_windows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    folder = own_folder("loops")
    assert folder == tmp_path / "shoal" / "kernels" / "loops"
    assert folder.is_dir()


@pytest.mark.skipif(os.name == "nt", reason="a home is elsewhere on Windows")
def test_compiled_loops_are_kept_only_where_nobody_else_can_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert own_folder("loops") is not None
    (tmp_path / ".cache" / "shoal" / "kernels").chmod(0o777)
    assert own_folder("loops") is None
    (tmp_path / "file").touch()
    monkeypatch.setenv("HOME", str(tmp_path / "file"))
    assert own_folder("loops") is None


@pytest.mark.skipif(os.name == "nt", reason="a home is elsewhere on Windows")
def test_only_some_texts_of_the_loops_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for number in range(MOST_FOLDERS + 2):
        folder = own_folder(str(number))
        assert folder is not None
        os.utime(folder, (number, number))
    assert own_folder("last") is not None
    left = {one.name for one in (tmp_path / ".cache" / "shoal" / "kernels").iterdir()}
    assert left == {"last", *(str(number) for number in range(3, MOST_FOLDERS + 2))}
