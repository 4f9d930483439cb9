"""The report: one file that refers to nothing outside, its figures those measured, no cell in the public one."""

from __future__ import annotations

import random
import re
import tomllib
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.config import read_config
from shoal.release.certificate import Certificate
from shoal.report import Evidence, Report, make
from shoal.report.charts import bins
from shoal.report.page import SECTIONS

VOID = {"meta", "br", "link", "img", "input", "hr"}
WILD = "<script>alert(1)</script>"
SEED = 918273645
CANARY = {"name": "Zebulon Quirk", "income": 777_131, "town": "Llanfairpwll", "illness": "kuru-7", "note": "juggler-9"}


def people() -> pl.DataFrame:
    """Sixty people, and among them one who is alone with every value."""
    draw = random.Random(0)
    rows = [
        {
            "name": f"Person {number}",
            "income": draw.choice([100_000, 400_000, 900_000]),
            "town": draw.choice(["Oslo", "Rome", "Bonn"]),
            "illness": draw.choice(["flu", "gout"]),
            "note": "none",
        }
        for number in range(60)
    ]
    return pl.DataFrame([*rows[:30], CANARY, *rows[30:]])


def released(table: pl.DataFrame, **more: object) -> shoal.Release:
    asked: dict[str, object] = {
        "quasi": ["income", "town"],
        "sensitive": ["illness"],
        "identifiers": ["name"],
        "other": ["note"],
        "allow": ["note"],
        "require": "k=3 distinct-l(illness)=2",
        "recoding": "range",
        "seed": SEED,
    }
    return shoal.anonymize(table, **{**asked, **more})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def release() -> shoal.Release:
    return released(people())


@pytest.fixture(scope="module")
def report(release: shoal.Release) -> Report:
    return make(release, people(), queries=50)


