"""CODIP: a release for each secret instead of one for all, and what whoever joins them learns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.request import LEFT_OUT
from shoal.web.desk import Desk, Draft, Run
from shoal.web.job_state import JobState, stop_button, wait_for
from shoal.web.language import known, level, t
from shoal.web.page import Page
from shoal.web.parts import button, chosen, grid, heading, link, message, part, text

KIND = "codip"
LEAD = t(
    "Hiding all secrets in the same crowds is costly. CODIP makes one release for each group"
    " of related secrets, so that each loses less. Whoever has several of them can join them:"
    " what they then learn is measured."
)


def look_codip(desk: Desk, run: Run) -> JobState | None:
    """Return the latest releases by CODIP for what a run asked for."""
    return JobState.latest([one for one in desk.runs.all(KIND) if one.draft == run.draft])


def ask_codip(page: Page, draft: Draft, found: JobState | None) -> None:
    """Offer a release for each secret, where there are several; show what came of it."""
    secrets = len(draft.named("sensitive"))
    if secrets < 2:
        return
    heading(t("What if each secret had a release of its own?"))
    text(LEAD, "faint")
    if draft.registry:
        text(
            t(
                "This run uses a register, which CODIP does not support: {registry}.",
                registry=LEFT_OUT[KIND]["registry"],
            )
        )
    elif found is not None and not found.refused and not found.found:
        wait_for(page, found.id)
        stop_button(page, found.id, key="stop-codip")
    else:
        if found is not None and found.refused:
            message(found.refused, "bad")
        elif found is not None:
            _made(found)
        _start(page, draft, secrets)


def _start(page: Page, draft: Draft, secrets: int) -> None:
    """Offer how many secrets a release may have, and the button."""
    picked = page.picks.get("largest", "1")
    sizes = {str(size): t("{n} secret|{n} secrets", n=size) for size in range(1, secrets)}
    largest = picked if picked in sizes else "1"
    if len(sizes) > 1:
        help = t("Those that have most in common go together.")
        heard = lambda value: page.pick(largest=value)  # noqa: E731
        chosen(t("At most in one release"), sizes, largest, heard, key="largest", help=help)
    button(t("Make a release for each"), lambda: page.attempt(page.desk.codip, draft, largest), key=KIND)


def _made(found: JobState) -> None:
    """Show the releases, what they give away joined, and the downloads."""
    rows = found.found["releases"]
    grid(
        tuple(map(known, rows[0])),
        [tuple(row.values()) for row in rows],
        numbers=(3, 4, 5),
        about=t("Releases by CODIP"),
    )
    joined: Mapping[str, Any] = found.found["joined"]
    smallest = t("{n} person|{n} people", n=joined["smallest_class"])
    text(
        t(
            "Joining all of them gives {classes}, the smallest of {smallest}.",
            classes=t("{n} crowd|{n} crowds", n=joined["classes"]),
            smallest=smallest,
        )
    )
    for one in joined["findings"]:
        said = t("{model}: the releases joined reach {reached}", model=one["model"], reached=level(one["reached"]))
        message(
            f"{said}." if one["holds"] else t("{said}. They do not meet it.", said=said), "" if one["holds"] else "warn"
        )
    with part("div", class_="buttons"):
        for name in ("public.zip", "release.zip"):
            link(
                t("Download {name}", name=name),
                f"/fetch/{found.id}/{name}",
                key=f"codip-{name}",
                download=f"codip-{name}",
            )
    text(t("public.zip is safe to share; release.zip has a folder for each release, with its private part."), "faint")
