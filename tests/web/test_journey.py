"""The whole way in a real browser: from a table that is dropped to a release that verifies."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.web import looks
from tests.web.browser import DESKTOP, PHONE, RUN, Steward
from tests.web.server import SOURCE, Served, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.web

DATA = Path(__file__).parents[3] / "shared" / "data"
ADULT = DATA / "adult" / "adult_30162.csv.gz"
STEPS = ("data", "roles", "hierarchies", "privacy", "method", "run", "result", "release")
FIGURES = Path(__file__).parents[2] / "docs" / "figures"


def verified(packed: Path, original: Path, folder: Path) -> str:
    """Unzip a release, and let the command line verify it against the original."""
    with zipfile.ZipFile(packed) as content:
        content.extractall(folder)
    done = subprocess.run(
        [sys.executable, "-m", "shoal", "verify", str(folder / "release"), "--original", str(original)],
        env={"PYTHONPATH": str(SOURCE), "COLUMNS": "200", "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def journey(steward: Steward, file: Path, secret: str, tmp_path: Path, *, seconds: int) -> None:
    """Take a table from drop to verified release, by mouse; every step is looked at."""
    steward.drawn()
    steward.drop(file)
    steward.sees("different values")
    looks.check(steward.page)
    steward.next()
    steward.sees("are unique")
    steward.role(secret, "Secret")
    looks.check(steward.page)
    steward.next()
    steward.sees("Nothing left")
    looks.check(steward.page)
    steward.next()
    steward.press("preset-hospital")
    steward.sees(f"distinct-l({secret})=3")
    looks.check(steward.page)
    steward.next()
    steward.sees("auto (recommended)")
    looks.check(steward.page)
    steward.next()
    steward.page.get_by_label("Time limit in seconds").fill(str(seconds))
    steward.page.keyboard.press("Enter")
    steward.press("start")
    steward.sees("Run 1")
    steward.wait_for_run()
    looks.check(steward.page)
    steward.next()
    steward.sees("What attacks reveal")
    looks.check(steward.page)
    steward.next()
    looks.check(steward.page)
    steward.page.get_by_role("link", name="Full report").wait_for(timeout=RUN)
    packed = steward.fetch("whole", tmp_path / "release.zip")
    assert "fail" not in verified(packed, file, tmp_path / "unzipped").lower()
    public = steward.fetch("public", tmp_path / "public.zip")
    with zipfile.ZipFile(public) as content:
        assert all("internal" not in name for name in content.namelist())
    assert steward.complaints == []
    assert {url.split("/")[2] for url in steward.requests} == {steward.served.home.split("/")[2]}


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_census_goes_from_drop_to_verified_release(
    browser: Browser, desk: Served, tmp_path: Path, size: tuple[int, int]
) -> None:
    journey(Steward.at(browser, desk, size), desk.folder / "census.csv", "occupation", tmp_path, seconds=10)


@pytest.mark.skipif(not ADULT.is_file(), reason="there is no ../shared/data beside the repository")
def test_adult_goes_from_drop_to_verified_release(browser: Browser, desk: Served, tmp_path: Path) -> None:
    journey(Steward.at(browser, desk), ADULT, "occupation", tmp_path, seconds=30)


TEN = {
    "adult": (ADULT, ["role-occupation-sensitive"], "k=5 distinct-l(occupation)=3 distinct-l(salary-class)=2"),
    "cmc": (
        DATA / "cmc" / "cmc.csv.gz",
        ["role-working-quasi", "role-exposure-quasi", "role-method-sensitive"],
        "k=5 distinct-l(method)=3",
    ),
}
"""Tables, the roles that shoal leaves open or proposes otherwise, and what a preset asks of each table."""


@pytest.mark.skipif(not ADULT.is_file(), reason="there is no ../shared/data beside the repository")
@pytest.mark.parametrize("name", TEN)
def test_ten_clicks_lead_from_a_file_to_a_download_whose_verdict_is_green(
    browser: Browser, desk: Served, tmp_path: Path, name: str
) -> None:
    """The record is opened by `playwright show-trace`; `make test-web` leaves it in build/."""
    file, roles, require = TEN[name]
    steward = Steward.at(browser, desk)
    steward.page.context.tracing.start(screenshots=True, snapshots=True)
    record = Path(os.environ.get("SHOAL_RECORDS") or tmp_path) / f"web-{name}.zip"
    keys = ["next", *roles, "step-privacy", "preset-hospital", "step-run", "start", "see", "public"]
    assert len(keys) <= 10
    try:
        steward.drawn()
        steward.drop(file)
        steward.sees("different values")
        for key in keys[:-1]:
            if key == "see":
                steward.wait_for_run()
            control = steward.page.locator(f'[data-key="{key}"]')
            control.wait_for(state="attached", timeout=3 * RUN)
            control.click(force=key.startswith("role-"))
            if key == "preset-hospital":
                steward.page.locator("#content").get_by_text(require, exact=True).first.wait_for()
                steward.page.locator('[data-key="preset-hospital"][aria-pressed=true]').wait_for()
        steward.page.locator(".verdict.good").wait_for(timeout=2 * RUN)
        steward.fetch("public", tmp_path / "public.zip")
    finally:
        steward.page.context.tracing.stop(path=record)
    assert record.stat().st_size > 100_000
    assert steward.complaints == []


def test_the_same_way_by_keyboard_alone(browser: Browser, desk: Served, tmp_path: Path) -> None:
    steward = Steward.at(browser, desk)
    page = steward.page
    steward.drawn()
    reach(page, "path")
    page.keyboard.type("census.csv")
    page.keyboard.press("Enter")
    steward.sees("different values")
    on(steward, "next", "are unique")
    reach(page, "role-occupation-quasi")
    page.keyboard.press("ArrowRight")
    steward.sees("7 columns")
    assert focus(page) == "role-occupation-sensitive", "the focus stays where it was"
    on(steward, "next", "Nothing left")
    on(steward, "next", "Start from a preset")
    reach(page, "preset-survey-5")
    page.keyboard.press("Space")
    steward.sees("Every crowd has at least 5 rows")
    reach(page, "slide-0-0")
    page.keyboard.press("ArrowRight")
    steward.sees("Every crowd has at least 6 rows")
    assert focus(page) == "slide-0-0"
    on(steward, "next", "auto (recommended)")
    on(steward, "next", "what was decided")
    reach(page, "start")
    page.keyboard.press("Enter")
    steward.wait_for_run()
    on(steward, "see", "What attacks reveal")
    on(steward, "next", "Private")
    reach(page, "whole")
    with page.expect_download() as coming:
        page.keyboard.press("Enter")
    coming.value.save_as(tmp_path / "release.zip")
    verified(tmp_path / "release.zip", desk.folder / "census.csv", tmp_path / "unzipped")


def test_every_stop_of_the_keyboard_is_to_be_seen_in_the_dark_too(browser: Browser, desk: Served) -> None:
    steward = Steward.at(browser, desk)
    steward.drawn()
    steward.page.get_by_label("name a file").fill("census.csv")
    steward.page.keyboard.press("Enter")
    steward.sees("different values")
    steward.page.emulate_media(color_scheme="dark")
    for step in STEPS[:6]:
        steward.go(step)
        looks.check(steward.page)
        assert len(looks.tab_through(steward.page)) > 8


def test_a_release_is_recorded_and_the_next_one_follows_it(browser: Browser, desk: Served) -> None:
    ills = ("flu", "gout", "cold", "asthma")
    rows = "".join(f"{100 + i},{20 + i * 23 % 61},{ills[i % 4]}\n" for i in range(60))
    (desk.folder / "march.csv").write_text(f"id,age,illness\n{rows}")
    steward = Steward.at(browser, desk)
    steward.drawn()
    reach(steward.page, "path")
    steward.page.keyboard.type("march.csv")
    steward.page.keyboard.press("Enter")
    steward.sees("different values")
    steward.go("roles")
    for column, role in (("id", "Leave out"), ("age", "May be known"), ("illness", "Secret")):
        steward.role(column, role)
    steward.go("privacy")
    steward.press("preset-survey-3")
    steward.page.get_by_label("Register of releases").fill("registry")
    steward.page.keyboard.press("Enter")
    steward.sees("Nothing is recorded there yet.")
    steward.page.get_by_label("The previous release").select_option("none")
    steward.sees("asks for m of it")
    looks.check(steward.page)
    steward.press("series")
    steward.page.locator('[data-key="series"]').wait_for(state="detached")
    steward.go("run")
    steward.press("start")
    steward.wait_for_run()
    steward.go("release")
    looks.check(steward.page)
    steward.press("record")
    steward.sees("Recorded in registry as release-1.")
    steward.page.reload()
    steward.drawn()
    steward.sees("Recorded in registry as release-1.")
    steward.go("privacy")
    steward.page.get_by_label("The previous release").select_option(label="release-1")
    steward.go("run")
    steward.sees("it follows release-1")
    steward.press("start")
    steward.sees("Run 2")
    steward.wait_for_run()
    steward.go("result")
    steward.sees("The two together reveal nothing more")
    assert steward.complaints == []


def test_whom_a_row_is_about_and_codes_for_missing_values_are_decided_among_the_roles(
    browser: Browser, desk: Served
) -> None:
    rows = "".join(f"{100 + i // 2},{'?' if i % 9 == 3 else 20 + i * 23 % 61},{i % 4}\n" for i in range(60))
    (desk.folder / "visits.csv").write_text(f"patient id,age,illness\n{rows}")
    steward = Steward.at(browser, desk)
    steward.drawn()
    reach(steward.page, "path")
    steward.page.keyboard.type("visits.csv")
    steward.page.keyboard.press("Enter")
    steward.sees("different values")
    steward.go("roles")
    steward.press("codes-age")
    steward.page.locator('[data-key="codes-age"]').wait_for(state="detached")
    assert steward.page.get_by_label("Codes for missing values of age").input_value() == "?"
    steward.press("more-patient id")
    steward.page.get_by_label("patient id also says").select_option("person")
    steward.page.locator('[data-key="role-patient id-identifier"][checked]').wait_for(state="attached")
    looks.check(steward.page)
    steward.go("privacy")
    steward.go("roles")
    assert steward.page.get_by_label("patient id also says").input_value() == "person"
    assert steward.complaints == []


def focus(page: Page) -> str:
    """Where the keyboard is."""
    return str(page.evaluate("document.activeElement.dataset.key ?? ''"))


def reach(page: Page, key: str) -> None:
    """Press Tab until a control has the focus."""
    for _ in range(200):
        if focus(page) == key:
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{key} cannot be reached by Tab")


def on(steward: Steward, key: str, seen: str) -> None:
    """Follow a link by keyboard."""
    reach(steward.page, key)
    steward.page.keyboard.press("Enter")
    steward.sees(seen)
    steward.drawn()


def test_the_pictures_of_the_docs(browser: Browser, folder: Path, tmp_path: Path) -> None:
    """Make the screenshots of docs/web.md anew, where SHOAL_FIGURES says where to; else into a temporary folder."""
    from shoal.studies.synth import write_census

    write_census(folder / "census.csv", 2000, seed=1)
    target = Path(os.environ.get("SHOAL_FIGURES") or tmp_path)
    with served(folder, tmp_path / "state") as desk:
        steward = Steward.at(browser, desk, (1100, 760))
        journey(steward, folder / "census.csv", "occupation", tmp_path, seconds=20)
        for step in ("roles", "privacy", "result"):
            steward.go(step)
            if step == "roles":
                steward.page.evaluate("document.querySelector('.alone').scrollIntoView()")
            steward.shot(target, f"web_{step}")
        steward.go("hierarchies")
        steward.press("values")
        steward.page.locator('[data-key="use-cuts"]').scroll_into_view_if_needed()
        steward.shot(target, "web_hierarchies")
        steward.go("run")
        steward.page.locator("svg.chart").scroll_into_view_if_needed()
        steward.shot(target, "web_run")
        small = Steward.at(browser, desk, PHONE)
        small.go("privacy")
        small.shot(target, "web_phone")
    assert (target / "web_roles.png").stat().st_size < 200_000
