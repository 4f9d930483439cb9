"""A hierarchy is edited by mouse and by keys: values into groups, cuts on a histogram; long names stay inside."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.web import looks
from tests.web.browser import DESKTOP, PHONE, Steward
from tests.web.server import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator

pytestmark = pytest.mark.web
TOWNS = ("Aarhus", "Bergen", "Cork", "Dresden", "Espoo", "Fano")
LONG = "a_column_whose_name_goes_on_and_on_" * 4


def opened(browser: Browser, desk: Served, column: str, size: tuple[int, int] = DESKTOP) -> Steward:
    """A steward who looks at the values of a column."""
    rows = "".join(f"{20 + n * 7 % 60},{TOWNS[n % 6]},{'x' * 150 + str(n % 3)}\n" for n in range(120))
    (desk.folder / "towns.csv").write_text(f"age,town,{LONG}\n{rows}")
    steward = Steward.at(browser, desk, size)
    steward.drawn()
    steward.page.locator("#path").fill("towns.csv")
    steward.page.keyboard.press("Enter")
    steward.sees("different values")
    steward.go("roles")
    for name in ("age", "town", LONG):
        steward.role(name, "May be known")
    steward.go("hierarchies")
    if column != "age":
        steward.press(f"column-{column}")
        steward.page.locator(f'[data-key="column-{column}"][aria-pressed=true]').wait_for()
    steward.press("values")
    return steward


def spec(desk: Served, column: str) -> Any:
    """What the desk has for a column; of a file, what is in it."""
    history = json.loads((desk.desk / "desk.json").read_text())["history"]
    return history["drafts"][history["at"]]["hierarchies"].get(column)


def test_values_are_dragged_into_groups(browser: Browser, desk: Served) -> None:
    steward = opened(browser, desk, "town")
    page = steward.page

    def row(name: str) -> Locator:
        return page.get_by_role("treeitem", name=name, exact=True)

    row("Aarhus").wait_for()
    for town in TOWNS[:2]:
        row(town).click()
    page.get_by_label("Name of a group").fill("North")
    page.get_by_text("Add the selected values").click()
    page.get_by_role("treeitem", name="North 2").wait_for()
    assert page.get_by_label("Name of a group").input_value() == ""
    row("Espoo").drag_to(page.get_by_role("treeitem", name="North 2"))
    page.get_by_role("treeitem", name="North 3").wait_for()
    assert "North\n  Aarhus\n  Bergen\n  Espoo" in page.locator("#outline").input_value()
    looks.check(page)
    steward.press("use-outline")
    page.locator(".levels").get_by_text("North", exact=True).wait_for()
    assert str(spec(desk, "town")).endswith("hierarchy.json")
    assert steward.complaints == []


def test_values_are_put_into_groups_by_keys_alone(browser: Browser, desk: Served) -> None:
    steward = opened(browser, desk, "town")
    page = steward.page
    page.locator("#outline").fill("South\n  Cork\nEast\n  Dresden\nAarhus\nBergen\nEspoo\nFano")
    page.get_by_role("treeitem", name="South 1").focus()
    for _ in range(4):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    assert page.locator("[aria-selected=true]").all_inner_texts() == ["Aarhus", "Bergen"]
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    assert page.locator("#outline").input_value().startswith("South\n  Cork\n  Aarhus\n  Bergen\nEast")
    page.keyboard.press("Alt+ArrowDown")
    assert "East\n  Dresden\n  Aarhus" in page.locator("#outline").input_value()
    page.keyboard.press("Alt+ArrowLeft")
    assert page.locator("#outline").input_value().endswith("\nAarhus")
    page.get_by_role("treeitem", name="East 1").focus()
    page.keyboard.press("F2")
    page.keyboard.press("Control+a")
    page.keyboard.type("Saxony")
    page.keyboard.press("Enter")
    assert "Saxony\n  Dresden" in page.locator("#outline").input_value()
    page.keyboard.press("Delete")
    assert "Saxony" not in page.locator("#outline").input_value()
    assert "\nDresden" in page.locator("#outline").input_value()
    assert steward.complaints == []


def test_numbers_are_cut_on_a_histogram_by_mouse_and_by_keys(browser: Browser, desk: Served) -> None:
    steward = opened(browser, desk, "age")
    page = steward.page
    page.locator(".cuts .cut").first.wait_for()
    page.locator("#cuts").fill("40")
    cut = page.get_by_role("slider", name="Cut of age")
    assert cut.count() == 1
    cut.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowUp"):
        page.keyboard.press(key)
    assert page.locator("#cuts").input_value() == "42 / 42"
    box = page.locator(".cuts").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * 0.8, box["y"] + box["height"] / 2)
    assert cut.count() == 2
    page.mouse.move(box["x"] + box["width"] * 0.8, box["y"] + box["height"] * 0.9)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 0.9, steps=4)
    page.mouse.up()
    fine, coarse = page.locator("#cuts").input_value().split(" / ")
    assert (fine.split(", ")[0], coarse) == ("42", "42")
    assert 50 < float(fine.split(", ")[1]) < 62
    looks.check(page)
    steward.press("use-cuts")
    page.locator(".levels").get_by_text("< 42").first.wait_for()
    assert spec(desk, "age") == {"builder": "intervals", "edges": f"{fine} / 42"}
    page.get_by_role("slider", name="Cut of age").last.focus()
    page.keyboard.press("Delete")
    assert page.locator("#cuts").input_value() == "42 / 42"
    assert steward.complaints == []


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_long_names_do_not_widen_the_page(browser: Browser, desk: Served, size: tuple[int, int]) -> None:
    steward = opened(browser, desk, LONG, size)
    steward.page.get_by_role("treeitem").first.wait_for()
    looks.check(steward.page)
    for step in ("data", "roles", "privacy", "method", "run"):
        steward.go(step)
        looks.check(steward.page)
