"""Suppressed rows without their sensitive values: what is published, what models mean, and who checks it."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.cli.command import shoal as command

import shoal
from shoal.checking.audit import audit
from shoal.core.errors import Infeasible, ParameterError, Unsupported

ASKED: dict[str, Any] = {
    "quasi": ["age", "town"],
    "sensitive": ["illness", "pay"],
    "hierarchies": {"age": "intervals:width=10,20"},
    "recoding": "full-domain",
    "max_suppressed": 0.3,
}
REQUIRED = ("k=2", "k=3 distinct-l(illness)=2", "l(illness)=1.5", "k=2 t(illness:equal)=0.4", "k=2 t(pay:ordered)=0.3")


def people(seed: int, rows: int = 30) -> pl.DataFrame:
    draw = random.Random(seed)
    return pl.DataFrame(
        {
            "age": [draw.randrange(20, 80, 7) for _ in range(rows)],
            "town": [draw.choice(["Oslo", "Oslo", "Rome"]) for _ in range(rows)],
            "illness": [draw.choice(["flu", "cold", "gout", None]) for _ in range(rows)],
            "pay": [draw.choice([10, 20, 40, None]) for _ in range(rows)],
        }
    )


def distance(one: Counter[Any], whole: Counter[Any]) -> Fraction:
    """Half the sum of the differences of shares."""
    ends = sum(one.values()), sum(whole.values())
    return sum((abs(Fraction(one[v], ends[0]) - Fraction(whole[v], ends[1])) for v in whole), Fraction(0)) / 2


def released(table: pl.DataFrame, **asked: Any) -> shoal.Release | None:
    try:
        return shoal.anonymize(table, **{**ASKED, **asked})
    except Infeasible:
        return None


@pytest.mark.parametrize("require", REQUIRED)
def test_suppressed_rows_show_no_sensitive_value_and_the_models_hold_for_the_others(require: str) -> None:
    found = 0
    for seed in range(6):
        table = people(seed)
        release = released(table, require=require, suppress_sensitive=True)
        plain = released(table, require=require)
        if release is None:
            continue
        assert plain is not None  # the setting only takes away
        assert float(release.certificate.cost) >= float(plain.certificate.cost) - 1e-12
        published = release.table
        starred = (published["age"] == "*") & (published["town"] == "*")
        if not starred.any() or starred.all():
            continue
        found += 1
        hidden, shown = published.filter(starred), published.filter(~starred)
        assert hidden["illness"].null_count() == hidden["pay"].null_count() == hidden.height
        assert release.codebook["withheld"] == hidden.height
        assert published["pay"].dtype == pl.Int64
        classes: dict[Any, list[Any]] = defaultdict(list)
        for row in shown.rows():
            classes[row[:2]].append(row[2])
        whole = Counter(shown["illness"])
        if "distinct-l" in require:
            assert min(len(set(values)) for values in classes.values()) >= 2
        if require.startswith("l("):
            assert all(3 * max(Counter(values).values()) <= 2 * len(values) for values in classes.values())
        if "t(illness" in require:
            assert max(distance(Counter(values), whole) for values in classes.values()) <= Fraction(2, 5)
        if "k=" in require:
            least = int(require[2])
            assert min(hidden.height, *map(len, classes.values())) >= least
    assert found


@pytest.mark.parametrize("require", ["k=3 distinct-l(illness)=2", "l(illness)=1.5"])
def test_suppressed_rows_meet_the_models_with_their_true_values(require: str) -> None:
    """Whoever knows the totals of the table subtracts what is shown, and must not learn more than a class tells."""
    for seed in range(6):
        table = people(seed)
        release = released(table, require=require, suppress_sensitive=True)
        if release is None or not release.codebook.get("withheld"):
            continue
        left = Counter(table["illness"]) - Counter(release.table.filter(pl.col("age") != "*")["illness"])
        if "distinct" in require:
            assert len(left) >= 2
        else:
            assert 3 * max(left.values()) <= 2 * sum(left.values())


def test_audit_and_verify_know_of_it_and_notice_what_is_forged(tmp_path: Path) -> None:
    table = people(1)
    release = released(table, require="k=2 l(illness)=1.5", suppress_sensitive=True)
    assert release is not None
    assert release.codebook["withheld"] > 0
    assert any("suppressed rows are not published" in remark for remark in release.certificate.remarks)
    folder = release.save(tmp_path / "release")
    assert shoal.verify(folder, original=table).passed
    assert shoal.verify(folder).passed
    roles: dict[str, Any] = {"quasi": ASKED["quasi"], "sensitive": ASKED["sensitive"], "require": "l(illness)=1.5"}
    assert audit(release.table, withheld=True, **roles).holds
    assert not audit(release.table, **roles).holds  # missing values are a value, if nobody says otherwise
    shown = release.table.with_columns(pl.col("illness").fill_null("flu"))
    assert not audit(shown, withheld=True, **roles).holds


def test_attacks_utility_and_report_can_be_had(tmp_path: Path) -> None:
    table = people(1)
    release = released(table, require="k=2 distinct-l(illness)=2", suppress_sensitive=True)
    assert release is not None
    hits = {(one.attack, one.attribute): one for one in shoal.attack(release, table).outcomes}
    assert hits["homogeneity", "illness"].after == 0
    measured = shoal.utility.measure(release, table, queries=20)
    assert {one.column for one in measured.marginals} == {"age", "town", "illness", "pay"}
    folder = release.save(tmp_path / "release")
    with pytest.raises(Unsupported, match="suppressed rows show no sensitive value"):
        shoal.attack(folder)


@pytest.mark.parametrize(
    ("more", "kind", "said"),
    [
        ({"recoding": "generalize", "max_suppressed": 0}, ParameterError, "no row may be suppressed"),
        ({"max_suppressed": 0}, ParameterError, "no row may be suppressed"),
        ({"sensitive": [], "require": "k=2", "leave_out": "rest"}, ParameterError, "no column is sensitive"),
        ({"suppressed": "arx"}, ParameterError, "leave one of the two out"),
        ({"cost": "classification"}, Unsupported, "reads sensitive values"),
        ({"star": "null"}, Unsupported, "cannot be distinguished from rows with missing values"),
        ({"require": "average-risk=0.3"}, Unsupported, "cannot be checked where"),
        ({"person": ["town"]}, Unsupported, "cannot be checked where"),
    ],
)
def test_what_cannot_be_done_is_refused_in_words(more: dict[str, Any], kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        shoal.anonymize(people(1), **{**ASKED, "require": "k=2", "suppress_sensitive": True, **more})


def test_the_command_line_says_it_of_a_table_and_reads_it_of_a_release(
    tmp_path: Path,
) -> None:
    table = people(1)
    release = released(table, require="k=2 l(illness)=1.5", suppress_sensitive=True)
    assert release is not None
    folder = release.save(tmp_path / "release")
    roles = ("--quasi=age,town", "--sensitive=illness,pay", "--require=l(illness)=1.5")
    assert command("audit", folder).code == 0
    assert command("audit", folder / "public" / "table.csv", *roles, "--withheld").code == 0
    assert command("audit", folder / "public" / "table.csv", *roles).code == 1
