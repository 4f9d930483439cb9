"""A person at the page: what is done by mouse and keyboard in a real browser, in the words of the page."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.web.server import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserType, Page

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
DESKTOP, PHONE = (1280, 900), (375, 812)
PATIENCE, RUN = 120_000, 240_000
"""Milliseconds after which a page, or a run, that shows nothing has failed; no time is measured by it."""
SLICES = 8
"""How often a run that goes on is waited for: others may need the machine too."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start Chromium, or skip and say what is missing."""
    api = pytest.importorskip("playwright.sync_api", reason="the package playwright is not installed: make test-web")
    with api.sync_playwright() as playwright:
        browser = launched(playwright.chromium)
        yield browser
        browser.close()


def launched(kind: BrowserType, *arguments: str) -> Browser:
    """Launch the Chromium of the system, or playwright's own."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None and not Path(kind.executable_path).exists():
        pytest.skip("there is no Chromium: make test-web")
    return kind.launch(executable_path=found or kind.executable_path, args=["--no-sandbox", *arguments])


@dataclass(frozen=True)
class Steward:
    """Somebody who takes a table through the page; everything the browser asked for is noted."""

    page: Page
    served: Served
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    @classmethod
    def at(cls, browser: Browser, served: Served, size: tuple[int, int] = DESKTOP, **options: Any) -> Steward:
        """Open a window and bring the token."""
        width, height = size
        context = browser.new_context(viewport={"width": width, "height": height}, accept_downloads=True, **options)
        context.set_default_timeout(PATIENCE)
        steward = cls(context.new_page(), served)
        steward.page.on("request", lambda request: steward.requests.append(request.url))
        steward.page.on("websocket", lambda socket: steward.requests.append(socket.url))
        steward.page.on("console", lambda said: steward.complaints.append(said.text) if said.type == "error" else None)
        steward.page.on("pageerror", lambda error: steward.complaints.append(str(error)))
        steward.page.goto(served.address)
        return steward

    def go(self, step: str) -> None:
        """Go to a step by its link, and wait until it is drawn."""
        self.page.goto(f"{self.served.home}/{step}")
        self.drawn()

    def next(self) -> None:
        """Go on by the button at the end of the page."""
        before = self.page.url
        self.press("next")
        self.page.wait_for_url(lambda url: url != before)
        self.drawn()

    def drawn(self) -> None:
        """Wait until the page shows what it looked for."""
        self.page.wait_for_selector("main h1")
        self.page.wait_for_function("!document.querySelector('.waiting')")

    def press(self, key: str) -> None:
        """Press a button."""
        self.page.locator(f'[data-key="{key}"]').click()

    def sees(self, said: str) -> None:
        """Wait for words."""
        self.page.get_by_text(said).first.wait_for()

    def drop(self, file: Path) -> None:
        """Drop a file onto the page, as from a folder's window."""
        box = self.page.locator(".drop").first.bounding_box()
        assert box is not None
        session = self.page.context.new_cdp_session(self.page)
        data = {"items": [], "files": [str(file)], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            place = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
            session.send("Input.dispatchDragEvent", {"type": kind, **place, "data": data})

    def role(self, column: str, role: str) -> None:
        """Give a column a role, and wait until it has it."""
        group = self.page.get_by_role("radiogroup", name=f"Role of {column}", exact=True)
        chosen = group.locator(f'label[title="{role}"] input')
        chosen.check(force=True)
        self.page.wait_for_function(
            "([key]) => document.querySelector(`[data-key='${key}']`)?.hasAttribute('checked')",
            arg=[chosen.get_attribute("data-key")],
        )

    def alert(self) -> str:
        """Return what the page refuses, in its words."""
        return str(self.page.get_by_role("alert").first.inner_text())

    def wait_for_run(self) -> None:
        """Wait until the latest run has its release, as long as it goes on, or fail with what the page says."""
        from playwright.sync_api import TimeoutError

        ended = self.page.locator('[data-key="see"], #content [role=alert]').first
        for _ in range(SLICES):
            with suppress(TimeoutError):
                ended.wait_for(timeout=RUN)
                break
            assert self.page.locator("#content progress").is_visible(), "the run neither goes on nor has ended"
        assert ended.get_attribute("data-key") == "see", ended.inner_text()

    def fetch(self, key: str, target: Path) -> Path:
        """Download what a link offers."""
        with self.page.expect_download() as coming:
            self.press(key)
        coming.value.save_as(target)
        return target

    def shot(self, folder: Path, name: str) -> None:
        """Keep a picture of what is seen."""
        folder.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=folder / f"{name}.png")
