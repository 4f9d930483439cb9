"""The gallery: every picture is there, and is the one that the code under it draws."""

from __future__ import annotations

from pathlib import Path

import pytest
from docs.generator.gallery import DOCS, NAMES, TIMED, draw


def test_every_picture_is_there() -> None:
    assert len(NAMES) >= 3
    assert all((DOCS / "figures" / f"gallery_{name}.svg").read_text().startswith("<svg") for name in NAMES)


@pytest.mark.slow
def test_the_pictures_are_those_that_the_code_draws(tmp_path: Path) -> None:
    """Drawn anew by `python -m docs.generator.gallery`; times differ from run to run."""
    for name, place in draw(tmp_path).items():
        if name not in TIMED:
            assert place.read_text() == (DOCS / "figures" / place.name).read_text(), name
