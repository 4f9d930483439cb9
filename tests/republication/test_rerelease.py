"""Releases that follow one another: groups of m different values, signatures that stay, counterfeits that are told."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cli.command import settle, shoal
from tests.thorough import examples

import shoal as library
from shoal.core.errors import ParameterError, ReleaseError, TableError, Unsupported
from shoal.release.release_reader import Opened
from shoal.republication.invariance import Signature, invariant_groups
from shoal.republication.release_register import Register
from shoal.republication.rerelease import rerelease
from shoal.request import Request
from shoal.tables.table import Table, read
from shoal.utility.classifier import MODELS

# Groups


@st.composite
def rows_with_signatures(draw: st.DrawFn) -> tuple[list[int], list[Signature | None], int]:
    """Rows, some of which have a signature of m values with their own among them."""
    m = draw(st.integers(1, 3))
    values = draw(st.lists(st.integers(0, 4), min_size=1, max_size=14))
    signatures: list[Signature | None] = []
    for value in values:
        others = draw(st.permutations([one for one in range(5) if one != value]))[: m - 1]
        signatures.append(draw(st.sampled_from([None, tuple(sorted([value, *others]))])))
    return values, signatures, m


@settings(max_examples=examples(80))
@given(rows_with_signatures(), st.integers(0, 3))
def test_groups_have_m_different_values_and_keep_every_signature(
    case: tuple[list[int], list[Signature | None], int], seed: int
) -> None:
    values, signatures, m = case
    try:
        found = invariant_groups(np.array(values), signatures, m, 5, np.random.default_rng(seed))
    except Unsupported:
        new = Counter(value for value, signature in zip(values, signatures, strict=True) if signature is None)
        assert m * max(new.values()) > sum(new.values()) - m  # a value is too common, or chance made it so
        return
    held: dict[int, list[int]] = {}
    for group, value in zip(found.group_of_row.tolist(), values, strict=True):
        held.setdefault(group, []).append(value)
    assert len(held.pop(-1, [])) < m  # who waits
    assert sorted(held) == list(range(len(held)))  # every group has somebody
    for group, value in zip(found.fake_groups.tolist(), found.fake_values.tolist(), strict=True):
        held[group].append(value)
    assert all(len(set(some)) == len(some) == m for some in held.values())
    for group, signature in zip(found.group_of_row.tolist(), signatures, strict=True):
        assert signature is None or tuple(sorted(held[group])) == signature
    if all(signature is None for signature in signatures):
        assert len(found.fake_groups) == 0


def test_new_rows_are_used_before_counterfeits_as_long_as_the_others_can_do_without() -> None:
    signatures: list[Signature | None] = [(0, 1), None, None, None]
    found = invariant_groups(np.array([0, 1, 1, 2]), signatures, 2, 3, np.random.default_rng(0))
    assert len(found.fake_groups) == 0  # one of the two with 1 joins the first; the other and 2 make a group
    found = invariant_groups(np.array([0, 1, 2]), signatures[:3], 2, 3, np.random.default_rng(0))
    assert found.fake_values.tolist() == [1]  # the only one with 1 is needed by the one with 2


def test_who_waits_is_told_by_chance_not_by_value() -> None:
    waits = Counter(
        int(
            np.flatnonzero(
                invariant_groups(np.arange(4), [None] * 4, 3, 4, np.random.default_rng(seed)).group_of_row < 0
            )[0]
        )
        for seed in range(400)
    )
    assert sorted(waits) == [0, 1, 2, 3]
    assert min(waits.values()) > 60


def test_the_papers_example_needs_two_counterfeits() -> None:
    """Xiao and Tao 2007: who leaves takes a value away that those who stay had in their group."""
    dyspepsia, bronchitis, flu, gastritis = range(4)
    first = [(dyspepsia, bronchitis)] * 2 + [(flu, gastritis)] * 2
    left = [first[0], first[2]]  # the other of each group is gone, and nobody came
    found = invariant_groups(np.array([dyspepsia, gastritis]), left, 2, 4, np.random.default_rng(0))
    assert sorted(found.fake_values.tolist()) == [bronchitis, flu]


def test_new_rows_with_a_value_too_common_are_refused() -> None:
    with pytest.raises(Unsupported, match="more than 1 in 3"):
        invariant_groups(np.array([0, 1, 1]), [None] * 3, 3, 2, np.random.default_rng(0))


# A series


def hospital(seed: int, people: range) -> pl.DataFrame:
    """Patients by number; who is in two of these tables has the same values in both."""
    everybody = np.random.default_rng(seed)
    ages, ills = everybody.integers(20, 80, 200), everybody.choice(["flu", "gout", "*", "cold", "asthma"], 200)
    chosen = list(people)
    return pl.DataFrame({"id": chosen, "age": ages[chosen], "illness": ills[chosen].tolist()})


ASKED = Request(["age"], "m(illness)=3", ["illness"], ["id"])


def signatures(folder: Path, frame: pl.DataFrame) -> dict[int, frozenset[str]]:
    """The values in everybody's group, read from the published tables."""
    opened = Opened.of(folder, None)
    rows = pl.read_parquet(folder / "internal" / "rows.parquet")["row"].to_list()
    groups = opened.table["group"].to_list()
    assert opened.sensitive_table is not None
    held = dict(opened.sensitive_table.group_by("group").agg("illness").iter_rows())
    ids = frame["id"].to_list()
    return {ids[row]: frozenset(held[group]) for row, group in zip(rows, groups, strict=True) if row < len(ids)}


