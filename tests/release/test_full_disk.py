"""A disk that is full at any length of a file: the old release stays, whole, and nothing is left beside it."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import shoal
from shoal.core.errors import ReleaseError


@contextmanager
def no_file_longer_than(length: int) -> Iterator[None]:
    """Let writing fail where a file would become longer: what a full disk does, at a place that is chosen."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (length, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_a_disk_that_is_full_at_any_length_leaves_the_old_release(tmp_path: Path, format: str) -> None:
    people = {"age": [20, 21, 30, 31], "illness": ["flu", "gout", "flu", "gout"]}
    release = shoal.anonymize(people, quasi=["age"], sensitive=["illness"], require="k=2", method="mondrian")
    target = release.save(tmp_path / "out", format=format)
    old = files(target)
    for length in range(0, max(map(len, old.values())), 97):
        with no_file_longer_than(length), pytest.raises(ReleaseError, match="cannot write the release"):
            release.save(target, overwrite=True, format=format)
        assert [path.name for path in tmp_path.iterdir()] == ["out"], length
    assert files(target) == old
