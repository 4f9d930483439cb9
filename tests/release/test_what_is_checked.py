"""What `verify` looks at, for each kind of release: all of it, and no more than can be told from the files at hand."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.release.test_verification import following, reseal

import shoal
from shoal.hierarchies import Taxonomy
from shoal.release.certificate import canonical, seal
from shoal.release.files import manifest
from shoal.release.release_reader import Opened
from shoal.release.verification import Check, Verification

TABLE = pl.DataFrame(
    {
        "age": [20, 21, 30, 31, 40, 41, 50, 51],
        "town": ["a", "a", "a", "b", "b", "b", "b", "b"],
        "ill": ["flu", "gout", "flu", "gout", "flu", "gout", "flu", "gout"],
        "pay": [1, 2, 3, 4, 5, 6, 7, 8],
        "w": [3, 4, 5, 6, 7, 8, 9, 11],
        "who": [1, 1, 2, 3, 4, 5, 6, 7],
        "home": [1, 1, 1, 2, 2, 3, 3, 4],
    }
)
ASKED: dict[str, Any] = {"quasi": ["age", "town"], "sensitive": ["ill"], "require": "k=2", "recoding": "range"}
ASKED |= {"method": "mondrian"}

FILES = ["every file is the one that was written", "the request is the one the certificate states"]
READ = ["the table is the sealed one", "the table has the stated columns and rows"]
ROUNDED = "the record weights are multiples of the stated number"
MASKED = "the masked columns hold only values that their masks can give"
AUDITED = ["the rows are sorted by their published cells", "the audit confirms every model at the stated level"]
COST = "the cost is that of the published cells"
KNOWN = ["the original is the table the release was made from"]
KNOWN += ["columns raised beforehand are those of the original, raised"]
COVERS = "every published row covers the original row it stands for"
UNALTERED = "sensitive and other cells are unaltered"
COUNTED = "the number of changed cells is as stated"
FOLLOWS = "the lower bound follows from the prices"
NOT_HERE = "the internal part is not here: its files were not checked"
WORD = "the lower bound is stated by the method alone (by a theorem or an exhaustive search): there are no prices to "
WORD += "prove it"
NEEDED = "whether the lower bound follows from the prices: the original is needed for that"
NO_COST = "the cost (centroid-error) cannot be recomputed from these files"


def whose(models: str, implied: str) -> str:
    return (
        f"{models} of people or households: which person a row belongs to is in the internal part alone, which is not"
        f" here; what it implies of rows was checked, {implied}"
    )


Kind = tuple[dict[str, Any], list[str], list[str], list[str], list[str]]
KINDS: dict[str, Kind] = {
    "ranges": ({}, [*READ, *AUDITED, COST], [], [], [*KNOWN, COVERS, UNALTERED, COUNTED]),
    "proved": (
        {"recoding": "suppress", "cost": "stars", "method": "auto"},
        [*READ, *AUDITED, COST],
        [NEEDED],
        [],
        [*KNOWN, COVERS, UNALTERED, COUNTED, FOLLOWS],
    ),
    "centroids": (
        {"recoding": "centroid"},
        [*READ, *AUDITED],
        [NO_COST],
        [NO_COST],
        [
            *(*KNOWN, "every published row shows the centroids of the original rows of its class"),
            *(f"{COST} over the original", UNALTERED, COUNTED),
        ],
    ),
    "mixed": (
        {"recoding": "range", "column_recodings": {"age": "centroid"}},
        [*READ, *AUDITED],
        ["the cost (mixed-loss) cannot be recomputed from these files"],
        ["the cost (mixed-loss) cannot be recomputed from these files"],
        [
            *(*KNOWN, f"{COVERS}, or shows the centroids of its class", f"{COST} over the original"),
            *(UNALTERED, COUNTED),
        ],
    ),
    "two tables": (
        {"recoding": "anatomy", "require": "l(ill)=2", "method": "auto"},
        [*READ, *AUDITED, COST],
        [WORD],
        [],
        [
            *(*KNOWN, COVERS, "quasi-identifiers and other cells are unaltered"),
            *("every group has the sensitive values of its people", COUNTED),
        ],
    ),
    "rounded": (
        {"other": ["w"], "record_weight": "w", "weight_rounding": 10},
        [*READ, ROUNDED, *AUDITED, COST],
        [],
        [],
        [*KNOWN, COVERS, UNALTERED, "the record weights are those of the original, rounded", COUNTED],
    ),
    "masked": (
        {"other": ["w"], "masks": {"w": "top:limit=7"}},
        [*READ, MASKED, *AUDITED, COST],
        [],
        [],
        [
            *(*KNOWN, COVERS, f"{UNALTERED} but for masks"),
            *("the masked cells can come from their masks and the original", COUNTED),
        ],
    ),
    "drawn": (
        {"other": ["w"], "masks": {"w": "noise:share=0.2"}, "allow": ["w"]},
        [*READ, MASKED, *AUDITED, COST],
        [],
        [],
        [
            *(*KNOWN, COVERS, f"{UNALTERED} but for masks"),
            *("the masked cells can come from their masks and the original", COUNTED),
        ],
    ),
    "people": (
        {"person": ["who"]},
        [*READ, *AUDITED, COST],
        [],
        [whose("k=2", "k=2")],
        [*KNOWN, COVERS, UNALTERED, "the people of the rows are those of the original", COUNTED],
    ),
    "households": (
        {"household": "home", "require": "k-households=2"},
        [*READ, *AUDITED, COST],
        [],
        [whose("k-households=2", "k=2")],
        [*KNOWN, COVERS, UNALTERED, "the households of the rows are those of the original", COUNTED],
    ),
}


def made(tmp_path: Path, kind: str) -> Path:
    asked = ASKED | KINDS[kind][0]
    if "other" not in asked:
        asked["leave_out"] = "rest"
    else:
        asked["leave_out"] = [name for name in ("pay", "who", "home") if name not in (asked.get("person") or ())]
    return shoal.anonymize(TABLE, **asked).save(tmp_path / "release", format="csv")


def looked_at(found: Verification) -> list[str]:
    assert found.failures == []
    assert found.passed
    assert {check.detail for check in found.checks} == {""}
    return [check.what for check in found.checks]


@pytest.mark.parametrize("kind", KINDS)
def test_everything_that_can_be_told_is_looked_at(kind: str, tmp_path: Path) -> None:
    _, own, unproved, apart, more = KINDS[kind]
    folder = made(tmp_path, kind)
    alone, compared = shoal.verify(folder), shoal.verify(folder, original=TABLE)
    assert looked_at(alone) == [*FILES, *own]
    assert list(alone.not_checked) == unproved
    assert looked_at(compared) == [*FILES, *own, *more]
    assert list(compared.not_checked) == [note for note in unproved if note == WORD]
    assert (alone.proved, compared.proved is not None) == (None, FOLLOWS in more)
    shutil.rmtree(folder / "internal")
    public = shoal.verify(folder)
    assert looked_at(public) == own
    assert list(public.not_checked) == [NOT_HERE, *apart]
    assert not shoal.verify(folder, original=TABLE).passed


@pytest.mark.parametrize("kind", KINDS)
def test_another_original_is_refused(kind: str, tmp_path: Path) -> None:
    folder = made(tmp_path, kind)
    for other in (TABLE.reverse(), TABLE.head(7), TABLE.with_columns(age=pl.col("age") + 1)):
        assert f"{KNOWN[0]}: the keyed hash differs" in shoal.verify(folder, original=other).failures


def test_what_was_proved_is_said(tmp_path: Path) -> None:
    folder = made(tmp_path, "proved")
    found = shoal.verify(folder, original=TABLE)
    assert found.proved is not None
    cost = found.proved.cost
    assert (found.proved.measure, found.proved.bound, found.proved.gap) == ("stars", cost, 1.0)
    reseal(folder, lower_bound=cost + 1e-7)
    (note,) = shoal.verify(folder, original=TABLE).not_checked
    assert note.startswith(f"the prices prove {cost:g}; the rest of the lower bound {cost:g} is stated by the method")


def test_less_is_proved_where_rows_may_be_dropped(tmp_path: Path) -> None:
    """How far the values of a class are from those of the table is not known then: the table may be another one."""
    towns, ills = [*"aabbccdd"], ["flu", "flu", "gout", "gout", "flu", "gout", "flu", "gout"]
    table = TABLE.with_columns(town=pl.Series(towns), ill=pl.Series(ills))
    asked = {**KINDS["proved"][0], "quasi": ["town"], "require": "t(ill)=0.2", "leave_out": "rest"}
    folder = shoal.anonymize(table, **ASKED | asked).save(tmp_path / "release", format="csv")
    path = folder / "internal" / "config.json"
    content = json.loads(path.read_text())
    for share, failures in (("0", []), ("1/9", []), ("1/2", [f"{FOLLOWS}: the prices prove no more than 0"])):
        path.write_text(canonical(content | {"max_dropped": share}))  # of eight rows none, none and four
        reseal(folder)
        assert shoal.verify(folder, original=table).failures == failures


@pytest.mark.parametrize("where", ["internal/original.json", "internal/config.json", "internal/rows.parquet"])
def test_a_file_that_a_comparison_needs_is_missed(where: str, tmp_path: Path) -> None:
    folder = made(tmp_path, "ranges")
    (folder / where).unlink()
    (folder / "internal" / "manifest.json").write_text(canonical(manifest(folder)))
    failures = shoal.verify(folder, original=TABLE).failures
    assert failures
    assert all("missing or cannot be read" in one or "could not be checked" in one for one in failures)


def test_a_manifest_in_another_form_is_a_changed_one(tmp_path: Path) -> None:
    folder = made(tmp_path, "ranges")
    path = folder / "internal" / "manifest.json"
    path.write_text(path.read_text() + "\n")
    assert shoal.verify(folder).failures == [f"{FILES[0]}: the manifest was changed"]


# --- what is shown of it ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("checks", "failures", "verdict"),
    [
        ((Check("one", True), Check("two", True)), [], "2 checks, passed"),
        ((Check("one", True), Check("two", False)), ["two"], "2 checks, failed: two"),
        ((Check("one", False, "why"),), ["one: why"], "1 check, failed: one: why"),
    ],
)
def test_a_verification_says_what_failed(checks: tuple[Check, ...], failures: list[str], verdict: str) -> None:
    found = Verification(checks)
    assert (found.failures, found.passed) == (failures, not failures)
    assert repr(found) == f"<Verification: {verdict}>"


def test_a_notebook_shows_every_check_with_what_was_found() -> None:
    shown = Verification((Check("one", True), Check("two", False, "why")), ("three",))._repr_html_()
    cells = ["<td>one</td>", "<td>passed</td>", "<td></td>", "<td>two</td>", "<td>failed</td>", "<td>why</td>"]
    assert [shown.index(cell) for cell in cells] == sorted(shown.index(cell) for cell in cells)
    assert "<p>Not checked: three</p>" in shown
    assert "</strong>: failed" in shown
    assert "</strong>: passed" in Verification((Check("one", True),))._repr_html_()


def test_a_certificate_with_a_lower_bound_above_its_cost_is_not_read(tmp_path: Path) -> None:
    release = shoal.anonymize(TABLE, **ASKED, leave_out="rest")
    cost = float(release.certificate.cost)
    for bound, passes in ((cost, True), (cost * (1 + 1e-9), True), (cost * 1.01, False)):
        stated = replace(release.certificate, lower_bound=bound)
        folder = replace(release, certificate=stated).save(tmp_path / str(bound))
        assert shoal.verify(folder).passed is passes


# --- claims that are false, one by one -------------------------------------------------------------------------------

SEALED, SHAPE, AUDIT = READ[0], READ[1], AUDITED[1]


@pytest.mark.parametrize(
    ("kind", "claims", "failure"),
    [
        ("ranges", {"rows": 7}, f"{SHAPE}: 8 rows, 7 stated"),
        ("ranges", {"rows": 9}, f"{SHAPE}: 8 rows, 9 stated"),
        ("ranges", {"quasi": ["town", "age"]}, f"{SHAPE}: the quasi columns are not those of the codebook"),
        ("ranges", {"quasi": ["age"]}, f"{SHAPE}: the quasi columns are not those of the codebook"),
        ("ranges", {"sensitive": []}, f"{SHAPE}: the sensitive columns are not those of the codebook"),
        ("ranges", {"unprotected": ["ill"]}, f"{SHAPE}: the other columns are not those of the codebook"),
        ("ranges", {"recoding": "anatomy"}, f"{SHAPE}: the tables are not those of the recoding"),
        ("two tables", {"recoding": "range"}, f"{SHAPE}: the tables are not those of the recoding"),
        ("ranges", {"classes": 3}, f"{AUDIT}: 4 classes, 3 stated"),
        ("ranges", {"classes": 5}, f"{AUDIT}: 4 classes, 5 stated"),
        ("ranges", {"starred": 1}, f"{AUDIT}: 0 rows of stars alone, 1 stated"),
        ("ranges", {"starred": None}, ""),
        ("ranges", {"require": "k=3"}, f"{AUDIT}: k=3 fails in 4 classes"),
        ("ranges", {"require": "k=3 l(ill)=3"}, f"{AUDIT}: k=3 fails in 4 classes; l(ill)=3 fails in 4 classes"),
        ("ranges", {"models": []}, f"{AUDIT}: the levels reached are not those stated"),
        ("ranges", {"certain": {"ill": 1}}, f"{AUDIT}: the values that are certain are not those stated"),
        ("ranges", {"certain": None}, ""),
        ("ranges", {"dropped": 1}, "published twice or not at all"),
        ("ranges", {"people": 8}, f"{FILES[1]}: it asks otherwise about people"),
        ("ranges", {"households": 8}, f"{FILES[1]}: it asks otherwise about households"),
        ("ranges", {"changed_cells": {"age": 8}}, f"{COUNTED}: the number of changed cells is not as stated in 'town'"),
        (
            "ranges",
            {"changed_cells": {"age": 7, "town": 0}},
            f"{COUNTED}: the number of changed cells is not as stated",
        ),
        ("people", {"people": 6}, f"{AUDIT}: the rows are about 7 people, 6 stated"),
        ("people", {"people": 8}, f"{AUDIT}: the rows are about 7 people, 8 stated"),
        ("people", {"people": None}, f"{FILES[1]}: it asks otherwise about people"),
        ("households", {"households": None}, f"{FILES[1]}: it asks otherwise about households"),
        ("households", {"households": 3}, f"{AUDIT}: the rows are of 4 households, 3 stated"),
        ("households", {"households": 5}, f"{AUDIT}: the rows are of 4 households, 5 stated"),
        ("rounded", {"rounded": {"w": 20}}, f"{ROUNDED}: columns 'w' have numbers that are not such multiples"),
        ("rounded", {"rounded": {}}, f"{UNALTERED}: columns 'w' were altered"),
        ("rounded", {"rounded": {"ill": 1}}, "a column is stated as rounded that is not published as other"),
        ("masked", {"masks": {}}, f"{FILES[1]}: it asks otherwise about masks"),
        ("ranges", {"masks": {"ill": {"mask": "pram"}}}, f"{FILES[1]}: it asks otherwise about masks"),
        ("people", {"masks": {"ill": {"mask": "pram"}}, "people": None}, "otherwise about people and masks"),
        ("masked", {"masks": {"w": {"mask": "top", "limit": 6}}}, f"{MASKED}: "),
        ("masked", {"masks": {"w": {"mask": "top", "limit": 8}}}, "the masks of the request are not those of the"),
        ("masked", {"masks": {"age": {"mask": "top", "limit": 8}}}, f"{MASKED}: a column is stated as masked that is"),
        ("proved", {"cost": {"name": "stars", "value": 99.0}}, f"{COST}: recomputed as 8"),
        ("centroids", {"cost": {"name": "centroid-error", "value": 99.0}}, f"{COST} over the original: recomputed as "),
        ("two tables", {"classes": 3}, f"{AUDIT}: "),
    ],
)
def test_a_false_claim_is_named(kind: str, claims: dict[str, Any], failure: str, tmp_path: Path) -> None:
    folder = made(tmp_path, kind)
    if kind == "two tables":
        reseal_two(folder, **claims)
    else:
        reseal(folder, **claims)
    said = "; ".join(shoal.verify(folder, original=TABLE).failures)
    assert failure in said if failure else said == ""


def reseal_two(folder: Path, **claims: object) -> None:
    """Restate claims of two tables, and make the seals whole; the tables are as they were."""
    path = folder / "public" / "certificate.json"
    content = json.loads(path.read_text()) | claims
    del content["seal"]
    content |= {name: one for name, one in following(content).items() if name not in claims}
    path.write_text(canonical({**content, "seal": seal(content)}))
    (folder / "internal" / "manifest.json").write_text(canonical(manifest(folder)))


@pytest.mark.parametrize(("name", "gone"), [("table.csv", False), ("codebook.json", False), ("codebook.json", True)])
def test_a_public_file_that_differs_or_is_gone_is_named(name: str, gone: bool, tmp_path: Path) -> None:
    folder = made(tmp_path, "ranges")
    shutil.rmtree(folder / "internal")
    path = folder / "public" / name
    if gone:
        path.unlink()
    else:
        path.write_text(path.read_text() + "\n")
    (failure,) = shoal.verify(folder).failures
    what = name.partition(".")[0]
    assert failure == f"{SEALED}: " + (f"public/{name} is missing" if gone else f"{what} differ from the certificate")


def test_a_report_is_sealed_where_there_is_one(tmp_path: Path) -> None:
    folder = made(tmp_path, "ranges")
    shutil.rmtree(folder / "internal")
    report = folder / "public" / "report.html"
    report.write_text("all is well")
    assert shoal.verify(folder).failures == [f"{SEALED}: report differ from the certificate"]


@pytest.mark.parametrize("tables", [0, 2])
def test_a_release_has_one_table(tables: int, tmp_path: Path) -> None:
    public = made(tmp_path, "ranges") / "public"
    if tables:
        shutil.copy(public / "table.csv", public / "table.tsv")
    else:
        (public / "table.csv").unlink()
    (failure,) = shoal.verify(public.parent).failures
    assert f"public/ has {tables} tables" in failure


def test_numbers_of_people_and_households_have_to_tell_the_same_rows_apart(tmp_path: Path) -> None:
    for kind, name, column in (("people", "people", "person"), ("households", "households", "household")):
        folder = made(tmp_path / kind, kind)
        path = folder / "internal" / f"{name}.parquet"
        numbers = pl.read_parquet(path)[column]
        swapped = numbers.shuffle(seed=3)
        assert swapped.to_list() != numbers.to_list()
        for changed, passes in ((numbers * -1 + 100, True), (swapped, False)):
            changed.alias(column).to_frame().write_parquet(path)
            (folder / "internal" / "manifest.json").write_text(canonical(manifest(folder)))
            failures = shoal.verify(folder, original=TABLE).failures
            assert any("have several numbers" in failure for failure in failures) is not passes
        path.unlink()
        (folder / "internal" / "manifest.json").write_text(canonical(manifest(folder)))
        assert any(
            f"internal/{name}.parquet is missing" in one for one in shoal.verify(folder, original=TABLE).failures
        )


def test_a_model_of_a_population_is_looked_at_where_the_population_is_given(tmp_path: Path) -> None:
    people = pl.concat([TABLE, TABLE]).select("age", "town")
    asked: dict[str, Any] = {**ASKED, "recoding": "suppress", "require": "k=2 kmap=4", "leave_out": "rest"}
    folder = shoal.anonymize(TABLE, **asked, population=people).save(tmp_path / "release", format="csv")
    own = [*FILES, *READ, *AUDITED, COST]
    without, given = shoal.verify(folder), shoal.verify(folder, population=people)
    assert looked_at(without) == looked_at(given) == own
    assert list(without.not_checked) == ["kmap=4: no population is given", NEEDED]
    assert list(given.not_checked) == [NEEDED]
    fewer = shoal.verify(folder, population=people.head(1))
    assert any("kmap=4 fails in" in failure for failure in fewer.failures)
    assert list(fewer.not_checked) == [NEEDED]
    reseal(folder, models=[])
    assert not shoal.verify(folder).passed


def test_where_nothing_but_a_population_decides_nothing_is_looked_at_without_it(tmp_path: Path) -> None:
    people = pl.concat([TABLE, TABLE]).select("age", "town")
    asked: dict[str, Any] = {**ASKED, "recoding": "suppress", "leave_out": "rest"}
    require = "kmap=4 no-attack-journalist=(4,1)"
    folder = shoal.anonymize(TABLE, **asked | {"require": require}, population=people).save(tmp_path / "release")
    without = shoal.verify(folder)
    assert without.passed
    assert list(without.not_checked) == [f"{require}: no population is given", NEEDED]


def test_a_model_of_hierarchies_is_looked_at_where_the_internal_part_is_here(tmp_path: Path) -> None:
    model = "payout=(0,0,1,0)"
    asked: dict[str, Any] = {**ASKED, "recoding": "full-domain", "require": f"k=2 {model}", "method": "auto"}
    asked |= {"hierarchies": {"town": Taxonomy([("a", "ab"), ("b", "ab")])}, "quasi": ["town"], "leave_out": "rest"}
    folder = shoal.anonymize(TABLE, **asked).save(tmp_path / "release", format="csv")
    assert not any(model in note for note in shoal.verify(folder).not_checked)
    shutil.rmtree(folder / "internal")
    lacking = "the hierarchies of quasi-identifiers are in the internal part alone, which is not here"
    found = shoal.verify(folder)
    assert f"{model}: {lacking}" in found.not_checked
    assert looked_at(found) == [*READ, *AUDITED, COST]


def test_rows_that_are_not_sorted_are_found(tmp_path: Path) -> None:
    folder = made(tmp_path, "ranges")
    path = folder / "public" / "table.csv"
    pl.read_csv(path, infer_schema=False).reverse().write_csv(path)
    reseal(folder)
    assert f"{AUDITED[0]}: their order may reveal the original order" in shoal.verify(folder).failures


def test_an_original_that_cannot_be_read_as_asked_is_another_one(tmp_path: Path) -> None:
    folder = shoal.anonymize(TABLE, **ASKED, missing={"age": [51]}, leave_out="rest").save(tmp_path / "release")
    assert shoal.verify(folder, original=TABLE).passed
    found = shoal.verify(folder, original=TABLE.drop("age"))
    assert any(failure.startswith(KNOWN[0]) for failure in found.failures)


def test_a_request_that_is_not_the_sealed_one_is_another_one(tmp_path: Path) -> None:
    folder = made(tmp_path, "ranges")
    path = folder / "internal" / "config.json"
    content = json.loads(path.read_text())
    for changed, passes in (({"seed": 7}, True), ({"effort": "quick"}, False)):
        path.write_text(canonical(content | changed))
        (folder / "internal" / "manifest.json").write_text(canonical(manifest(folder)))
        failures = shoal.verify(folder, original=TABLE).failures
        assert failures == ([] if passes else [f"{FILES[1]}: the hash of the request differs"])


@pytest.mark.parametrize("kind", ["proved", "ranges", "centroids", "two tables"])
def test_a_cost_may_differ_by_rounding_alone(kind: str, tmp_path: Path) -> None:
    folder = made(tmp_path, kind)
    stated = json.loads((folder / "public" / "certificate.json").read_text())["cost"]
    restated = reseal_two if kind == "two tables" else reseal
    for more, passes in ((1e-11, True), (-1e-11, True), (1e-7, False), (-1e-7, False)):
        restated(folder, cost={"name": stated["name"], "value": stated["value"] + more})
        assert shoal.verify(folder, original=TABLE).passed is passes


def test_a_cost_that_nobody_can_work_out_again_is_said_not_to_be(tmp_path: Path) -> None:
    asked = ASKED | {"recoding": "suppress", "cost": "kl-divergence", "leave_out": "rest"}
    folder = shoal.anonymize(TABLE, **asked).save(tmp_path / "release", format="csv")
    for original in (None, TABLE):
        found = shoal.verify(folder, original=original)
        assert not [what for what in looked_at(found) if "the cost" in what]
        assert "the cost (kl-divergence) cannot be recomputed from these files" in found.not_checked


@pytest.mark.parametrize(
    ("kind", "order", "failure"),
    [
        ("ranges", [7, 6, 5, 4, 3, 2, 1, 0], f"{COVERS}: 8 rows do not cover the row they stand for"),
        ("ranges", [0, 1, 2, 3, 4, 5, 6, 6], f"{COVERS}: rows of the original are published twice or not at all"),
        ("ranges", [0, 1, 2, 3, 4, 5, 6], f"{COVERS}: rows of the original are published twice or not at all"),
        ("ranges", [1, 0, 2, 3, 4, 5, 6, 7], f"{UNALTERED}: columns 'ill' were altered"),
        ("two tables", [1, 0, 2, 3, 4, 5, 6, 7], "quasi-identifiers and other cells are unaltered: columns 'age' were"),
        ("centroids", [2, 1, 0, 3, 4, 5, 6, 7], "rows show no centroid of the rows of their class"),
    ],
)
def test_rows_that_stand_for_others_are_found(kind: str, order: list[int], failure: str, tmp_path: Path) -> None:
    folder = made(tmp_path, kind)
    path = folder / "internal" / "rows.parquet"
    rows = pl.read_parquet(path)["row"]
    assert rows.to_list() == list(range(8))  # the classes are already sorted by their cells
    rows.gather(order).to_frame().write_parquet(path)
    (folder / "internal" / "manifest.json").write_text(canonical(manifest(folder)))
    assert any(failure in one for one in shoal.verify(folder, original=TABLE).failures)


def test_a_masked_cell_that_no_draw_gives_is_found(tmp_path: Path) -> None:
    folder = made(tmp_path, "drawn")
    path = folder / "public" / "table.csv"
    table = pl.read_csv(path, infer_schema=False)
    table.with_columns(w=pl.lit("1000000")).write_csv(path)
    reseal(folder)
    failures = shoal.verify(folder, original=TABLE).failures
    assert any(one.startswith("the masked cells can come from their masks and the original: ") for one in failures)


@pytest.mark.parametrize("name", ["proof.json", "prices.parquet"])
def test_a_proof_that_is_stated_has_to_be_there(name: str, tmp_path: Path) -> None:
    folder = made(tmp_path, "proved")
    (folder / "internal" / name).unlink()
    (folder / "internal" / "manifest.json").write_text(canonical(manifest(folder)))
    (failure,) = shoal.verify(folder, original=TABLE).failures
    assert failure.startswith(FOLLOWS)


def test_of_people_less_is_implied_than_of_rows(tmp_path: Path) -> None:
    asked = ASKED | {"require": "k=2 l(ill)=1.5", "leave_out": "rest"}
    for person, implied in (((), "k=2 l(ill)=1.5"), (["who"], "k=2 distinct-l(ill)=2")):
        folder = shoal.anonymize(TABLE, **asked, person=person).save(tmp_path / f"release-{len(person)}")
        assert str(Opened.of(folder, None).implied) == implied
        shutil.rmtree(folder / "internal")
        assert shoal.verify(folder).passed


@pytest.mark.parametrize("format", ["parquet", "arrow", "jsonl"])
@pytest.mark.parametrize("neutralise", [False, True])
def test_other_formats_are_read_as_they_were_written(format: str, neutralise: bool, tmp_path: Path) -> None:
    table = TABLE.with_columns(note=pl.lit("=1+1"))
    asked = ASKED | {"other": ["note"], "leave_out": ["pay", "w", "who", "home"], "neutralise": neutralise}
    folder = shoal.anonymize(table, **asked).save(tmp_path / "release", format=format)
    assert shoal.verify(folder, original=table).failures == []
    (folder / "public" / "table.csv").mkdir()  # no table, and no file
    assert shoal.verify(folder, original=table).failures == []
