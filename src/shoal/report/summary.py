"""The first section of a report: what a person who signs has to know, in five points, and the place to sign."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from shoal.core.markup import Content, Markup, facts, joined, listed, tag
from shoal.core.number_format import counted, percent
from shoal.hierarchies.cell_forms import form_of
from shoal.report.evidence import Evidence

NAMES = 8
"""Columns named in a sentence."""
BLANK = tag("span", class_="blank")
"""A line to fill in by hand."""


def summary(found: Evidence) -> Markup:
    """Return at most five points, and who signs them."""
    points = (
        ("Published", _published(found)),
        ("Unprotected", _unprotected(found)),
        ("Requirement", _requirement(found)),
        ("Highest chance", " ".join(_highest(found))),
        ("Lost", _lost(found)),
    )
    bullets = listed(joined([tag("strong", f"{name}: "), said]) for name, said in points)
    return tag("section", tag("h2", "In short"), _signed(found), bullets)


def _signed(found: Evidence) -> Markup:
    """Return whose report it is; what was not said is left to be written by hand."""
    about = found.about
    untitled: dict[str, Content] = {} if about.title else {"Title": BLANK}
    said = {"Date": about.date, "Owner": about.owner, "Purpose": about.purpose, "Signature": ""}
    return facts({**untitled, **{name: text or BLANK for name, text in said.items()}})


def _published(found: Evidence) -> str:
    stated, book = found.certificate, found.codebook
    names = [one["name"] for one in book["columns"]]
    left_out = f"; {counted(stated.dropped, 'row')} left out" if stated.dropped else ""
    second = " A second table counts the sensitive values of groups of rows." if book.get("tables") else ""
    purpose = f" For: {found.about.purpose}." if found.about.purpose else ""
    columns = counted(len(names), "column")
    return f"a table of {counted(stated.rows, 'row')} and {columns} ({some(names)}){left_out}.{second}{purpose}"


def _requirement(found: Evidence) -> str:
    stated, smallest = found.certificate, found.after.uniques.smallest
    if form_of(stated.recoding).two_tables:
        return f"{stated.require}, met by all {counted(stated.classes, 'group')}."
    alone = "" if stated.protects else " Every table meets it: nothing is protected."
    size = f"{counted(stated.classes, 'class', 'classes')}; the smallest has {counted(smallest, 'row')}"
    return f"{stated.require}, met by all {size}.{alone}"


def _highest(found: Evidence) -> Iterator[str]:
    """Say how probably a row is found, and what the attack gets that hits most people."""
    if form_of(found.certificate.recoding).two_tables:
        yield "who is in the table can be read from it: quasi-identifiers are published as they are."
    else:
        chance, names = percent(found.after.prosecutor.highest), some(found.certificate.quasi)
        yield f"{chance} to pick the right row of a person by {names}, counted as 1 / rows of the smallest class."
    if found.hits:
        worst = max(found.hits, key=lambda hit: hit.rank)
        tried = counted(len({hit.attack for hit in found.hits}), "attack")
        if worst.matters:
            yield f"Of {tried} tried, {worst.name} hits most: {worst.how_many}. Known: {worst.knows}."
        else:
            yield f"Of {tried} tried, none hits {'more than 1 % of the rows' if found.is_public else 'any row'}."


def _unprotected(found: Evidence) -> str:
    """Say what the certificate says first: what goes out as it is, and what the release may give away."""
    stated = found.certificate
    if stated.unprotected is None:  # a release that is older than this statement
        others = (one["name"] for one in found.codebook["columns"] if one["role"] == "other")
        stated = replace(stated, unprotected=tuple(others))
    return f"{'; '.join(stated.exposed) or 'no column'}."


def _lost(found: Evidence) -> str:
    losses = {one["name"]: float(one["loss"]) for one in found.codebook["columns"] if "loss" in one}
    said = [f"cost {float(found.certificate.cost):,.6g} ({found.certificate.cost.name}), {_at_most(found)}."]
    if losses:
        most = max(losses, key=lambda name: losses[name])
        mean = percent(sum(losses.values()) / len(losses))
        said.append(f"Quasi-identifiers lost {mean} of their detail on average, {most} most ({percent(losses[most])}).")
    if found.utility is not None and found.utility.queries is not None:
        said.append(f"A count taken from the release is typically wrong by {percent(found.utility.queries.median)}.")
    return " ".join(said)


def _at_most(found: Evidence) -> str:
    gap = found.certificate.gap
    if gap is None:
        return "how much less is possible is not known"
    return "proved to be the least" if gap <= 1 else f"at most {(gap - 1) * 100:.3g} % more than the least"


def some(names: Sequence[str]) -> str:
    """Return names in a sentence, a few at most.

    >>> some(["a", "b"]), some(list("abcdefghij"))
    ('a, b', 'a, b, c, d, e, f, g, h and 2 more')
    """
    more = f" and {len(names) - NAMES} more" if len(names) > NAMES else ""
    return ", ".join(names[:NAMES]) + more if names else "none"
