"""What the release cost, how much of it had to be, and which columns paid."""

from __future__ import annotations

from collections.abc import Iterator

import shoal.costs
from shoal.core.discovery import discover
from shoal.core.markup import Markup, facts, listed, table, tag
from shoal.core.number_format import percent
from shoal.costs import Cost
from shoal.report.charts import bar, between
from shoal.report.evidence import Evidence

KEYS = {"after": "proved to be needed", "open": "what a better release might save"}


def price(found: Evidence) -> Markup:
    """Return cost, lower bound and gap, in figures and in words, and the loss of each column."""
    stated = found.certificate
    kind = discover(shoal.costs, Cost).get(stated.cost.name)
    meaning = "" if kind is None else f": {kind.meaning}"
    figures = {
        "cost": f"{float(stated.cost):,.6g} ({stated.cost.name}{meaning})",
        "lower bound": "unknown" if stated.lower_bound is None else f"{stated.lower_bound:,.6g}",
        "gap": "unknown" if stated.gap is None else f"{stated.gap:.4g}",
        "method": f"{stated.method}, recoding {stated.recoding}, {stated.status}",
    }
    picture = []
    if stated.lower_bound and stated.cost and stated.gap != 1:
        keys = (tag("span", tag("i", class_=name), f" {said}") for name, said in KEYS.items())
        picture = [between(stated.lower_bound, float(stated.cost)), tag("p", *keys, class_="key")]
    said = tag("p", _in_words(found))
    remarks = [listed(stated.remarks)] if stated.remarks else []
    return tag("section", tag("h2", "What it cost"), said, *picture, facts(figures), *remarks, *_columns(found))


def _in_words(found: Evidence) -> str:
    stated = found.certificate
    if stated.status == "optimal" or stated.gap == 1:
        return "It is proved that no release which meets the same requirements in this way costs less."
    promised = f" The method promises beforehand: {stated.guarantee}." if stated.guarantee else ""
    if stated.lower_bound is None or stated.gap is None:
        return f"How much less another release could cost is not known: there is no lower bound.{promised}"
    saved = 1 - stated.lower_bound / float(stated.cost)
    return (
        f"No release that meets the same requirements in this way costs less than {stated.lower_bound:,.6g}. This one"
        f" costs {float(stated.cost):,.6g}: the best possible could save at most {percent(saved)} of it.{promised}"
    )


def _columns(found: Evidence) -> Iterator[Markup]:
    losses = [(one["name"], float(one["loss"])) for one in found.codebook["columns"] if "loss" in one]
    if losses:
        yield tag("h3", "What each column lost")
        yield tag("p", "0 % is as in the original, 100 % carries no information.")
        rows = [[name, bar(loss), percent(loss)] for name, loss in losses]
        yield table(("column", "lost", "share"), rows, numbers=(2,))
