"""The attack `derived` against its plainest reading, with and without the original."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.attacks import reference

import shoal
from shoal.attacks.base import Outcome
from shoal.core.errors import ParameterError
from shoal.release.release import Release

QUASI = ["sex", "age", "region"]


def survey(rows: int, seed: int = 0) -> pl.DataFrame:
    """People of whom an age group, a year of marriage and the label of a diagnosis are known beside what is hidden."""
    draw = np.random.default_rng(seed)
    age = draw.integers(18, 80, rows)
    code = draw.choice(["I10", "E11", "J45", "F32"], rows, p=[0.4, 0.3, 0.2, 0.1])
    return pl.DataFrame(
        {
            "sex": draw.choice(["f", "m"], rows),
            "age": age,
            "region": draw.choice(["north", "south", "west"], rows),
            "diagnosis": code,
            "agegr": [f"{one // 10}0s" for one in age],
            "ymarr": [None if one < 24 else int(2024 - one + draw.normal(25, 3)) for one in age],
            "label": [
                {"I10": "hypertension", "E11": "diabetes", "J45": "asthma", "F32": "depression"}[c] for c in code
            ],
            "shoe": draw.integers(35, 47, rows),
        }
    )


def released(frame: pl.DataFrame, require: str = "k=4", **settings: Any) -> Release:
    others = [name for name in frame.columns if name not in (*QUASI, "diagnosis")]
    return shoal.anonymize(
        frame,
        quasi=QUASI,
        sensitive=["diagnosis"],
        other=others,
        allow=others,
        require=require,
        method=settings.pop("method", "mondrian"),
        **settings,
    )


def outcomes(release: Release | Path, original: pl.DataFrame | None) -> dict[str | None, Outcome]:
    return {one.attribute: one for one in shoal.attack(release, original, attacks=["derived"]).outcomes}


def with_known(plain: reference.Plain, shown: pl.DataFrame) -> reference.Plain:
    """The same, what the columns that tell show of a row among what may be known of it."""
    rows = zip(plain.published, shown.to_dicts(), strict=True)
    return reference.Plain(
        plain.people, [(cells, {**secret, **more}, weight) for (cells, secret, weight), more in rows], plain.fits
    )


def found(plain: reference.Plain, known: list[str]) -> int:
    return sum(len(plain.candidates(one, QUASI, {name: one[name] for name in known})) == 1 for one in plain.people)


@pytest.mark.parametrize("recoding", ["suppress", "generalize", "range"])
@pytest.mark.parametrize("seed", [1, 2])
def test_people_with_one_candidate_are_counted_as_the_definition_says(recoding: str, seed: int) -> None:
    frame = survey(150, seed)
    release = released(frame, recoding=recoding, max_dropped="1/20")
    told = ["agegr", "ymarr"]
    one = outcomes(release, frame)[None]
    assert one.figures["columns"] == told
    before = with_known(reference.raw(frame, QUASI, ["diagnosis"]), frame.select(told))
    after = with_known(reference.published(release, frame), release.table.select(told))
    assert (one.before, one.after) == (found(before, told), found(after, told))


@pytest.mark.parametrize("recoding", ["suppress", "range"])
def test_people_whose_sensitive_value_is_certain_are_counted(recoding: str) -> None:
    frame = survey(150)
    release = released(frame, "k=4 distinct-l(diagnosis)=2", recoding=recoding)
    one = outcomes(release, frame)["diagnosis"]
    assert one.figures["columns"] == ["label"]
    after = with_known(reference.published(release, frame), release.table.select("label"))
    assert one.after == reference.few_values(after, QUASI, "diagnosis", 1, ["label"]) == frame.height


def test_rows_are_unique_and_in_small_groups_as_counted_by_hand() -> None:
    frame = survey(400)
    release = released(frame)
    one = outcomes(release, frame)[None]
    shown = release.table.select(*QUASI, "agegr", "ymarr").rows()
    groups = Counter(shown)
    assert one.figures["unique"] == sum(size == 1 for size in groups.values())
    assert one.figures["below_k"] == sum(size for size in groups.values() if size < 4)
    assert one.figures["highest_chance"] == 1 / min(groups.values())
    assert one.figures["unique_alone"] == 0
    alone = Counter(release.table.select(*QUASI, "agegr").rows())
    assert one.figures["unique_with"][0] == ["agegr", sum(size == 1 for size in alone.values())]  # type: ignore[index]


def test_without_the_original_relations_are_learnt_from_the_published_cells(tmp_path: Path) -> None:
    frame = survey(3_000)
    folder = released(frame).save(tmp_path / "out")
    one, secret = outcomes(folder, None).values()
    assert (one.before, one.figures["columns"], one.figures["not_learnt"]) == (None, ["agegr", "ymarr"], [])
    assert one.after == one.figures["unique"]
    assert (secret.attribute, secret.after, secret.of) == ("diagnosis", 3_000, 3_000)
    assert one.figures["unique"] == outcomes(folder, frame)[None].figures["unique"]


def test_a_column_of_stars_is_named_as_one_of_which_nothing_is_learnt() -> None:
    frame = survey(60)
    release = released(frame, "k=30")
    assert "age" in outcomes(release, None)[None].figures["not_learnt"]  # type: ignore[operator]
    assert outcomes(release, frame)[None].figures["not_learnt"] == []


def test_where_no_column_tells_it_is_linkage() -> None:
    frame = survey(300).drop("agegr", "ymarr", "label")
    release = released(frame)
    (one,) = outcomes(release, frame).values()
    linkage = shoal.attack(release, frame, attacks=["linkage"]).outcomes[0]
    assert (one.figures["columns"], one.before, one.after) == ([], linkage.before, linkage.after)


def test_two_tables_are_attacked_too() -> None:
    frame = survey(200)
    release = released(frame, "l(diagnosis)=2", method="anatomy")
    one = outcomes(release, frame)
    assert one[None].figures["columns"] == ["agegr", "ymarr"]
    assert set(outcomes(release, None)) == {None}


def test_attacks_that_need_the_original_are_not_run_without_it() -> None:
    release = released(survey(200))
    assert {one.attack for one in shoal.attack(release).outcomes} == {"derived"}
    with pytest.raises(ParameterError, match="original"):
        shoal.attack(release, attacks=["linkage"])


def test_no_cell_is_in_the_figures() -> None:
    frame = survey(300)
    text = str([one.to_dict() for one in outcomes(released(frame), frame).values()])
    assert not any(word in text for word in ("hypertension", "I10", "20s", "north"))
