"""The look of the page: one style sheet and one small script, both served from here."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from shoal.core.markup import Markup, joined, tag
from shoal.web.language import SPOKEN, t

HERE = Path(__file__).parent
STYLE, SCRIPTS = HERE / "page.css", (HERE / "page.js", HERE / "editors.js")
NOWHERE = t("There is no page at this address. Your decisions are kept.")
WAYS = {
    t("The table"): "/data",
    t("Your decisions"): "/privacy",
    t("Runs"): "/run",
    t("The latest release"): "/release",
}
FISHES = ("M3 9c5-5 11-5 15 0l4-4v8l-4-4c-4 5-10 5-15 0z", "M9 22c5-5 11-5 15 0l4-4v8l-4-4c-4 5-10 5-15 0z")


def fishes(**attributes: object) -> Markup:
    """Return the sign of shoal as a picture."""
    return tag("svg", *(tag("path", d=one) for one in FISHES), viewBox="0 0 32 32", aria_hidden="true", **attributes)


ICON = fishes(xmlns="http://www.w3.org/2000/svg", fill="#0f766e")


def nowhere() -> str:
    """Return the page for an address that leads nowhere."""
    ways = joined(tag("li", tag("a", said, class_="button", href=target)) for said, target in WAYS.items())
    said = [tag("h1", t("There is no such page")), tag("p", NOWHERE, class_="lead"), tag("ul", ways)]
    name = tag("p", tag("a", "shoal", class_="name", href="/data"))
    body = tag("main", fishes(class_="fishes"), name, *said, class_="nowhere")
    top = joined([tag("title", t("No such page – shoal")), Markup(style_link())])
    return (
        f'<!doctype html><html lang="{SPOKEN.get()}"><head><meta charset="utf-8">{top}</head><body>{body}</body></html>'
    )


def first() -> str:
    """Return what is shown until the page is drawn: scripts are fetched and read meanwhile."""
    name = tag("span", "shoal", class_="name")
    waiting = tag("p", t("Opening the page …"), class_="lead")
    return tag("div", tag("div", name, class_="top"), tag("div", waiting, class_="opening"), id="first", role="status")


def style_link() -> str:
    """Return the link to the style sheet; its address changes with the file."""
    return f'<link rel="stylesheet" href="{_address(STYLE)}"><meta name="viewport" content="width=device-width">'


def _address(path: Path) -> str:
    return f"/look/{path.name}?{sha256(path.read_bytes()).hexdigest()[:16]}"


def head() -> str:
    """Return what stands in the head of every page; the addresses change with the files."""
    scripts = "".join(f'<script src="{_address(one)}" defer></script>' for one in SCRIPTS)
    return f'<link rel="stylesheet" href="{_address(STYLE)}">{scripts}'
