"""A limit on memory: read in words, refused in words, and held to."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shoal
from shoal.core import memory
from shoal.core.errors import ParameterError, Unsupported
from shoal.core.memory import STATUS, MemoryLimit, MemoryPassed, peak, within
from shoal.studies.synth import write_census

pytestmark = pytest.mark.skipif(not STATUS.is_file(), reason="a limit on memory is for Linux")

PEOPLE = {"age": [25, 25, 40, 40], "illness": ["flu", "gout", "flu", "gout"]}


@pytest.mark.parametrize("given", ["", "2 apples", "-1GiB", "GiB", True, "1e9", [2]])
def test_what_is_no_size_is_refused(given: object) -> None:
    with pytest.raises(ParameterError, match="memory_limit is"):
        MemoryLimit.of(given)


def test_no_limit_is_no_limit() -> None:
    assert MemoryLimit.of(None) is None
    with within(None):
        pass


def test_a_limit_that_is_kept_changes_nothing() -> None:
    asked: dict[str, Any] = {"quasi": ["age"], "sensitive": ["illness"], "require": "k=2"}
    plain, limited = shoal.anonymize(PEOPLE, **asked), shoal.anonymize(PEOPLE, memory_limit="8GiB", **asked)
    assert plain.table.equals(limited.table)


def test_a_table_that_can_never_fit_is_refused_before_any_work() -> None:
    with pytest.raises(Unsupported, match=r"1,000,000,000 rows of 9 columns need at least 104\.\d GiB"):
        MemoryLimit(2**31).check_table(10**9, 9)


def test_a_process_that_is_too_large_already_is_refused() -> None:
    with pytest.raises(MemoryPassed, match="more memory was needed"), within(MemoryLimit(2**20)):
        raise AssertionError("nothing may be done")


def test_work_that_takes_more_is_ended() -> None:
    limit = MemoryLimit((peak() or 0) + 50 * 2**20)

    def grow() -> None:
        with within(limit):
            _ = [np.ones(2**17) for _ in range(10_000)]

    with pytest.raises(MemoryPassed):
        grow()


def test_the_engine_spark_has_limits_of_its_own() -> None:
    with pytest.raises(Unsupported, match="memory_limit cannot be used with the engine spark"):
        shoal.anonymize(PEOPLE, quasi=["age"], require="k=2", engine="spark", memory_limit="1GiB")


def test_the_command_ends_in_words_and_leaves_nothing(tmp_path: Path) -> None:
    source = tmp_path / "census.csv"
    write_census(source, 20_000)
    words: list[str | Path] = [
        "anonymize",
        source,
        "--quasi",
        "age,gender",
        "--leave-out=rest",
        "--require",
        "k=5",
        "-o",
        tmp_path / "out",
    ]
    ended = _in_a_process(*words, "--memory-limit", "60MiB")
    assert ended.returncode == 2
    assert "memory" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["census.csv", "census_hierarchies"]
    done = _in_a_process(*words, "--memory-limit", "2GiB")
    assert done.returncode == 0, done.stderr
    assert shoal.verify(tmp_path / "out", original=source).passed


def _in_a_process(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "shoal", *map(str, words)], capture_output=True, text=True, check=False
    )


def test_no_handler_on_the_way_takes_it_for_an_error_of_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    def work() -> None:
        with within(MemoryLimit(2**40)):
            monkeypatch.setattr(memory, "peak", lambda: 2**50)
            try:
                for _ in range(10**7):
                    pass
            except Exception:
                pytest.fail("it was taken for an error")

    with pytest.raises(MemoryPassed):
        work()


def test_a_release_goes_into_place_only_within_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = shoal.anonymize(PEOPLE, quasi=["age"], leave_out="rest", require="k=2")
    made.save(tmp_path / "out")
    before = (tmp_path / "out" / "public" / "certificate.json").read_bytes()

    def save() -> None:
        with within(MemoryLimit(2**40)):
            monkeypatch.setattr(memory, "peak", lambda: 2**50)
            made.save(tmp_path / "out", overwrite=True)

    with pytest.raises(MemoryPassed):
        save()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (tmp_path / "out" / "public" / "certificate.json").read_bytes() == before


@pytest.mark.parametrize("name", ["anonymize", "codip", "compare", "frontier"])
def test_every_call_keeps_a_limit(name: str) -> None:
    own: dict[str, Any] = {"vary": "k=2"} if name == "frontier" else {"require": "l(illness)=2"}
    own |= {"methods": ["mondrian"]} if name == "compare" else {}
    call = partial(getattr(shoal, name), PEOPLE, quasi=["age"], sensitive=["illness"], **own)
    with pytest.raises(Unsupported, match="more memory was needed than memory_limit allows"):
        call(memory_limit="1MiB")
    assert call(memory_limit="64GiB") is not None