class Page(HTMLParser):
    """What is in a page: the tags that are open, the headings, the links, the text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.headings: list[tuple[str, str]] = []
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.names: set[str] = set()
        self.said = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        if tag not in VOID:
            self.open.append(tag)
        if re.fullmatch("h[1-6]", tag):
            self.headings.append((tag, ""))
        for name, value in attrs:
            assert not name.startswith("on")
            if name in ("href", "src", "srcset", "action", "data", "xlink:href", "poster"):
                self.links.append(value or "")
            if name == "id":
                self.ids.add(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "style":
            return
        self.said += data
        if self.open and re.fullmatch("h[1-6]", self.open[-1]):
            level, text = self.headings[-1]
            self.headings[-1] = (level, text + data)


def rows_of(text: str) -> list[list[str]]:
    """The cells of all rows of all tables."""
    rows = re.findall(r"<tr>(.*?)</tr>", text, re.DOTALL)
    return [
        [unescape(re.sub("<.*?>", "", cell)) for cell in re.findall(r"<t[dh].*?>(.*?)</t[dh]>", row)] for row in rows
    ]


# One file


@pytest.mark.parametrize("form", ["internal", "public"])
def test_a_page_is_whole_and_refers_to_nothing_outside(report: Report, form: str) -> None:
    text = getattr(report, form)
    page = Page(text)
    assert page.open == []
    assert [level for level, _ in page.headings].count("h1") == 1
    assert not page.names & {"script", "link", "img", "iframe", "object", "base", "form"}
    assert page.links
    assert {link.removeprefix("#") for link in page.links} <= page.ids
    assert all(link.startswith("#") for link in page.links)
    assert not re.search(r"url\(|@import|https?:|//[a-z]", text)


@pytest.mark.parametrize("form", ["internal", "public"])
def test_the_three_questions_are_chapters(report: Report, form: str) -> None:
    chapters = [said for level, said in Page(getattr(report, form)).headings if level == "h2"]
    assert len(chapters) == len(SECTIONS)
    at = chapters.index("Singling out")
    assert chapters[at : at + 3] == ["Singling out", "Linkability", "Inference"]


def test_no_heading_skips_a_level(report: Report) -> None:
    levels = [int(level[1]) for level, _ in Page(report.internal).headings]
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_it_is_light_dark_and_printable(report: Report) -> None:
    assert "prefers-color-scheme: dark" in report.public
    assert "@media print" in report.public


def test_names_are_escaped() -> None:
    table = people().rename({"town": WILD, "illness": "a & b"})
    made = released(table, quasi=["income", WILD], sensitive=["a & b"], require="k=3")
    found = make(made, table, queries=10)
    for text in (found.internal, found.public, *(thing._repr_html_() for thing in (made, made.audit, found))):
        page = Page(text)
        assert "script" not in page.names
        assert page.open == []
    assert WILD in Page(found.public).said
    assert "a & b" in Page(found.public).said


# Figures


def test_figures_are_those_measured(report: Report, release: shoal.Release) -> None:
    found, rows = report.evidence, rows_of(report.internal)
    before, after = shoal.risk.measure(people(), quasi=["income", "town"]), release.audit.risk
    assert (found.before, found.after) == (before, after)
    assert after is not None
    assert ["groups of rows that look alike", f"{before.classes:,}", f"{after.classes:,}"] in rows
    assert ["rows in the smallest group", "1", str(release.audit.smallest_class)] in rows
    attacked = shoal.attack(release, people())
    for one in attacked.outcomes:
        counts = ["-" if one.before is None else f"{one.before:,}", f"{one.after:,}", f"{one.of:,}"]
        assert any(row[0] == one.attack and row[2:6] == [one.knows, *counts] for row in rows)
    for column in release.codebook["columns"]:
        if "loss" in column:
            assert any(row[0] == column["name"] and row[-1].endswith("%") for row in rows)
    for model in release.certificate.models:
        assert any(row[-1] == "met" and row[4] == f"{model['reached']:.4g}" for row in rows)


def test_cost_bound_and_gap_are_in_words(release: shoal.Release) -> None:
    optimal = released(people().head(12), require="k=2", method="subset-dp")
    assert (
        "no release which meets the same requirements in this way costs less"
        in make(optimal, people().head(12), queries=0).public
    )
    assert f"{float(release.certificate.cost):,.6g}" in make(release, people(), attacks=["linkage"], queries=0).public


def test_sizes_of_classes_are_binned_with_no_row_lost(report: Report) -> None:
    found = report.evidence.after
    assert sum(bins(found.class_sizes).values()) == found.rows


def test_a_folder_gives_the_report_of_the_release(report: Report, release: shoal.Release, tmp_path: Path) -> None:
    folder = release.save(tmp_path / "out")
    texts = (make(folder, people(), queries=50).public, report.public)
    rows = [
        [row for row in rows_of(text) if row[0] != "distinguishable from the original"] for text in texts
    ]  # drawn by row
    hashed = rows[0].index(["file", "hash"])  # a folder has files
    files = len(Certificate.from_json((folder / "public" / "certificate.json").read_text()).hashes)
    assert [*rows[0][:hashed], *rows[0][hashed + 1 + files :]] == rows[1]


def test_two_tables_have_a_report() -> None:
    made = released(people().filter(pl.col("illness") != "kuru-7"), require="l(illness)=2", recoding="anatomy")
    text = make(made, made.original, queries=20).internal
    assert Page(text).open == []
    assert "published as it is" in text


# The first section


def bullets(text: str) -> list[str]:
    """The points of the first section."""
    first = text.split("<section>")[1]
    return [unescape(re.sub("<.*?>", "", one)) for one in re.findall(r"<li>(.*?)</li>", first, re.DOTALL)]


@pytest.mark.parametrize("form", ["internal", "public"])
def test_the_first_section_has_at_most_five_points(report: Report, form: str) -> None:
    said = bullets(getattr(report, form))
    assert [one.split(":")[0] for one in said] == [
        "Published",
        "Unprotected",
        "Requirement",
        "Highest chance",
        "Lost",
    ]
    assert said[0] == "Published: a table of 61 rows and 4 columns (income, town, illness, note)."
    assert said[1] == (
        "Unprotected: published unprotected, as they are: note; 1 of 61 rows are unique by quasi-identifiers and"
        " unprotected columns together: whoever knows these of a person finds the row."
    )
    assert said[2].startswith("Requirement: k=3 distinct-l(illness)=2, met by all ")
    assert said[3].startswith("Highest chance: 33.3 % to pick the right row of a person by income, town, ")


def test_sensitive_columns_of_which_nothing_is_asked_are_unprotected() -> None:
    table = people().drop("note")
    points = [
        bullets(
            make(released(table, require=require, other=[], allow=[]), table, attacks=["linkage"], queries=0).public
        )[1]
        for require in ("k=3", "k=3 distinct-l(illness)=2")
    ]
    assert points[0].startswith("Unprotected: 'illness' is sensitive and no model protects it")
    assert points[1] == "Unprotected: no column."


def test_a_requirement_that_asks_for_nothing_is_called_so() -> None:
    made = released(people(), require="k=1", recoding="suppress")
    points = bullets(make(made, people(), attacks=["linkage"], queries=0).internal)
    assert points[2].endswith("Every table meets it: nothing is protected.")
    assert points[3].startswith("Highest chance: 100 % to pick")


def test_title_owner_and_purpose_are_said_or_left_to_be_filled_in(release: shoal.Release) -> None:
    about = {"title": WILD, "owner": "Forvaltning & Sønn", "purpose": "研究 <b>"}
    told = make(release, people(), attacks=["linkage"], queries=0, **about)
    for text in (told.internal, told.public):
        page = Page(text)
        assert "script" not in page.names
        assert (("h1", WILD) in page.headings, "<title>&lt;script&gt;" in text) == (True, True)
        rows = dict(row for row in rows_of(text) if len(row) == 2)
        assert (rows["Owner"], rows["Purpose"], rows["Signature"]) == (about["owner"], about["purpose"], "")
        assert "Title" not in rows
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", rows["Date"])
        assert text.count('class="blank"') == 1
    empty = make(release, people(), attacks=["linkage"], queries=0).public
    assert empty.count('class="blank"') == 4
    assert ("h1", "Report on a release") in Page(empty).headings


# What the public is not told


@pytest.mark.parametrize("recoding", ["suppress", "range", "generalize", "centroid", "full-domain"])
def test_no_value_of_a_person_is_in_the_public_report(recoding: str) -> None:
    text = make(released(people(), recoding=recoding), people(), queries=20).public
    assert [name for name, value in CANARY.items() if str(value) in text] == []
    assert "777,131" not in text


def test_the_public_report_lacks_what_helps_to_undo_the_release(report: Report) -> None:
    hidden = (str(SEED), "hit before", "hit after", "before</th>", "could be distinguished by", "What was decided")
    for words in (*hidden, "[roles]", "Columns of numbers", "Pairs of columns", "name</"):
        assert words in report.internal or words == "name</"
        assert words not in report.public
    public = report.evidence.public()
    assert public.before is None
    assert public.decisions == ()
    assert all(hit.before is hit.after is hit.of is None for hit in public.hits)
    assert {(hit.standing, hit.verdict) for hit in public.hits} == {("", "")}
    assert not any(hit.verdict in report.public for hit in report.evidence.hits)
    assert all(unescape(report.internal).count(hit.verdict) for hit in report.evidence.hits)
    assert not {"seed", "hierarchies", "identifiers"} & set(public.config)


def test_the_public_evidence_is_a_part_of_all(report: Report) -> None:
    assert report.evidence.public().public().hits == report.evidence.public().hits
    assert not report.evidence.is_public


# To reproduce it


def test_the_configuration_makes_the_release_again(tmp_path: Path) -> None:
    people().write_csv(tmp_path / "people.csv")
    asked = {
        "recoding": "generalize",
        "hierarchies": {"income": "intervals:width=100000,500000"},
        "coarsen": "income=1",
    }
    made = released(people(), **asked)
    text = make(made, tmp_path / "people.csv", attacks=["linkage"], queries=0).internal
    shown = unescape(re.findall(r"<pre>(.*?)</pre>", text, re.DOTALL)[0])
    assert tomllib.loads(shown)["method"]["seed"] == SEED
    (tmp_path / "shoal.toml").write_text(shown, encoding="utf-8")
    settings = read_config(tmp_path / "shoal.toml")
    assert settings.pop("file") == str(tmp_path / "people.csv")
    settings.pop("folder")
    again = shoal.anonymize(tmp_path / "people.csv", **settings)
    assert again.table.equals(made.table)
    assert again.config == made.config


# In the release folder


def test_a_report_is_sealed_with_the_release(report: Report, release: shoal.Release, tmp_path: Path) -> None:
    folder = release.save(tmp_path / "out", report=report)
    assert (folder / "public" / "report.html").read_text(encoding="utf-8") == report.public
    assert shoal.verify(folder, original=people()).failures == []
    page = folder / "public" / "report.html"
    page.write_text(page.read_text(encoding="utf-8") + " ", encoding="utf-8")
    assert not shoal.verify(folder).passed


@pytest.mark.parametrize("tampered", ["changed", "gone", "added"])
def test_the_public_report_is_sealed_without_the_internal_part(
    report: Report, release: shoal.Release, tmp_path: Path, tampered: str
) -> None:
    folder = release.save(tmp_path / "out", report=None if tampered == "added" else report)
    for path in (folder / "internal").iterdir():
        path.unlink()
    (folder / "internal").rmdir()
    assert shoal.verify(folder).passed
    page = folder / "public" / "report.html"
    page.unlink() if tampered == "gone" else page.write_text("<p>all is well</p>", encoding="utf-8")
    assert not shoal.verify(folder).passed


def test_an_internal_report_that_was_changed_is_refused(report: Report, release: shoal.Release, tmp_path: Path) -> None:
    folder = release.save(tmp_path / "out", report=report)
    (folder / "internal" / "report.html").write_text("", encoding="utf-8")
    assert any("internal/report.html" in said for said in shoal.verify(folder).failures)


def test_a_release_without_its_internal_part_has_no_report(release: shoal.Release, tmp_path: Path) -> None:
    folder = release.save(tmp_path / "out")
    (folder / "internal").rename(tmp_path / "kept")
    with pytest.raises(shoal.ShoalError, match="internal part"):
        Evidence.of(folder, people())


# In a notebook


def test_what_a_notebook_shows_is_small_and_whole(report: Report, release: shoal.Release) -> None:
    things = (
        release,
        release.certificate,
        release.audit,
        report.evidence.after,
        report.evidence.utility,
        shoal.attack(release, people()),
    )
    for thing in things:
        text = thing._repr_html_()  # type: ignore[union-attr]
        assert Page(text).open == []
        assert len(text) < 8_000
        assert not any(str(value) in text for value in CANARY.values())
