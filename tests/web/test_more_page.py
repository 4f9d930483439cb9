"""What the command line has, on the page: a configuration taken and saved, rare settings, a release that is checked."""

from __future__ import annotations

import json
import tomllib
import zipfile
from typing import TYPE_CHECKING

import pytest
from tests.web import looks
from tests.web.browser import RUN, Steward
from tests.web.server import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.web
CONFIG = """
[roles]
quasi = ["age"]
sensitive = ["illness"]
leave_out = ["id"]

[privacy]
require = "k=3 distinct-l(illness)=2"
"""


def opened(browser: Browser, desk: Served) -> Steward:
    """A steward with a small table whose decisions come from a shoal.toml that is dropped."""
    ills = ("flu", "gout", "cold")
    rows = "".join(f"{100 + n},{20 + n * 23 % 31},{ills[n % 3]}\n" for n in range(60))
    (desk.folder / "march.csv").write_text(f"id,age,illness\n{rows}")
    (desk.folder / "shoal.toml").write_text(CONFIG)
    steward = Steward.at(browser, desk)
    steward.drawn()
    steward.page.locator("#path").fill("march.csv")
    steward.page.keyboard.press("Enter")
    steward.sees("different values")
    steward.press("load")
    steward.page.locator('[data-key="config"]').set_input_files(desk.folder / "shoal.toml")
    steward.page.locator(".steps").get_by_text("crowds of 3, secrets").wait_for()
    return steward


def test_decisions_are_taken_from_a_configuration_and_saved_as_one(browser: Browser, desk: Served) -> None:
    steward = opened(browser, desk)
    steward.go("method")
    steward.press("more-method")
    for key, value in (("max_suppressed", "0.05"), ("coarsen", "age=1"), ("attribute_weights", "age=2")):
        steward.page.locator(f"#{key}").fill(value)
        steward.page.keyboard.press("Enter")
        steward.page.wait_for_function("Number(document.getElementById('ear').dataset.heard) >= number")
    steward.page.locator("#coarsen").fill("nonsense")
    steward.page.keyboard.press("Enter")
    steward.page.get_by_role("alert").filter(has_text="coarsen").wait_for()
    looks.check(steward.page)
    steward.go("run")
    steward.press("more-run")
    steward.page.locator("#format").select_option("parquet")
    steward.page.locator("#seed").fill("7")
    steward.page.keyboard.press("Enter")
    steward.page.wait_for_function("Number(document.getElementById('ear').dataset.heard) >= number")
    looks.check(steward.page)
    saved = tomllib.loads(steward.fetch("save-toml", desk.folder / "saved.toml").read_text())
    assert saved["data"]["file"] == "march.csv"
    assert saved["privacy"] == {"require": "k=3 distinct-l(illness)=2", "max_suppressed": "0.05"}
    assert saved["method"] == {"coarsen": "age=1", "seed": 7}
    assert saved["output"]["format"] == "parquet"
    assert steward.complaints == []


def test_a_release_that_exists_is_checked_beside_the_steps(browser: Browser, desk: Served) -> None:
    steward = opened(browser, desk)
    steward.go("run")
    steward.press("start")
    steward.wait_for_run()
    steward.go("release")
    with zipfile.ZipFile(steward.fetch("whole", desk.folder / "march.zip")) as content:
        content.extractall(desk.folder)
    steward.press("to-check")
    steward.drawn()
    looks.check(steward.page)
    steward.page.locator("#path").fill("release")
    steward.press("known")
    steward.page.locator("#original").fill("march.csv")
    steward.page.keyboard.press("Enter")
    steward.press("check")
    steward.page.get_by_text("Everything that was checked holds").wait_for(timeout=RUN)
    steward.sees("What attacks reveal")
    looks.check(steward.page)
    certificate = desk.folder / "release" / "public" / "certificate.json"
    said = json.loads(certificate.read_text())
    certificate.write_text(json.dumps({**said, "rows": said["rows"] + 1}))
    steward.press("check")
    steward.page.get_by_text("Do not rely on it").wait_for(timeout=RUN)
    steward.page.locator("#path").fill("nothing")
    steward.press("check")
    steward.page.get_by_role("alert").filter(has_text="no such file").wait_for()
    assert steward.complaints == []


def test_methods_are_compared_and_the_cheapest_is_taken(browser: Browser, desk: Served) -> None:
    steward = opened(browser, desk)
    steward.go("method")
    steward.page.locator("#seconds").select_option("5")
    steward.press("compare")
    steward.page.locator('[data-key="use-best"]').wait_for(timeout=RUN)
    steward.press("use-best")
    steward.page.locator('[data-key="use-best"][disabled]').wait_for(state="attached")
    looks.check(steward.page)


def test_the_lattice_is_looked_at_and_a_click_takes_a_node(browser: Browser, desk: Served) -> None:
    steward = opened(browser, desk)
    steward.go("method")
    steward.page.locator('[data-key="recoding-full-domain"]').check()
    steward.press("look-lattice")
    use = steward.page.locator('button[data-key^="use-"]').first
    use.wait_for(timeout=RUN)
    levels = str(use.get_attribute("data-key")).removeprefix("use-")
    steward.page.locator(f'circle[data-key="node-{levels}"]').click()
    steward.page.locator(f'[data-key="use-{levels}"][disabled]').wait_for(state="attached")
    looks.check(steward.page)
    steward.press("more-method")
    said = steward.page.locator("#levels").input_value()
    assert [pair.split("=")[1] for pair in said.split(", ")] == levels.split(" ")
    assert steward.complaints == []
