"""The codebook: what the columns are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.core.markup import Content, Markup, facts, table, tag
from shoal.report.evidence import Evidence

ROLES = {
    "quasi": "may be known of a person",
    "sensitive": "nobody must learn it",
    "other": "published as it is",
    "group": "number of the group",
    "count": "how many rows",
}
COUNTS = ("stars", "missing", "empty_strings", "literal_stars")


def columns(found: Evidence) -> Markup:
    """Return the columns of every table, and how its marks are read."""
    book = found.codebook
    tables = [tag("h3", "First table"), _columns(book["columns"])]
    for name, described in book.get("tables", {}).items():
        tables += [tag("h3", f"Table {name}"), _columns(described)]
    marks = {name.replace("_", " "): said for name, said in book["marks"].items()}
    return tag("section", tag("h2", "Codebook"), *tables, tag("h3", "Marks"), facts(marks))


def _columns(described: list[Mapping[str, Any]]) -> Markup:
    rows: list[list[Content]] = []
    for one in described:
        different = f"{len(one['cells']):,}" if "cells" in one else "-"
        counts = (f"{one[name]:,}" if name in one else "-" for name in COUNTS)
        rows.append([one["name"], ROLES.get(one["role"], one["role"]), one["type"], different, *counts])
    headings = ("column", "role", "type", "different cells", "stars", "missing", "empty", "literal *")
    return table(headings, rows, numbers=range(3, 8))
