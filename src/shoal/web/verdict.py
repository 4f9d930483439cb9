"""How a verdict is shown: what is safe, what is not, and a button for each point."""

from __future__ import annotations

from shoal.web.desk.verdict import Finding, Verdict
from shoal.web.language import t
from shoal.web.page import Page
from shoal.web.parts import button, link, part

SIGNS = {"good": ("✓", t("Safe")), "bad": ("!", t("Not safe")), "note": ("i", t("Note"))}
"""The sign of a finding, and what it says to who does not see it."""


def show_verdict(page: Page, found: Verdict) -> None:
    """Show the verdict above everything else."""
    with part("section", class_=f"verdict {found.kind}", aria_label=t("Verdict")):
        part("h2", found.title)
        with part("ul"):
            for place, one in enumerate(found.findings):
                _finding(page, place, one)


def _finding(page: Page, place: int, one: Finding) -> None:
    sign, said = SIGNS[one.kind]
    with part("li", class_=one.kind):
        part("span", sign, "sign", aria_hidden="true")
        with part("div"):
            part("span", f"{said}: ", "unseen")
            part("span", one.said)
            if one.parts:
                decide = lambda: page.change(**one.parts)  # noqa: E731
                button(one.label, decide, key=f"verdict-{place}", kind="small")
            elif one.target:
                link(one.label, one.target, key=f"verdict-{place}", kind="small")
