"""Nothing that is pressed is lost, however fast, by mouse or keys, while another tab makes the page draw anew."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.web import looks
from tests.web.browser import Steward
from tests.web.server import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.web
COLUMNS = [f"answer_{place}" for place in range(30)]
ROLES = ("quasi", "sensitive", "identifier", "leave_out", "other")


def decided(desk: Served) -> dict[str, Any]:
    """What the desk has on disk."""
    history = json.loads((desk.desk / "desk.json").read_text())["history"]
    found: dict[str, Any] = history["drafts"][history["at"]]
    return found


def settled(steward: Steward) -> None:
    """Wait until the page shows what came of the last click."""
    steward.page.wait_for_function("Number(document.getElementById('ear').dataset.heard) >= number")


def opened(browser: Browser, desk: Served) -> Steward:
    """A steward with a table of many columns, at the step Roles."""
    rows = "".join(",".join(str((row * (place + 3)) % 7) for place in range(30)) + "\n" for row in range(40))
    (desk.folder / "wide.csv").write_text(",".join(COLUMNS) + "\n" + rows)
    steward = Steward.at(browser, desk)
    steward.drawn()
    steward.page.locator("#path").fill("wide.csv")
    steward.page.keyboard.press("Enter")
    steward.sees("different values")
    steward.go("roles")
    return steward


def test_a_click_between_whose_press_and_release_the_page_is_drawn_is_not_lost(browser: Browser, desk: Served) -> None:
    steward = opened(browser, desk)
    other = Steward(steward.page.context.new_page(), desk)
    other.go("roles")
    other.press(f"more-{COLUMNS[-1]}")
    other.page.locator(f'[data-key="missing-{COLUMNS[-1]}"]').wait_for()
    steward.page.bring_to_front()
    wanted = {}
    for place, column in enumerate(COLUMNS):
        role = ROLES[(place * 3 + 1) % 5]
        wanted[column] = role
        control = steward.page.locator(f'[data-key="role-{column}-{role}"]')
        settled(steward)
        control.scroll_into_view_if_needed()
        box = control.bounding_box()
        assert box is not None
        steward.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        steward.page.mouse.down()
        if place % 4 == 0:  # what it says above the columns comes and goes, and everything moves
            missing = other.page.locator(f'[data-key="missing-{COLUMNS[-1]}"]')
            missing.evaluate(
                "(one, said) => { one.value = said; one.dispatchEvent(new Event('change', { bubbles: true })); }",
                "3" if place % 8 else "",
            )
            settled(other)
            steward.page.wait_for_timeout(1300)  # this tab sees it within a second
        steward.page.mouse.up()
    settled(steward)
    assert {name: role for name, role in decided(desk)["roles"].items() if name in wanted} == wanted
    assert steward.complaints == []


def test_clicks_as_fast_as_they_come_are_all_heard(browser: Browser, desk: Served) -> None:
    steward = opened(browser, desk)
    wanted = {column: ROLES[place % 5] for place, column in enumerate(COLUMNS)}
    for _ in range(4):
        wanted = {column: ROLES[(ROLES.index(role) + 2) % 5] for column, role in wanted.items()}
        for column, role in wanted.items():
            steward.page.locator(f'[data-key="role-{column}-{role}"]').click(no_wait_after=True, force=True)
    settled(steward)
    assert decided(desk)["roles"] == wanted
    steward.press("undo")
    steward.page.get_by_text("Undone. Now: Roles: the roles of").wait_for()


def test_keys_on_a_slider_are_all_heard_and_undone_together(browser: Browser, desk: Served) -> None:
    steward = opened(browser, desk)
    steward.page.locator(f'[data-key="role-{COLUMNS[0]}-quasi"]').check(force=True)
    steward.go("privacy")
    steward.press("preset-survey-5")
    slider = steward.page.locator("#slide-0-0")
    slider.wait_for()
    slider.focus()
    for _ in range(10):
        steward.page.keyboard.press("ArrowRight")
        steward.page.wait_for_timeout(50)
    settled(steward)
    assert decided(desk)["require"] == ["k=15"]
    steward.sees("Every crowd has at least 15 rows")
    assert slider.input_value() == "15"
    assert steward.page.evaluate("document.activeElement.id") == "slide-0-0"
    steward.press("undo")
    steward.sees("Undone. Now: Privacy: k=5 instead of k=15.")
    settled(steward)
    assert slider.input_value() == "5"


def test_presses_on_recodings_and_methods_are_all_heard(browser: Browser, desk: Served) -> None:
    steward = opened(browser, desk)
    steward.page.locator(f'[data-key="role-{COLUMNS[0]}-quasi"]').check(force=True)
    steward.go("privacy")
    steward.press("preset-survey-3")
    steward.go("method")
    for name in ("suppress", "range", "", "full-domain", "generalize"):
        steward.page.locator(f'[data-key="recoding-{name}"]').click()
    steward.page.locator('[data-key="method-mondrian"]').click()
    settled(steward)
    found = decided(desk)
    assert (found["recoding"], found["method"]) == ("generalize", "mondrian")


def test_many_columns_get_a_role_by_keys_and_by_one_press(browser: Browser, desk: Served) -> None:
    steward = opened(browser, desk)
    steward.page.locator(f'[data-key="select-{COLUMNS[3]}"]').focus()
    steward.page.keyboard.press("2")
    settled(steward)
    assert decided(desk)["roles"][COLUMNS[3]] == "sensitive"
    steward.page.get_by_label("Find columns").fill("answer_2")
    assert steward.page.locator("#columns tr:not(.head):not([hidden])").count() == 11
    for column in COLUMNS[20:30]:
        steward.page.locator(f'[data-key="select-{column}"]').check()
    steward.press("give-leave_out")
    settled(steward)
    assert {decided(desk)["roles"][column] for column in COLUMNS[20:30]} == {"leave_out"}
    assert steward.page.locator("#columns tr:not(.head):not([hidden])").count() == 11, "what was looked for stays"
    assert decided(desk)["roles"][COLUMNS[3]] == "sensitive"
    looks.check(steward.page)
    assert steward.complaints == []
