"""A release belongs to its decisions, its result begins with a verdict, and rows stand side by side; in a browser."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from tests.web.browser import RUN, Steward
from tests.web.server import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.web


def begun(browser: Browser, desk: Served) -> Steward:
    """A steward with a small table in which a secret is certain for some, after a run with crowds of 3."""
    rows = "".join(f"{20 + n % 20},{'ab'[n % 2]},{'flu' if n % 20 < 10 else 'gc'[n % 2]}\n" for n in range(80))
    (desk.folder / "ills.csv").write_text(f"age,town,illness\n{rows}")
    steward = Steward.at(browser, desk)
    steward.drawn()
    steward.page.locator("#path").fill("ills.csv")
    steward.page.keyboard.press("Enter")
    steward.sees("different values")
    steward.go("roles")
    for column, role in (("age", "May be known"), ("town", "May be known"), ("illness", "Secret")):
        steward.role(column, role)
    run(steward, "survey-3", 1)
    return steward


def run(steward: Steward, preset: str, number: int) -> None:
    """Ask for a preset, and run it."""
    steward.go("privacy")
    steward.press(f"preset-{preset}")
    steward.page.locator(f'[data-key="preset-{preset}"][aria-pressed=true]').wait_for()
    steward.go("run")
    steward.press("start")
    steward.sees(f"Run {number}")
    steward.wait_for_run()


def test_the_picked_run_is_the_one_that_is_handed_out_and_says_where_it_is_stale(
    browser: Browser, desk: Served
) -> None:
    steward = begun(browser, desk)
    run(steward, "survey-5", 2)
    steward.go("result")
    page = steward.page
    steward.sees("What it cost")
    page.get_by_label("Which run").select_option(index=0)
    page.wait_for_url(re.compile(r"run="))
    page.locator("[data-stale]").get_by_text("k=5 instead of k=3").wait_for()
    steward.press("step-release")
    steward.drawn()
    page.get_by_text("Download ills-k3-run1-public.zip").wait_for()
    with page.expect_download() as coming:
        steward.press("public")
    assert coming.value.suggested_filename == "ills-k3-run1-public.zip"
    steward.press("take-up")
    page.locator("[data-stale]").wait_for(state="detached")
    steward.go("privacy")
    page.locator('[data-key="preset-survey-3"][aria-pressed=true]').wait_for()
    steward.go("data")
    steward.press("another")
    page.locator("#path").fill("census.csv")
    page.keyboard.press("Enter")
    page.locator(".top").get_by_text("census.csv").wait_for()
    steward.go("release")
    steward.sees("There is no release of this table yet.")
    page.get_by_text("Runs of other tables (2)").wait_for()


def test_the_verdict_comes_first_and_its_button_asks_for_what_is_missing(browser: Browser, desk: Served) -> None:
    steward = begun(browser, desk)
    steward.go("result")
    page = steward.page
    page.get_by_role("region", name="Verdict").wait_for()
    first = page.locator("#content h2").first
    assert first.evaluate("(one) => one.closest('.verdict') !== null"), "nothing stands above the verdict"
    finding = page.locator(".verdict li.bad").filter(has_text="illness").first
    finding.wait_for(timeout=RUN)
    finding.get_by_role("button").click()
    steward.sees("was made before your latest changes")
    steward.go("privacy")
    page.locator("#content").get_by_text("distinct-l(illness)=").first.wait_for()


def test_measuring_can_be_stopped_and_what_is_known_is_kept(browser: Browser, desk: Served) -> None:
    steward = begun(browser, desk)
    steward.go("result")
    page = steward.page
    stop, ended = page.locator('[data-key="stop-measuring"]'), page.get_by_text("What attacks reveal")
    stop.or_(ended).first.wait_for()
    page.evaluate("document.querySelector('[data-key=stop-measuring]')?.click()")  # it may be measured by now
    stop.wait_for(state="detached", timeout=RUN)
    steward.sees("Who could still be found")
    steward.go("release")
    page.get_by_role("link", name="Full report").wait_for(timeout=RUN)


def test_rows_stand_side_by_side_are_ordered_and_a_person_is_looked_up(browser: Browser, desk: Served) -> None:
    steward = begun(browser, desk)
    steward.go("result")
    page = steward.page
    cells = page.get_by_role("region", name="Rows before and after")
    cells.wait_for()
    assert page.locator(".cell + .was").count() == 0, "cells of the original are shown only if they are asked for"
    steward.press("original")
    page.locator('[data-key="original"]', has_text="Hide the original").wait_for()
    page.get_by_label("Look up a person in the original").fill("age=25, town=b")
    page.keyboard.press("Enter")
    page.get_by_text("of 4 matching rows").wait_for()
    page.get_by_label("Look up a person in the original").fill("")
    page.keyboard.press("Enter")
    page.get_by_label("Order").select_option("crowd")
    page.wait_for_function("Number(document.getElementById('ear').dataset.heard) >= number")
    sizes = [int(one) for one in cells.locator("tr td:first-child").all_inner_texts()]
    assert sizes == sorted(sizes)
    page.locator('[data-key="distribution"]').select_option("age")
    page.get_by_role("region", name="age before and after").wait_for()
