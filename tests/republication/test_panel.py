"""A panel: waves about people who stay, leave and join, released one by one with a register, against the definition."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import polars as pl
import pytest
from tests.thorough import many

import shoal
from shoal.core.errors import ReleaseError
from shoal.release.release import Release
from shoal.republication.release_register import Register, refused

ILLNESSES = ["flu", "gout", "wart", "cold"]
WAVES = (["age", "town"], ["age", "job"])
"""The quasi-identifiers of each wave."""


def people(draw: Random, number: int = 30) -> pl.DataFrame:
    """People whose values do not change between waves."""
    return pl.DataFrame(
        {
            "person": list(range(number)),
            "age": [draw.randint(20, 27) for _ in range(number)],
            "town": [draw.choice(["Oslo", "Bergen", "Tromso"]) for _ in range(number)],
            "job": [draw.choice(["nurse", "cook", "clerk"]) for _ in range(number)],
            "illness": [draw.choice(ILLNESSES) for _ in range(number)],
        }
    )


def waves(draw: Random) -> Iterator[tuple[pl.DataFrame, Release]]:
    """The tables of two waves and their releases; a fifth of the people are in one of them alone."""
    everybody = people(draw)
    for first, quasi in zip((0, 6), WAVES, strict=True):
        table = everybody.slice(first, 24)
        yield (
            table,
            shoal.anonymize(
                table,
                quasi=quasi,
                sensitive=["illness"],
                person=["person"],
                leave_out="rest",
                require="distinct-l(illness)=2",
                recoding="full-domain",
            ),
        )


def possible(table: pl.DataFrame, release: Release, quasi: list[str]) -> dict[int, set[str]]:
    """For each person, the illnesses of those who are published with the same cells."""
    shown = release.table.with_columns(table["person"])
    groups = shown.group_by(quasi).agg("illness", "person")
    return {who: set(found) for *_, found, members in groups.iter_rows() for who in members}


@pytest.mark.parametrize("seed", range(many(6)))
def test_the_register_counts_whose_value_two_waves_reveal_together(seed: int, tmp_path: Path) -> None:
    (first, earlier), (second, later) = waves(Random(seed))
    register = Register.at(tmp_path / "register").add(earlier.save(tmp_path / "one"), first, person=["person"])
    (found,) = register.check(later, second)
    one, two = possible(first, earlier, WAVES[0]), possible(second, later, WAVES[1])
    both = one.keys() & two.keys()
    revealed = sum(len(one[who] & two[who]) == 1 for who in both)
    assert (found.people, found.exposed["illness"]) == (len(both), revealed)
    if revealed:
        with pytest.raises(ReleaseError, match="refused for earlier releases"):
            refused([found], "refuse")
