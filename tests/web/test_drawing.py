"""What the page is made of, without a page: outlines, pictures, and which keys a click is heard by."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nicegui import Client, ui
from nicegui.element import Element

from shoal.core.errors import HierarchyError, ShoalError
from shoal.web import page
from shoal.web.desk import Draft
from shoal.web.desk.jobs import Point
from shoal.web.outline import MISSING, ROOT, outlined, read_outline
from shoal.web.parts import part
from shoal.web.patch import LIVE, patch
from shoal.web.pictures import approach, curve
from shoal.web.privacy import Asked, changed_at

BROKEN = "Something went wrong inside shoal (ValueError). Nothing was lost; the terminal shows where."
NAMES = st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=6).filter(lambda name: name != MISSING)
LEAVES = NAMES | st.none()
TREES = st.lists(
    st.recursive(
        LEAVES, lambda below: st.dictionaries(NAMES, st.lists(below, min_size=1, max_size=3), min_size=1, max_size=1)
    ),
    min_size=1,
    max_size=4,
)


@given(TREES)
def test_an_outline_reads_back_as_the_tree_it_was_written_from(nodes: list[object]) -> None:
    assert read_outline(outlined({ROOT: nodes})) == {ROOT: nodes}


@pytest.mark.parametrize("text", ["", "  \n", "    a\n  b", "a\n    b\n  c"])
def test_an_outline_that_is_none_is_refused_in_words(text: str) -> None:
    with pytest.raises(HierarchyError, match=r"outline|indent"):
        read_outline(text)


def test_the_picture_of_a_run_says_where_cost_and_bound_are() -> None:
    points = [
        Point(0, 0, "reading"),
        Point(1, 0.2, "x", 90.0, None),
        Point(2, 0.4, "x", 80.0, 60.0),
        Point(9, 1, "x", 75.0, 70.0),
    ]
    drawn = approach(points)
    assert "cost 75, at least 70 is needed" in drawn
    assert drawn.count("<polyline") == 2
    assert "one bound" not in approach(points[:2])
    assert approach(points[:1]) == ""


def test_numbers_of_a_picture_have_thousands_and_the_axis_says_where_it_begins() -> None:
    drawn = approach([Point(0, 0, "x", 22400.0, 20000.0), Point(3, 1, "x", 22399.0, 21000.0)])
    assert "e+" not in drawn
    assert "22,760" in drawn
    assert "cost (the axis begins at 19,640)" in drawn
    assert "begins" not in curve([(2, 10.0, None)], 2, title="", unit="k")


def test_the_curve_over_sizes_leaves_out_what_is_not_known() -> None:
    drawn = curve([(2, 10.0, None), (5, None, None), (9, 20.0, 15.0)], 5, title="a < b", unit="k")
    assert "a &lt; b" in drawn
    assert curve([(2, None, None)], 2, title="", unit="k") == ""


def test_a_requirement_is_changed_by_its_place_and_no_other_in_its_place() -> None:
    draft = Draft().changed(require=["k=5", "l(ill)=2"])
    drawn = Asked.of("k=5")
    assert changed_at(draft.changed(require=["k=6", "l(ill)=2"]), 0, drawn, "k=7") == ["k=7", "l(ill)=2"]
    assert changed_at(draft.changed(require=["l(ill)=2"]), 0, drawn, "k=7") == ["l(ill)=2"]
    assert changed_at(draft, 5, drawn, "k=7") == ["k=5", "l(ill)=2"]


@pytest.fixture
def box() -> Element:
    """A box on a page that nobody has open."""
    with Client(ui.page("/none")):
        return part("section")


def said(box: Element) -> list[tuple[str, str]]:
    """What a box says, and in which role."""
    found = [(str(one._props.get("role", "")), one._text or "") for one in box.descendants()]
    return [one for one in found if any(one)]


@pytest.mark.parametrize("wrong", [ShoalError("no such thing"), ValueError("a cell")])
def test_what_goes_wrong_in_looking_or_drawing_is_said_in_place(
    wrong: Exception, box: Element, capsys: pytest.CaptureFixture[str]
) -> None:
    def draw(found: object) -> None:
        part("p", "half of it")
        raise wrong

    words = "no such thing" if isinstance(wrong, ShoalError) else BROKEN
    for found in ("found", wrong):
        page.show(box, draw, found)
        assert said(box) == [("alert", ""), ("", words)]
    assert "a cell" not in capsys.readouterr().err


def test_a_look_that_fails_is_told_and_not_tried_again(box: Element, monkeypatch: pytest.MonkeyPatch) -> None:
    async def at_once(work: Any, *given: Any) -> Any:
        return work(*given)

    def look() -> None:
        looked.append(1)
        raise ShoalError("the table is gone")

    looked: list[int] = []
    monkeypatch.setattr("nicegui.run.io_bound", at_once)
    live = page.Live(box, look, lambda _: None)
    for _ in range(2):
        asyncio.run(live.again())
    assert said(box) == [("alert", ""), ("", "the table is gone")]
    assert len(looked) == 1


def bold(found: object) -> None:
    part("b", str(found))


def test_what_is_the_same_stays_and_only_what_differs_is_changed(box: Element) -> None:
    def drawn(*keys: str, more: str = "") -> dict[str, int]:
        def draw() -> None:
            part("p", more or "unchanged")
            for key in keys:
                with part("div", class_="card"):
                    part("h3", key)
                    part("button", f"Remove {key}", data_key=key)
            part("div", **{LIVE: "0"})

        patch(box, draw)
        return {str(one._props.get("data-key") or one.tag): one.id for one in box.descendants()}

    first = drawn("k", "l", "t")
    live = box.client.elements[first["div"]]
    page.show(live, bold, 7)
    assert [one._text for one in live.descendants()] == ["7"]
    assert drawn("k", "l", "t") == {**first, "b": live.default_slot.children[0].id}
    changed = drawn("k", "t", more="other")
    assert [changed[key] for key in ("k", "t", "p")] == [first[key] for key in ("k", "t", "p")]
    assert "l" not in changed
    assert first["l"] not in box.client.elements
    assert [one._text for one in live.descendants()] == ["7"], "what is drawn by itself is left alone"
    assert drawn("x")["x"] not in first.values(), "a control never becomes another one in place"
    numbers = {one.id for one in box.descendants(include_self=True)}
    assert {number for number in box.client.elements if number >= box.id} == numbers, "nothing is left behind"