def test_everybody_keeps_their_signature_through_a_series(tmp_path: Path) -> None:
    register, before = Register.at(tmp_path / "register"), None
    seen: dict[int, frozenset[str]] = {}
    frames = [hospital(1, people) for people in (range(60), range(20, 90), range(5, 120))]
    for number, frame in enumerate(frames):
        release = rerelease(Table.of(frame), ASKED, register, before)
        assert all(one.is_safe for one in register.check(release, frame))
        before = release.save(tmp_path / f"release {number}")
        register = register.add(before, frame)
        found = signatures(before, frame)
        assert len(frame) - 2 <= len(found) <= len(frame)  # up to m - 1 wait
        assert not (set(seen) & set(frame["id"])) - set(found)
        assert all(len(held) == 3 for held in found.values())
        assert {one: held for one, held in found.items() if seen.get(one, held) != held} == {}
        seen |= found
        assert library.verify(before, original=frame).failures == []
        opened = Opened.of(before, None)
        assert release.counterfeits is not None
        assert opened.tables["counterfeits"]["count"].sum() == release.counterfeits.height
        attacked = library.attack(before, frame, attacks=["homogeneity", "background"])
        assert [one.after for one in attacked.outcomes[:2]] == [0, 0]  # nobody, even by who rules out one value
    (both,) = library.attack(tmp_path / "release 1", frames[1], other=before, attacks=["intersection"]).outcomes
    assert both.after == 0
    with pytest.raises(ReleaseError, match="the register has no"):
        rerelease(Table.of(frames[0]), ASKED, register, tmp_path)


def test_counterfeits_are_no_people_to_measures_of_use(tmp_path: Path) -> None:
    one, two = hospital(1, range(60)), hospital(1, range(30))
    register = Register.at(tmp_path / "register")
    before = rerelease(Table.of(one), ASKED, register, None).save(tmp_path / "one")
    release = rerelease(Table.of(two), ASKED, register.add(before, one), before)
    assert release.counterfeits is not None
    assert release.counterfeits.height
    for made in (release, release.save(tmp_path / "two")):
        found = library.utility.measure(made, two, queries=10)
        assert (found.rows, found.published) == (30, 30 + release.counterfeits.height)
        assert len(found.classifiers) + len(found.notes) == len(MODELS)  # learnt, or scikit-learn is not here


@pytest.mark.parametrize("format", ["csv.gz", "parquet", "arrow"])
def test_a_release_without_counterfeits_is_read_back_from_every_format(tmp_path: Path, format: str) -> None:
    frame = hospital(1, range(60))
    register = Register.at(tmp_path / "register")
    folder = rerelease(Table.of(frame), ASKED, register, None).save(tmp_path / "one", format=format)
    assert library.verify(folder, original=frame).failures == []
    assert len(register.add(folder, frame).entries) == 1


@pytest.mark.parametrize("dtype", [pl.Int64, pl.Date, pl.Enum(["cold", "flu"])])
def test_a_column_of_another_type_than_before_is_refused_without_its_values(tmp_path: Path, dtype: Any) -> None:
    frame = hospital(1, range(60))
    register = Register.at(tmp_path / "register")
    folder = rerelease(Table.of(frame), ASKED, register, None).save(tmp_path / "one")
    other = frame.with_columns(illness=pl.Series([None] * 60, dtype=dtype))
    with pytest.raises(TableError, match="has other values in an earlier release") as refused:
        rerelease(Table.of(other), ASKED, register.add(folder, frame), folder)
    assert not any(ill in str(refused.value) for ill in frame["illness"].unique())


