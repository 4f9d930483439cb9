"""What pages show of a table: the library's own words and counts."""

import gzip
from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from tests.tables.exact_formats import EXACT_SUFFIXES

import shoal.hierarchies
import shoal.models
from shoal.core.discovery import discover
from shoal.core.errors import HierarchyError, ParameterError, RoleError, ShoalError, TableError
from shoal.costs import Cost
from shoal.hierarchies import Builder
from shoal.inspection import inspect
from shoal.methods.auto import methods
from shoal.methods.general.optimal import Optimal
from shoal.models import Model
from shoal.models.presets import PRESETS
from shoal.models.requirement import as_models
from shoal.recoding.recode import recodings
from shoal.studies.synth import census, write_census
from shoal.tables.readers import csv as csv_reader
from shoal.tables.writing import write
from shoal.web.desk import Desk, Draft, background_queries, draft_table, queries
from shoal.web.desk.cuts import cuts
from shoal.web.desk.forms import Form
from shoal.web.desk.runs import GOING

ROLES = {"age": "quasi", "gender": "quasi", "race": "quasi", "income": "sensitive"}


@pytest.fixture(scope="module")
def draft(tmp_path_factory: pytest.TempPathFactory) -> Draft:
    file = tmp_path_factory.mktemp("table") / "people.csv"
    write_census(file, 400, 1)
    return Draft().changed(file=str(file), roles=ROLES, require=["k=5"])


def test_preview_shows_the_first_rows_as_text(draft: Draft) -> None:
    found, rows = queries.preview(draft, 3), census(400, 1).head(3).select(pl.all().cast(pl.String)).rows()
    assert found.columns == tuple(census(1, 1).columns)
    assert list(found.rows) == rows


@pytest.mark.parametrize("suffix", [*EXACT_SUFFIXES, ".tsv", ".tsv.gz", ".txt", ".txt.gz"])
def test_preview_of_a_large_file_reads_its_beginning(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = pl.DataFrame({"a": [f'x\n"{i}' for i in range(500)], "b": range(500)})
    file = tmp_path / f"t{suffix}"
    if suffix in (".feather", ".ipc"):
        frame.write_ipc(file)
    elif suffix.startswith((".tsv", ".txt")):
        text = frame.write_csv(separator="\t").encode()
        file.write_bytes(gzip.compress(text) if suffix.endswith(".gz") else text)
    else:
        write(frame, file)
    monkeypatch.setattr(csv_reader, "HEAD", 100)
    monkeypatch.setattr(draft_table, "stamped", None)  # the whole is not read
    found = queries.preview(Draft(file=str(file)), 2)
    assert found.rows == (('x\n"0', "0"), ('x\n"1', "1"))


def test_a_file_that_is_no_table_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="no table is chosen"):
        queries.preview(Draft())
    with pytest.raises(TableError, match="is gone"):
        queries.preview(Draft(file=str(tmp_path / "none.csv")))
    (tmp_path / "bad.parquet").write_bytes(b"PAR1")
    with pytest.raises(TableError, match=r"not a readable Parquet file"):
        queries.preview(Draft(file=str(tmp_path / "bad.parquet")))
    (tmp_path / "bad.csv.gz").write_bytes(gzip.compress(b"a,b\n1,2\n")[:-9])
    with pytest.raises(ShoalError):
        queries.table(Draft(file=str(tmp_path / "bad.csv.gz")))


