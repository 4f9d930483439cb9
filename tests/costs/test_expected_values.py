"""Figures that other tools state for ready-made tables, where those lie beside the repository.

What pycanon states (`peer_outputs/expected.json`) and what is tested of it; k, distinct l and t are tested with the
other tables of people:

- alpha, basic beta: the same figures;
- enhanced beta: pycanon's min(largest gain, largest -ln p) never tells that a gain above -ln p is refused whatever
  beta is, and its delta has natural logarithms and no absent values. Both are second figures of an audit, and equal;
  the first figures are compared with the definitions;
- entropy l: pycanon takes the whole part of a number rounded down, and says 1 for exactly 2, and 6 for exactly 7;
- recursive (c,l): pycanon sorts the counts from the rarest value on, so the c it states is refused by the definition
  for 10 of 12 tables (it says 1 where c must be above 25). Tested are that its figure comes from there, and the
  figure of the definition; where a class has a single value (l = 1), pycanon gives none.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from math import exp, floor, log, log2
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.checking.audit import Finding
from shoal.risk.wildcard import wildcard_counts
from shoal.tables.table import read

DATA = Path(__file__).parents[3] / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="there is no ../shared/data beside the repository")


def stated_in(folder: str) -> dict[str, Any]:
    path = DATA / folder / "expected.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return found


# pycanon

PUBLISHED: dict[str, dict[str, Any]] = stated_in("peer_outputs").get("files", {})
every_file = pytest.mark.parametrize("name", sorted(PUBLISHED) or ["none"])


@cache
def published(name: str) -> pl.DataFrame:
    path = DATA / "peer_outputs" / name
    if name == "anjana/adult_k10.csv.gz":  # its first column, an index, has no name, which is refused
        return pl.read_csv(path).rename({"": "place"})
    return read(path).frame


@cache
def found_in(name: str) -> dict[str, Finding]:
    stated = PUBLISHED[name]
    found = shoal.audit(published(name), quasi=stated["quasi_identifiers"], sensitive=stated["sensitive"])
    return {finding.name: finding for finding in found.findings}


@cache
def counts_of(name: str) -> list[Counter[object]]:
    """How often each sensitive value occurs, first in the whole table, then in every class."""
    stated = PUBLISHED[name]
    [sensitive] = stated["sensitive"]
    classes: dict[tuple[object, ...], Counter[object]] = {}
    whole: Counter[object] = Counter()
    for *cells, value in published(name).select(*stated["quasi_identifiers"], sensitive).iter_rows():
        classes.setdefault(tuple(cells), Counter())[value] += 1
        whole[value] += 1
    return [whole, *classes.values()]


def shares(counts: Counter[object]) -> dict[object, float]:
    return {value: count / counts.total() for value, count in counts.items()}


def test_all_the_files_are_there() -> None:
    assert len(PUBLISHED) == 20


@every_file
def test_alpha_and_basic_beta_are_those_of_pycanon(name: str) -> None:
    found, stated = found_in(name), PUBLISHED[name]
    assert found["alpha"].reached == stated["alpha"]
    assert found["beta"].reached == pytest.approx(stated["basic_beta"], rel=1e-12)


@every_file
@pytest.mark.parametrize(("model", "figure"), [("enhanced-beta", "enhanced_beta"), ("delta", "delta_disclosure")])
def test_enhanced_beta_and_delta_by_the_conventions_of_pycanon_are_second_figures(
    name: str, model: str, figure: str
) -> None:
    [(convention, level)] = found_in(name)[model].also.items()
    assert convention.endswith("as pycanon reports it")
    assert level == pytest.approx(PUBLISHED[name][figure], rel=1e-12)


@every_file
def test_enhanced_beta_is_infinite_where_a_gain_is_above_what_any_beta_allows(name: str) -> None:
    whole, *classes = counts_of(name)
    table = shares(whole)
    gains = [(q / table[value] - 1, -log(table[value])) for counts in classes for value, q in shares(counts).items()]
    level = found_in(name)["enhanced-beta"].reached
    if any(gain > max(most, 0) + 1e-9 for gain, most in gains):
        assert level is None
    else:
        assert level == pytest.approx(max(gain for gain, _ in gains), rel=1e-12)


@every_file
def test_delta_is_infinite_where_a_value_is_absent_and_binary_elsewhere(name: str) -> None:
    whole, *classes = counts_of(name)
    table = shares(whole)
    level = found_in(name)["delta"].reached
    if any(len(counts) < len(whole) for counts in classes):
        assert level is None
    else:
        logs = [abs(log2(q / table[value])) for counts in classes for value, q in shares(counts).items()]
        assert level == pytest.approx(max(logs), rel=1e-12)


@every_file
def test_entropy_l_is_the_definition_and_its_whole_part_is_that_of_pycanon_but_for_rounding(name: str) -> None:
    level, stated = found_in(name)["entropy-l"].reached, PUBLISHED[name]["l_entropy_floor"]
    _, *classes = counts_of(name)
    assert isinstance(level, float)
    assert level == pytest.approx(min(exp(-sum(q * log(q) for q in shares(c).values())) for c in classes), rel=1e-12)
    exactly = {"pycanon/StudentsMath_Score_k2.csv.gz": 2.0, "pycanon/StudentsMath_Score_k7_anonymized_l7.csv.gz": 7.0}
    if name in exactly:
        assert (level, stated) == (exactly[name], exactly[name] - 1)
    else:
        assert floor(level) == stated


@every_file
def test_recursive_c_is_the_definition_where_pycanon_sorts_the_wrong_way(name: str) -> None:
    stated = PUBLISHED[name]
    rank, [sensitive] = stated["recursive_l"], stated["sensitive"]
    _, *classes = counts_of(name)
    rising = [sorted(counts.values()) for counts in classes]
    theirs = max(floor(counts[0] / sum(counts[rank - 1 :]) + 1) for counts in rising)
    assert stated["recursive_c"] == (theirs if rank > 1 else None)

    right = max(counts[-1] / sum(counts[::-1][rank - 1 :]) for counts in rising)
    [finding] = shoal.audit(
        published(name),
        quasi=stated["quasi_identifiers"],
        sensitive=sensitive,
        require=f'recursive-l("{sensitive}")=({floor(right) + 1},{rank})',
    ).findings
    assert (finding.reached, finding.holds) == ([pytest.approx(right, rel=1e-12), rank], True)


@pytest.mark.parametrize("name", [name for name, stated in PUBLISHED.items() if stated["recursive_c"]] or ["none"])
def test_the_c_of_pycanon_is_refused_where_the_commonest_value_is_too_common_for_it(name: str) -> None:
    stated = PUBLISHED[name]
    c, rank, [sensitive] = stated["recursive_c"], stated["recursive_l"], stated["sensitive"]
    found = shoal.audit(
        published(name),
        quasi=stated["quasi_identifiers"],
        sensitive=sensitive,
        require=f'recursive-l("{sensitive}")=({c},{rank})',
    )
    evenly = {"pycanon/StudentsMath_Score_k2.csv.gz", "pycanon/StudentsMath_Score_k7_anonymized_l7.csv.gz"}
    assert found.holds == (name in evenly)


# sdcMicro

SDCMICRO = stated_in("sdcmicro")
KEYS = ("A", "B", "C")


@pytest.mark.parametrize("case", ["no_missing", "with_missing", "column_and_row_missing", "one_column_missing"])
def test_a_missing_cell_that_matches_anything_is_counted_as_sdcmicro_counts(case: str) -> None:
    stated = SDCMICRO["frequency_counts"][case]
    quasi = pl.DataFrame({name: pl.Series(stated[name], dtype=pl.Int64) for name in KEYS if name in stated})
    counts = wildcard_counts(quasi, "missing").tolist()
    assert counts == stated["fk"]
    for size in (1, 2):
        assert counts.count(size) == stated.get(f"n_rows_with_fk_{size}", counts.count(size))


@pytest.mark.parametrize("case", ["no_missing", "with_missing", "column_and_row_missing", "one_column_missing"])
def test_an_audit_tells_the_wildcard_count_beside_the_strict_one(case: str) -> None:
    stated = SDCMICRO["frequency_counts"][case]
    table = {name: stated[name] for name in KEYS if name in stated}
    found = shoal.audit(table, quasi=list(table), wildcard="missing")
    assert found.wildcard == {"smallest": min(stated["fk"]), "unique_rows": stated["fk"].count(1)}
    strict = Counter(zip(*table.values(), strict=True))
    assert (found.classes, found.smallest_class) == (len(strict), min(strict.values()))


def test_a_missing_key_is_a_value_of_its_own_for_l_diversity_as_sdcmicro_has_it() -> None:
    stated = SDCMICRO["l_diversity_with_missing"]
    keys, levels = stated["keys"], stated["distinct_l_per_row"]
    table = {name: stated[name] for name in (*keys, "sensitive")}
    for asked in (2, 3):
        found = shoal.audit(table, quasi=keys, sensitive="sensitive", require=f"distinct-l(sensitive)={asked}")
        assert found.findings[0].reached == min(levels)
        assert found.violations.tolist() == [row for row, level in enumerate(levels) if level < asked]
