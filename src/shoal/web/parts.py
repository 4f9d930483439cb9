"""The few controls that all steps are made of: plain HTML elements, so that keyboards and screen readers know them.

Text is always text: an element shows what it is given letter by letter, and only `drawn` takes markup, which is made by
`shoal.core.markup` and has everything escaped. Every control has a label, and a key by which it keeps the focus.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from nicegui import ui
from nicegui.element import Element

from shoal.core.markup import Content, Markup, table
from shoal.web.events import Heard, hear
from shoal.web.language import t, upper_first
from shoal.web.theme import fishes

LOST = t("The upload failed.")
LARGE = t("This file is too large to upload. Name its path instead, below or with `shoal serve FILE`.")


def part(tag: str, text: str | None = None, /, class_: str = "", **attributes: Any) -> Element:
    """Return an element; `aria_label` is aria-label, `for_` is for, True an empty attribute, None leaves one out."""
    element = Element(tag)
    if text is not None:
        element._text = str(text)
    if class_:
        element.classes(class_)
    for key, value in attributes.items():
        if value is not None and value is not False:
            element._props[key.rstrip("_").replace("_", "-")] = (
                "" if value is True else str(value) if isinstance(value, str) else value
            )
    return element


def heading(text: str, level: int = 2) -> Element:
    """Return a heading."""
    return part(f"h{level}", text)


def sentence(said: str) -> str:
    """Return words as a sentence.

    >>> sentence("choose a table")
    'Choose a table.'
    """
    return f"{upper_first(said)}."


def text(said: str, class_: str = "") -> Element:
    """Return a paragraph."""
    return part("p", said, class_)


def drawn(markup: Markup, class_: str = "") -> Element:
    """Return markup: a picture or a table that `shoal.core.markup` made."""
    return ui.html(markup, sanitize=False).classes(class_)


def drawn_row(cells: Markup, key: str) -> Element:
    """Return a row of a table from markup of its cells; it is drawn anew by itself."""
    row = ui.html(cells, sanitize=False, tag="tr")
    row._props["data-key"] = f"row-{key}"
    return row


def grid(
    headings: Sequence[Content], rows: Iterable[Sequence[Content]], *, numbers: Iterable[int] = (), about: str
) -> Element:
    """Return a table that scrolls by itself where the page is narrow; `about` says what it holds."""
    box = drawn(table(headings, rows, numbers=numbers), "scroll")
    box._props.update({"tabindex": "0", "role": "region", "aria-label": str(about)})
    return box


def button(
    said: str, heard: Callable[[], Any] | None, *, key: str, kind: str = "", off: bool = False, **more: Any
) -> Element:
    """Return a button; `kind` is main, small or plain."""
    made = part("button", said, f"button {kind}", type="button", data_key=key, disabled=off or None, **more)
    return made if heard is None else hear(made, key, "press", lambda _: heard())


def link(said: str, target: str, *, key: str, kind: str = "", **more: Any) -> Element:
    """Return a link that looks like a button."""
    return part("a", said, f"button {kind}", href=target, data_key=key, **more)


def field(label: str, key: str, help: str = "") -> Element:
    """Return a box for one control, with its label, and a line that helps."""
    box = part("div", class_="field")
    with box:
        part("label", label, for_=key)
        if help:
            part("span", help, "help", id=f"{key}-help")
    return box


def _named(key: str, help: str) -> dict[str, Any]:
    return {"id": key, "data_key": key, "aria_describedby": f"{key}-help" if help else None}


def written(label: str, value: str, heard: Heard, *, key: str, help: str = "", **more: Any) -> Element:
    """Return a field of text; what is in it is heard when it is left, or Enter is pressed."""
    with field(label, key, help):
        made = part(
            "input", type="text", value=value, autocomplete="off", spellcheck="false", **_named(key, help), **more
        )
        return hear(made, key, "value", heard)


def chosen(label: str, options: Mapping[str, str], value: str, heard: Heard, *, key: str, help: str = "") -> Element:
    """Return a list to choose from; `options` are values and what is said of each."""
    with field(label, key, help), part("select", value=value, **_named(key, help)) as made:
        for option, said in options.items():
            part("option", said, value=option, selected=option == value or None)
    return hear(made, key, "value", heard)


def dropped(
    label: str, said: str, target: str, refused: Heard, *, key: str, limit: int, more: str = "", accept: str = ""
) -> None:
    """Show a place to drop a file, or to choose one; it is sent to `target`, then `refused` hears why, or nothing.

    A file of more than `limit` bytes is not sent at all.
    """
    with part(
        "label", class_="drop", data_url=target, data_more=more, data_limit=limit, data_large=LARGE, data_lost=LOST
    ):
        part("strong", label)
        part("span", said, "faint")
        hear(part("input", type="file", aria_label=label, accept=accept or None), key, "file", refused)
        part("progress", max="1", value="0", hidden=True, aria_label=t("Progress of the upload"))


def slider(
    label: str,
    low: float,
    high: float,
    step: float,
    value: float,
    heard: Heard,
    *,
    key: str,
    pattern: str = "%",
    stops: Sequence[object] = (),
    help: str = "",
) -> Element:
    """Return a slider; it says its value in `pattern` while it moves, and is heard when it rests.

    With `stops` it moves over their places, and says the stop.
    """
    with field(label, key, help):
        now = str(stops[int(value)]) if stops else f"{value:g}"
        part("output", pattern.replace("%", now), id=f"{key}-said", for_=key)
        bounds: dict[str, Any] = {"min": f"{low:g}", "max": f"{high:g}", "step": f"{step:g}", "value": f"{value:g}"}
        spoken: dict[str, Any] = {
            "data_says": f"{key}-said",
            "data_pattern": pattern,
            "aria_valuetext": pattern.replace("%", now),
        }
        listed = " ".join(map(str, stops)) or None
        made = part("input", type="range", data_stops=listed, **bounds, **_named(key, help), **spoken)
        return hear(made, key, "value", heard)


def message(said: str, kind: str = "") -> Element:
    """Return a message in place; `kind` is bad or warn. What is bad is read out at once."""
    box = part("div", class_=f"message {kind}", role="alert" if kind == "bad" else "status")
    with box:
        part("p", said)
    return box


def lacking(said: str, way: str, target: str, *, key: str, alone: bool = True) -> None:
    """Say what has to be done first, and show the way there; `alone` where the page has nothing else to show."""
    with part("div", class_="lacking empty" if alone else "lacking", role="status"):
        if alone:
            drawn(fishes(class_="fishes"))
        part("p", said)
        link(way, target, key=key, kind="main" if alone else "small")


def number(value: str, said: str) -> Element:
    """Return a card with one number and what it is."""
    with part("div", class_="card number") as box:
        part("strong", value)
        part("span", said)
    return box


def legend(**words: str) -> None:
    """Say what the colours of a picture mean: for each kind, in words."""
    with part("div", class_="key"):
        for kind, said in words.items():
            with part("span"):
                part("i", class_=kind)
                part("span", said)


def code(content: str, *, key: str, about: str) -> None:
    """Show a text to copy."""
    part("pre", content, id=key, tabindex="0", role="region", aria_label=about)
    button(
        t("Copy"),
        None,
        key=f"{key}-copy",
        kind="small",
        data_copies=key,
        data_copied=t("Copied"),
        aria_label=t("Copy {about}", about=about),
    )
