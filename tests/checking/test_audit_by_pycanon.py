"""The audit against pycanon: of random tables and of releases both measure the same levels.

pycanon is no dependency. `pip install pycanon` into any folder on `PYTHONPATH` is enough; without it the tests skip.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from math import ceil, floor
from random import Random
from typing import Any

import polars as pl
import pytest
from tests.thorough import many

import shoal

pytestmark = pytest.mark.skipif(
    find_spec("pycanon") is None or find_spec("pandas") is None, reason="pycanon is not installed: pip install pycanon"
)
QUASI, SECRETS = ["age", "city", "job"], ("illness", "pay")
METHODS = ("mondrian", "hilbert", "anneal", "full-domain", "tds", "bottom-up", "peel", "datafly")


def _table(random: Random) -> pl.DataFrame:
    rows = random.randint(4, 60)
    return pl.DataFrame(
        {
            "age": random.choices((20, 21, 35, 50, 80), k=rows),
            "city": random.choices(("Oslo", "Bergen", "Hamar"), k=rows),
            "job": random.choices(("nurse", "smith", "x, y"), k=rows),
            "illness": random.choices(("flu", "gout", "asthma", "cold"), weights=(4, 2, 1, 1), k=rows),
            "pay": random.choices((10, 20, 21, 90), k=rows),
        }
    )


def _published(table: pl.DataFrame, random: Random) -> pl.DataFrame:
    """A release of a table, or, one time in four and where there is none, the table as it is."""
    method = random.choice(METHODS)
    global_ = {"full-domain": "full-domain", "datafly": "full-domain", "tds": "single-dimensional"}
    try:
        if random.random() < 0.25:
            return table
        return shoal.anonymize(
            table,
            quasi=QUASI,
            sensitive=SECRETS,
            require=random.choice(("k=2", "k=4", "k=2 l(illness)=2", "t(pay)=0.4 k=2")),
            method=method,
            recoding=global_.get(method) or random.choice(("suppress", "generalize", "range")),
        ).table
    except shoal.ShoalError:
        return table


def _compare(seeds: range) -> int:
    """Compare all levels that both measure; return of how many tables that were changed."""
    anonymity: Any = import_module("pycanon.anonymity")
    changed = 0
    for seed in seeds:
        random = Random(seed)
        table = _table(random)
        frame = _published(table, random)
        changed += not frame.equals(table)
        texts = frame.with_columns(pl.col(QUASI).cast(pl.String)).to_pandas()
        for secret in SECRETS:
            found = shoal.audit(frame, quasi=QUASI, sensitive=[secret])
            reached: dict[str, Any] = {one.name: one.reached for one in found.findings}
            also = {one.name: [*one.also.values()] for one in found.findings}
            assert reached["k"] == anonymity.k_anonymity(texts, QUASI)
            assert reached["distinct-l"] == anonymity.l_diversity(texts, QUASI, [secret])
            alpha, _ = anonymity.alpha_k_anonymity(texts, QUASI, [secret])
            assert reached["l"] == pytest.approx(1 / alpha, rel=1e-12)
            if frame[secret].n_unique() > 1:  # pycanon divides by the number of values less one
                assert reached["t"] == pytest.approx(anonymity.t_closeness(texts, QUASI, [secret]), abs=1e-12)
            assert reached["beta"] == pytest.approx(anonymity.basic_beta_likeness(texts, QUASI, [secret]), abs=1e-12)
            enhanced = anonymity.enhanced_beta_likeness(texts, QUASI, [secret])
            assert also["enhanced-beta"] == pytest.approx([enhanced], abs=1e-12)
            delta = anonymity.delta_disclosure(texts, QUASI, [secret])
            assert also["delta"] == pytest.approx([delta], abs=1e-12)
            entropy = anonymity.entropy_l_diversity(texts, QUASI, [secret])  # rounded down after rounding errors
            assert entropy in (floor(reached["entropy-l"]), ceil(reached["entropy-l"]) - 1)
    return changed


def test_pycanon_measures_what_the_audit_measures() -> None:
    assert _compare(range(many(8))) > 1


@pytest.mark.slow
def test_pycanon_measures_what_the_audit_measures_of_many_tables() -> None:
    seeds = range(100, 100 + many(400))
    assert _compare(seeds) > len(seeds) // 2
