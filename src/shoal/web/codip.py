"""CODIP: a release for each secret instead of one for all, and what whoever joins them learns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.core.number_format import counted, number
from shoal.request import LEFT_OUT
from shoal.web.desk import Desk, Draft, Run
from shoal.web.job_state import JobState, stop_button, wait_for
from shoal.web.page import Page
from shoal.web.parts import button, chosen, grid, heading, link, message, part, text

KIND = "codip"
LEAD = (
    "Hiding all secrets in the same crowds is costly. CODIP makes one release for each group of related secrets, so"
    " that each loses less. Whoever has several of them can join them: what they then learn is measured."
)


def look_codip(desk: Desk, run: Run) -> JobState | None:
    """Return the latest releases by CODIP for what a run asked for."""
    return JobState.latest([one for one in desk.runs.all(KIND) if one.draft == run.draft])


def ask_codip(page: Page, draft: Draft, found: JobState | None) -> None:
    """Offer a release for each secret, where there are several; show what came of it."""
    secrets = len(draft.named("sensitive"))
    if secrets < 2:
        return
    heading("What if each secret had a release of its own?")
    text(LEAD, "faint")
    if draft.registry:
        text(f"This run has a register, and CODIP takes none: {LEFT_OUT[KIND]['registry']}.")
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
    sizes = {str(size): counted(size, "secret") for size in range(1, secrets)}
    largest = picked if picked in sizes else "1"
    if len(sizes) > 1:
        help = "Those that have most in common go together."
        heard = lambda value: page.pick(largest=value)  # noqa: E731
        chosen("In one release at most", sizes, largest, heard, key="largest", help=help)
    button("Make a release for each", lambda: page.attempt(page.desk.codip, draft, largest), key=KIND)


def _made(found: JobState) -> None:
    """Show the releases, what they give away joined, and the downloads."""
    rows = found.found["releases"]
    grid(tuple(rows[0]), [tuple(row.values()) for row in rows], numbers=(3, 4, 5), about="Releases by CODIP")
    joined: Mapping[str, Any] = found.found["joined"]
    smallest = counted(joined["smallest_class"], "person", "people")
    text(f"Whoever joins all of them has {counted(joined['classes'], 'crowd')}, the smallest of {smallest}.")
    for one in joined["findings"]:
        said = f"{one['model']}: the releases joined reach {number(one['reached'])}"
        message(f"{said}." if one["holds"] else f"{said}. They do not meet it.", "" if one["holds"] else "warn")
    with part("div", class_="buttons"):
        for name in ("public.zip", "release.zip"):
            link(f"Download {name}", f"/fetch/{found.id}/{name}", key=f"codip-{name}", download=f"codip-{name}")
    text("public.zip is safe to share; release.zip has a folder for each release, with its private part.", "faint")
