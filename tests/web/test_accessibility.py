"""axe-core finds nothing serious: in all steps and beside them, light and dark, at a desk and on a phone."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.web.browser import DESKTOP, PHONE, Steward
from tests.web.server import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.web
STEPS = ("data", "roles", "hierarchies", "privacy", "method", "run", "result", "release", "check", "nowhere")
PACKAGE = "axe_playwright_python"
"""The package that brings axe-core along."""
RUN_AXE = """
async () => (await axe.run(document, { resultTypes: ["violations"] })).violations
  .filter((one) => ["serious", "critical"].includes(one.impact))
  .map((one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 200)).slice(0, 3).join(" | ")}`)
"""


def axe() -> str:
    """The script of axe-core, or skip and say what is missing."""
    found = find_spec(PACKAGE)
    if found is None or found.origin is None:
        pytest.skip(f"the package {PACKAGE} is not installed: make test-web")
    return next(Path(found.origin).parent.glob("axe*.js")).read_text(encoding="utf-8")


def findings(page: Page, script: str) -> list[str]:
    """What axe-core calls serious or critical on what is shown."""
    page.evaluate(script)
    return [str(one) for one in page.evaluate(RUN_AXE)]


def prepared(browser: Browser, desk: Served) -> Steward:
    """A steward with a small release, and values of a column shown."""
    rows = "".join(f"{20 + n * 23 % 31},{'abc'[n % 3]},{'xyz'[n % 3]}\n" for n in range(60))
    (desk.folder / "small.csv").write_text(f"age,town,illness\n{rows}")
    steward = Steward.at(browser, desk)
    steward.drawn()
    steward.page.locator("#path").fill("small.csv")
    steward.page.keyboard.press("Enter")
    steward.sees("different values")
    steward.go("roles")
    for column, role in (("age", "May be known"), ("town", "May be known"), ("illness", "Secret")):
        steward.role(column, role)
    steward.go("privacy")
    steward.press("preset-survey-3")
    steward.page.locator('[data-key="preset-survey-3"][aria-pressed=true]').wait_for()
    steward.go("run")
    steward.press("start")
    steward.wait_for_run()
    return steward


def test_axe_finds_nothing_serious(browser: Browser, desk: Served) -> None:
    script, steward = axe(), prepared(browser, desk)
    found = {}
    for width, height in (DESKTOP, PHONE):
        steward.page.set_viewport_size({"width": width, "height": height})
        for step in STEPS:
            steward.page.goto(f"{desk.home}/{step}")
            if step != "nowhere":
                steward.drawn()
            if step == "result":
                steward.page.get_by_text("What attacks reveal").wait_for()
            if step == "hierarchies":
                steward.press("values")
                steward.page.locator("[data-key=use-cuts]").wait_for()
            for theme in ("light", "dark"):
                steward.page.emulate_media(color_scheme="light" if theme == "light" else "dark")
                said = findings(steward.page, script)
                if said:
                    found[step, width, theme] = said
    assert found == {}


def test_roles_differ_by_colour_and_by_sign(browser: Browser, desk: Served) -> None:
    steward = Steward.at(browser, desk)
    steward.drawn()
    steward.page.locator("#path").fill("census.csv")
    steward.page.keyboard.press("Enter")
    steward.sees("different values")
    steward.go("roles")
    steward.page.locator("#columns").wait_for()
    for theme in ("light", "dark"):
        steward.page.emulate_media(color_scheme="light" if theme == "light" else "dark")
        looks = steward.page.evaluate(
            """() => [...document.querySelectorAll(".meanings strong")].map((one) => {
              const sign = getComputedStyle(one, "::before");
              return [sign.content, sign.color];
            })"""
        )
        signs, colours = zip(*looks, strict=True)
        assert len(looks) == len(set(signs)) == len(set(colours)) == 5