def test_a_table_is_read_again_when_its_file_changes(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("a\n1\n")
    assert queries.table(Draft(file=str(file))) is queries.table(Draft(file=str(file), seed=3))
    file.write_text("a\n1\n2\n")
    assert queries.table(Draft(file=str(file))).rows == 2


def test_uniqueness_counts_people(draft: Draft) -> None:
    crowds = Counter(queries.table(draft).frame.select("age", "gender", "race").rows())
    found = queries.uniqueness(draft)
    assert (found.rows, found.classes, found.smallest) == (400, len(crowds), min(crowds.values()))
    assert found.alone == sum(size == 1 for size in crowds.values())
    assert found.share == found.alone / 400
    assert found.average_risk == pytest.approx(len(crowds) / 400)
    assert dict(found.small)[5] == sum(size for size in crowds.values() if size < 5)
    for columns in ([], ["agee"]):
        with pytest.raises(RoleError):
            queries.uniqueness(draft, columns)


def test_inspection_is_the_librarys(draft: Draft) -> None:
    found = queries.inspection(draft)
    assert found["columns"] == inspect(queries.table(draft)).to_dict()["columns"]
    assert found["bytes"] == Path(str(draft.file)).stat().st_size


def test_hierarchies_are_shown_level_by_level(draft: Draft) -> None:
    shape = queries.hierarchy(draft, "age", "intervals:width=20,40")
    assert shape.spec == {"builder": "intervals", "width": [20, 40]}
    assert [one.level for one in shape.levels] == [0, 1, 2, 3]
    assert shape.levels[0].blocks == ()
    assert shape.levels[-1].blocks == (("*", 400),)
    assert sum(rows for _, rows in shape.levels[1].blocks) == 400
    shown = queries.hierarchy(draft, "age", "intervals:width=20,40", values=True, shown=3).levels[0]
    ages = Counter(queries.table(draft).frame["age"].cast(pl.String))
    assert [rows for _, rows in shown.blocks] == [rows for _, rows in ages.most_common(3)]
    assert shown.number == len(ages)
    assert queries.hierarchy(draft, "gender").spec["builder"] == "stars"
    tree = {"x": ["Male"], "y": ["Female"]}
    assert queries.tree(draft, "gender", tree) == {"*": tree}
    assert queries.hierarchy(draft, "gender", {"*": tree}).levels == queries.hierarchy(draft, "gender", tree).levels
    for spec in ({"x": ["Male"]}, "dates"):
        with pytest.raises(ShoalError):
            queries.hierarchy(draft, "gender", spec)


def test_builders_start_on_a_column_or_say_why_not(draft: Draft) -> None:
    found = {one.name: one for one in queries.builders(draft, "age")}
    assert set(found) == {name for name in discover(shoal.hierarchies, Builder) if name != "taxonomy"}
    assert found["intervals"].spec is not None
    assert found["dates"].spec is None
    assert found["dates"].reason
    assert "width" in found["intervals"].parameters


def test_a_column_of_very_many_values_is_not_shown(draft: Draft, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.web.desk.trees.MANY", 5)
    with pytest.raises(HierarchyError, match=r"different values, more than the .* that are shown"):
        queries.hierarchy(draft, "age")


@pytest.mark.parametrize("form", queries.models(), ids=lambda form: form.name)
def test_every_model_is_a_form_that_can_be_filled_in(form: Form) -> None:
    text = queries.written(form.name, [one.start for one in form.fields], ["income"] if form.reads_attribute else [])
    filled = queries.filled(text)
    assert (filled.name, filled.numbers) == (form.name, tuple(one.start for one in form.fields))
    assert queries.written(filled.name, filled.numbers, filled.columns, filled.option) == text
    (sentence,) = queries.explained(text)
    assert all(one.start in sentence for one in form.fields if one.name in form.meaning.split())
    if form.options:
        assert queries.written(form.name, filled.numbers, ["income"], "ordered") != text


def test_forms_are_found_by_discovery() -> None:
    kinds = discover(shoal.models, Model)
    assert [form.name for form in queries.models()] == [name for name, kind in kinds.items() if not kind.needs_guards]
    with pytest.raises(ParameterError, match="at least 1"):
        queries.written("k", ["0"])
    with pytest.raises(ParameterError, match="no column"):
        queries.written("l", ["2"])


def test_methods_say_whether_they_can_take_the_draft(draft: Draft) -> None:
    found = {one.name: one for one in queries.methods(draft)}
    assert list(found) == ["auto", *methods()]
    assert found["mondrian"].reasons == ()
    assert "2-anonymity" in found["simplex-matching"].reasons[0]
    assert found["optimal"].guarantee == Optimal.stated()
    assert "very long" in found["optimal"].time
    assert (
        "at most about 30 s" in {one.name: one for one in queries.methods(draft.changed(time_limit=30.0))}["auto"].time
    )
    wrong = {one.name: one for one in queries.methods(draft.changed(require=["l(age)=2"]))}
    assert "expected a sensitive column" in wrong["mondrian"].reasons[0]


def test_recodings_and_costs_have_a_sentence_each() -> None:
    assert [one.name for one in queries.recodings()] == list(recodings())
    assert all(one.title for one in queries.recodings())
    assert {one.name for one in queries.costs()} == set(discover(shoal.costs, Cost))
    assert {one.name for one in queries.costs("anatomy")} == {"reconstruction"}


@pytest.mark.parametrize("preset", PRESETS.values(), ids=list(PRESETS))
def test_presets_are_requirements(preset: object) -> None:
    require = PRESETS[preset.name].require({"a": 3, "b c": 9})  # type: ignore[attr-defined]
    assert [str(model) for model in as_models(" ".join(require))] == list(require)


def test_a_large_table_is_looked_at_by_a_worker(draft: Draft, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background_queries, "SMALL", 0)
    desk = Desk(tmp_path / "desk", root=Path(str(draft.file)).parent)
    assert desk.look("inspection", draft) is None
    found = desk.looks.wait("inspection", draft)
    assert found["columns"] == queries.inspection(draft)["columns"]
    assert desk.look("inspection", draft.changed(seed=9)) is found
    (tmp_path / "bad.csv").write_text("a,b\n1\n")
    with pytest.raises(ShoalError, match="fewer cells"):
        desk.looks.wait("inspection", Draft(file=str(tmp_path / "bad.csv")))
    with pytest.raises(ParameterError, match="no query"):
        desk.look("inspektion", draft)
    assert not any(run.state in GOING for run in desk.runs.all(None))
    desk.close()
    assert not (tmp_path / "desk" / "looks").exists()


def test_numbers_have_cut_points_and_other_columns_none(draft: Draft) -> None:
    named = {name: cuts(draft, name) for name in draft.roles}
    numeric = {name for name in named if queries.table(draft)[name].dtype.is_numeric()}
    assert {name for name, found in named.items() if found is not None} == numeric
    for name in numeric:
        found = named[name]
        assert found is not None
        assert max(found.heights) == 1
        assert float(found.low) < float(found.high)
        if found.text:
            given = {"builder": "intervals", "edges": found.text}
            now, then = (queries.hierarchy(draft, name, spec) for spec in (None, given))
            assert [level.number for level in then.levels] == [level.number for level in now.levels]


def test_what_is_proposed_has_a_name(draft: Draft) -> None:
    assert all(queries.proposal(draft, name) for name in draft.roles)
