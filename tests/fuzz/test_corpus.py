"""The targets of fuzzing take every file of the corpus: invented tables, and what fuzzing found, kept small."""

from __future__ import annotations

import pytest
from tests.fuzz.targets import SMALL_BLOCK, seeds, targets

NAMES = list(targets())


@pytest.mark.parametrize("name", NAMES)
def test_every_file_of_the_corpus_ends_in_a_table_or_in_words(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if name == "csv-by-disk":
        monkeypatch.setattr("shoal.tables.csv_spill.BLOCK", SMALL_BLOCK)
    target, begin = targets()[name], seeds(name)
    for content in begin.values():
        target(content)
        if name != "read.xls":  # each of which takes a process of its own
            target(content[: len(content) // 2])