def test_a_changed_number_of_counterfeits_is_noticed(tmp_path: Path) -> None:
    frame = hospital(4, range(31))
    folder = rerelease(Table.of(frame), ASKED, Register.at(tmp_path / "register"), None).save(tmp_path / "one")
    assert library.verify(folder, original=frame).passed
    path = folder / "public" / "counterfeits.csv"
    path.write_text(path.read_text() + "1,1\n")
    assert not library.verify(folder, original=frame).passed


def test_somebody_whose_value_has_changed_counts_as_new(tmp_path: Path) -> None:
    frame = hospital(2, range(30))
    register = Register.at(tmp_path / "register")
    register = register.add(rerelease(Table.of(frame), ASKED, register, None).save(tmp_path / "one"), frame)
    other = frame.with_columns(illness=pl.when(pl.col("id") == 7).then(pl.lit("new")).otherwise("illness"))
    release = rerelease(Table.of(other), ASKED, register, tmp_path / "one")
    assert any("1 have another value now" in note for note in release.decisions)
    assert release.counterfeits is not None


def test_a_release_of_another_series_is_not_followed(tmp_path: Path) -> None:
    frame = hospital(2, range(30))
    register = Register.at(tmp_path / "register")
    register = register.add(rerelease(Table.of(frame), ASKED, register, None).save(tmp_path / "one"), frame)
    for other in (replace(ASKED, require="m(illness)=2"), replace(ASKED, identifiers=["id", "age"], quasi=["ward"])):
        with pytest.raises(ReleaseError, match="the register has no"):
            rerelease(Table.of(frame.with_columns(ward=pl.lit(1))), other, register, tmp_path / "one")
    with pytest.raises(TableError, match="do not cover"):
        register.add(tmp_path / "one", frame.reverse())


def test_the_order_of_rows_changes_nothing(tmp_path: Path) -> None:
    frame = hospital(3, range(40))
    register = Register.at(tmp_path / "register")
    made = [rerelease(Table.of(one), ASKED, register, None) for one in (frame, frame.reverse())]
    for name in made[0].tables:
        shown = [release.tables[name].sort(release.tables[name].columns) for release in made]
        assert shown[0].equals(shown[1])


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (Request(["age"], "l(illness)=2", ["illness"], ["id"]), "asks for m"),
        (Request(["age"], "m(illness)=3", ["illness"], ["id"], recoding="range"), "two tables"),
        (Request(["age"], "m(illness)=9", ["illness"], ["id"]), "more than 1 in 9"),
        (Request(["age"], "m(illness)=3", ["illness"]), "the same 'age' as another"),
        (Request(["age"], "k=2 m(illness)=3", ["illness"], ["id"]), "k=2"),
    ],
)
def test_what_cannot_follow_is_refused(tmp_path: Path, request_: Request, message: str) -> None:
    with pytest.raises((ParameterError, Unsupported), match=message):
        rerelease(Table.of(hospital(1, range(60))), request_, Register.at(tmp_path / "register"), None)


# On the command line


def test_a_series_is_made_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(tmp_path, monkeypatch)
    hospital(1, range(60)).write_csv("one.csv")
    hospital(1, range(20, 90)).write_csv("two.csv")
    roles = ("--quasi", "age", "--sensitive", "illness", "--identifier", "id", "--require", "m(illness)=3")
    first = shoal("anonymize", "one.csv", *roles, "--registry", "known", "--follows", "none", "-o", "first")
    assert first.code == 0, first.err
    second = shoal("anonymize", "two.csv", *roles, "--registry", "known", "--follows", "first", "-o", "second")
    assert second.code == 0, second.err
    assert "40 people are in" in second.err
    assert "nothing more" in second.err
    for folder, file in (("first", "one.csv"), ("second", "two.csv")):
        assert shoal("verify", folder, "--original", file).code == 0
        assert shoal("attack", folder, "--original", file).code == 0
    seen = (signatures(Path("first"), read("one.csv").frame), signatures(Path("second"), read("two.csv").frame))
    assert all(seen[0][one] == seen[1][one] for one in range(20, 60))
    alone = shoal("anonymize", "two.csv", *roles, "--follows", "first", "-o", "third")
    assert "without --registry" in alone.err
