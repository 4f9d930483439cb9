"""What opening the page takes: the weight of its files, which is limited, and the first paint, which is printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.web.browser import Steward
from tests.web.server import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.web
MEASURED = """
() => [
  performance.getEntriesByType("resource").reduce((sum, one) => sum + one.transferSize, 0),
  performance.getEntriesByName("first-contentful-paint")[0].startTime,
]
"""


PAINTED = '() => performance.getEntriesByName("first-contentful-paint").length > 0'


def test_a_page_weighs_less_than_400_kilobytes(browser: Browser, desk: Served) -> None:
    steward = Steward.at(browser, desk)
    steward.drawn()
    session = steward.page.context.new_cdp_session(steward.page)
    session.send("Network.enable")
    for cached in (False, True):
        session.send("Network.setCacheDisabled", {"cacheDisabled": not cached})
        steward.go("data")
        steward.page.wait_for_function(PAINTED)
        weight, paint = steward.page.evaluate(MEASURED)
        print(
            f"{'again' if cached else 'for the first time'}: {weight / 1000:.0f} kB, first paint after {paint:.0f} ms"
        )
        assert weight < 400_000
