"""What was asked of every class, and what the audit of the published cells found."""

from __future__ import annotations

import shoal.models
from shoal.core.discovery import discover
from shoal.core.markup import Markup, table, tag
from shoal.core.number_format import number
from shoal.models import Model
from shoal.report.evidence import Evidence


def asked(found: Evidence) -> Markup:
    """Return a row a model: in words, asked, reached."""
    kinds = discover(shoal.models, Model)
    rows = []
    for model in found.certificate.models:
        kind = kinds.get(model["name"])
        title, meaning = (model["name"], "") if kind is None else (kind.title, kind.meaning)
        rows.append(
            [title, model["attribute"] or "-", meaning, number(model["asked"]), number(model["reached"]), "met"]
        )
    headings = ("model", "column", "what it asks", "asked", "reached", "")
    return tag(
        "section",
        tag("h2", "What was asked, and what was reached"),
        tag("p", "Measured by the audit from the published cells alone. Reached is the level of the worst class."),
        tag("p", tag("code", found.certificate.require)),
        table(headings, rows, numbers=(3, 4)),
    )
