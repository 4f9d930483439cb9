"""What everybody must be able to use: contrast, names of controls, focus that is seen, no sideways scrolling."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

FAINT = """
() => {
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = channels(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement, style = getComputedStyle(element);
    if (!node.data.trim() || !element.checkVisibility({ opacityProperty: true })) continue;
    if (element.closest("[disabled], script, style, svg")) continue;
    const [a, b] = [light(channels(style.color)), light(behind(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) found.push(`${ratio.toFixed(2)}: ${node.data.trim().slice(0, 40)}`);
  }
  return found;
}
"""

NAMELESS = """
() => [...document.querySelectorAll("a[href], button, input, select, textarea, [role=region], [role=img], progress")]
  .filter((one) => one.checkVisibility())
  .filter((one) => {
    const label = one.labels?.[0]?.textContent || one.getAttribute("aria-label") || "";
    const inner = ["A", "BUTTON"].includes(one.tagName) ? one.textContent : "";
    return !(label + inner).trim();
  })
  .map((one) => one.outerHTML.slice(0, 160))
"""

UNSEEN_FOCUS = """
() => {
  const one = document.activeElement;
  if (!one || one === document.body) return null;
  const around = [one, one.closest("label"), one.closest(".drop")].filter(Boolean);
  const seen = around.some((at) => {
    const style = getComputedStyle(at);
    return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  });
  return [one.dataset.key || one.id || one.tagName, seen];
}
"""

WIDE = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
DOUBLE = """
() => {
  const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
  return ids.filter((id, place) => ids.indexOf(id) !== place);
}
"""


def check(page: Page) -> None:
    """Raise unless everybody can use what is shown."""
    assert page.evaluate(FAINT) == [], "text that is too faint"
    assert page.evaluate(NAMELESS) == [], "controls without a name"
    assert page.evaluate(DOUBLE) == [], "names given twice"
    assert page.evaluate(WIDE) <= 0, "the page scrolls sideways"
    assert len(page.query_selector_all("h1")) == 1
    assert page.evaluate("document.documentElement.lang").startswith("en")


def tab_through(page: Page, most: int = 150) -> list[str]:
    """Press Tab until it comes round; return where it stopped. Raise where the focus was not to be seen."""
    page.evaluate("document.activeElement.blur()")
    stops: list[str] = []
    for _ in range(most):
        page.keyboard.press("Tab")
        found = page.evaluate(UNSEEN_FOCUS)
        if found is None:
            break
        name, seen = found
        assert seen, f"the focus on {name} is not to be seen"
        if stops and name == stops[0]:
            break
        stops.append(name)
    return stops
