"""A browser for the session, where there is one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.web.browser import chromium
from tests.web.server import Served, served

from shoal.studies.synth import write_census

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a census of 600 people, its hierarchies beside it, and things that are no tables."""
    made = tmp_path / "tables"
    made.mkdir()
    write_census(made / "census.csv", 600, seed=1)
    (made / "notes.parquet").write_bytes(b"no table")
    (tmp_path / "secret.csv").write_text("a,b\n1,2\n")
    return made


@pytest.fixture
def desk(folder: Path, tmp_path: Path) -> Iterator[Served]:
    with served(folder, tmp_path / "state") as found:
        yield found
