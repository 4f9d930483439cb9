"""Linkability and inference: what attacks get of the release."""

from __future__ import annotations

from shoal.attacks.base import INFERENCE, LINKABILITY
from shoal.core.markup import Content, Markup, joined, listed, table, tag
from shoal.report.evidence import Evidence, Hit


def linkability(found: Evidence) -> Markup:
    """Return whether rows can be linked to people, or to their rows elsewhere."""
    said = (
        "Can a row be linked to a person whom somebody knows, or to the person's row in another table? Other releases"
        " of the same people are not considered here: `shoal register` compares them."
    )
    return tag("section", tag("h2", "Linkability"), tag("p", said), _attacks(found, LINKABILITY))


def inference(found: Evidence) -> Markup:
    """Return whether a person's sensitive value can be learnt without finding the row."""
    said = "Can a sensitive value of a person be learnt, with or without their row, or become much more probable?"
    notes = (tag("p", note, class_="faint") for note in found.notes)
    return tag("section", tag("h2", "Inference"), tag("p", said), _attacks(found, INFERENCE), *notes)


def _attacks(found: Evidence, criterion: str) -> Markup:
    hits = [hit for hit in found.hits if hit.criterion == criterion]
    if not hits:
        return tag("p", "No attack of this kind could be tried on this release.")
    if found.is_public:
        rows = [[*_about(hit), hit.share, hit.excluded_by] for hit in hits]
        return table(("attack", "learns", "knows", "rows hit", "excluded by"), rows)
    counts = [
        [*_about(hit), _count(hit.before), _count(hit.after), _count(hit.of), hit.standing, hit.excluded_by]
        for hit in hits
    ]
    headings = ("attack", "learns", "knows", "hit before", "hit after", "of", "threshold", "excluded by")
    sentences = tag("details", tag("summary", "in words"), listed(hit.verdict for hit in hits))
    return joined([table(headings, counts, numbers=(3, 4, 5)), sentences])


def _about(hit: Hit) -> list[Content]:
    name = tag("span", hit.attack, title=hit.meaning)
    return [name, hit.attribute or ("a finer cell" if hit.attack == "downcoding" else "whose row it is"), hit.knows]


def _count(many: int | None) -> str:
    return "-" if many is None else f"{many:,}"
