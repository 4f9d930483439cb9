"""Editors of a hierarchy: values dragged into groups, and cut points on a histogram; editors.js is the other half.

They show values of the column, so they are shown only if asked for. Each has a text beside it that says the same: who
likes to type, types there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shoal.web.desk.cuts import Cuts
from shoal.web.events import hear
from shoal.web.language import t
from shoal.web.parts import field, heading, part, text

DRAG = t(
    "Drag values onto a group, or click several to select them and put them into a new one. By keyboard: the arrow "
    "keys move up and down, Space selects, Alt with an arrow key moves values to another group or out of one, "
    "Enter on a group adds the selected values, F2 renames a group, Delete removes it and keeps its values."
)
CUT = t(
    "Click the picture to add a cut; drag a cut to move it. By keyboard: left and right move a cut, up and down "
    "set the highest level that it stays on, Delete removes it."
)


def edit_groups(outline: str, column: str, take: Callable[[str], Any]) -> None:
    """Show values and groups as a tree that is edited, and the same as text."""
    text(DRAG, "faint")
    with part("div", class_="line tools"):
        with field(t("Name of a group"), "group-name"):
            part("input", type="text", id="group-name", data_key="group-name", autocomplete="off")
        part("button", t("Add the selected values"), "button small", type="button", data_tree_does="group")
        part("button", t("Remove from the group"), "button small", type="button", data_tree_does="out")
    with part("div", class_="editor"):
        about = t("Groups of {column}", column=column)
        tree = {"data_tree": "outline", "data_rename": t("New name of the group"), "aria_multiselectable": "true"}
        part("div", class_="tree", role="tree", aria_label=about, **tree)
        with field(
            t("The same as text: one value on each line, indented below its group"),
            "outline",
            t("Two spaces for each level."),
        ):
            key = f"outline-{column}"
            area = part("textarea", value=outline, id="outline", data_key=key, rows="14", spellcheck="false")
            area._props["aria-describedby"] = "outline-help"
    with part("div", class_="buttons"):
        use = part("button", t("Use these groups"), "button main small", type="button", data_from="outline")
        hear(use, "use-outline", "press", take)


def edit_cuts(found: Cuts, column: str, take: Callable[[str], Any]) -> None:
    """Show the distribution of a column with its cut points, and the same as text."""
    heading(t("Cut points"), 3)
    text(CUT, "faint")
    drawn = {"data_low": found.low, "data_high": found.high, "data_heights": " ".join(map(str, found.heights))}
    said = {"data_label": t("Cut of {column}", column=column), "data_says": t("%a, up to level %l")}
    part(
        "div",
        class_="cuts",
        role="group",
        aria_label=t("Cut points of {column}", column=column),
        data_cuts="cuts",
        **drawn,
        **said,
    )
    with part("div", class_="line between faint"):
        part("span", found.low)
        part("span", t("{column}; the height is the number of rows, from 0", column=column))
        part("span", found.high)
    help = t("Levels separated by /, finest first; every cut of a level is also a cut of the finer ones.")
    with field(t("The same as text"), "cuts", help):
        key = f"cuts-{column}"
        made = part("input", type="text", value=found.text, id="cuts", data_key=key, autocomplete="off")
        made._props["aria-describedby"] = "cuts-help"
    with part("div", class_="buttons"):
        use = part("button", t("Use these cut points"), "button main small", type="button", data_from="cuts")
        hear(use, "use-cuts", "press", take)
