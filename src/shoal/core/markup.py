"""HTML from Python: what is put into a tag is escaped, unless a tag made it.

So that a name or a cell cannot become part of the page, whatever it says: there is no other way in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TypeAlias


class Markup(str):
    """A text that is HTML already."""

    __slots__ = ()


Content: TypeAlias = str | int | float
"""Text, which is escaped, or markup, which is not; numbers are written as they are."""


def tag(name: str, *content: Content, **attributes: object) -> Markup:
    """Return an element; `class_` is the attribute class, `aria_label` is aria-label, and None leaves one out.

    >>> tag("p", "a < b, ", tag("b", "c & d"), class_="x")
    '<p class="x">a &lt; b, <b>c &amp; d</b></p>'
    """
    given = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items() if value is not None}
    said = "".join(f' {key}="{escape(str(value), quote=True)}"' for key, value in given.items())
    return Markup(f"<{name}{said}>{joined(content)}</{name}>")


def joined(content: Iterable[Content]) -> Markup:
    """Return pieces one after the other, escaped where they are not markup.

    >>> joined(["1 < 2", tag("br")])
    '1 &lt; 2<br></br>'
    """
    return Markup("".join(one if isinstance(one, Markup) else escape(str(one), quote=True) for one in content))


def table(headings: Sequence[Content], rows: Iterable[Sequence[Content]], *, numbers: Iterable[int] = ()) -> Markup:
    """Return a table; the columns of these places hold numbers, and stand to the right.

    >>> table(["name", "rows"], [["<a>", 3]], numbers=[1])[-63:]
    '<tr><td>&lt;a&gt;</td><td class="n">3</td></tr></tbody></table>'
    """
    right = dict.fromkeys(numbers, "n")
    head = (tag("th", one, scope="col", class_=right.get(place)) for place, one in enumerate(headings))
    body = (tag("tr", *(tag("td", one, class_=right.get(place)) for place, one in enumerate(cells))) for cells in rows)
    return tag("table", tag("thead", tag("tr", *head)), tag("tbody", *body))


def facts(content: Mapping[str, Content]) -> Markup:
    """Return a table of two columns: what it is, and what is said of it.

    >>> facts({"rows": 3})
    '<table><tbody><tr><th scope="row">rows</th><td>3</td></tr></tbody></table>'
    """
    rows = (tag("tr", tag("th", name, scope="row"), tag("td", said)) for name, said in content.items())
    return tag("table", tag("tbody", *rows))


def listed(items: Iterable[Content]) -> Markup:
    """Return a list.

    >>> listed(["a", "b"])
    '<ul><li>a</li><li>b</li></ul>'
    """
    return tag("ul", *(tag("li", item) for item in items))
