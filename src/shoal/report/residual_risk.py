"""What can still be learnt from the release, in a few figures and in words."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.core.markup import Markup, listed, tag
from shoal.core.number_format import counted, percent
from shoal.hierarchies.cell_forms import form_of
from shoal.report.evidence import Evidence
from shoal.report.summary import some


def remaining(found: Evidence) -> Markup:
    """Return the release in a few figures, and what attacks still get."""
    cards = tag("div", *(_card(value, said) for value, said in _figures(found)), class_="cards")
    heading = tag("h2", "What can still be learnt")
    return tag("section", heading, cards, *(tag("p", said) for said in _sentences(found)), _open(found))


def _card(value: str, said: str) -> Markup:
    return tag("div", tag("strong", value), tag("span", said), class_="card")


def _figures(found: Evidence) -> Iterator[tuple[str, str]]:
    stated, smallest = found.certificate, found.after.uniques.smallest
    if not form_of(stated.recoding).two_tables:
        yield f"{smallest:,}", f"{'rows' if stated.people is None else 'people'} in the smallest group of equal rows"
        yield percent(found.after.prosecutor.highest), "highest chance to pick the right row for a person"
    yield _at_most(found), "how much more than the cheapest possible release this one can cost"
    if found.utility is not None and found.utility.queries is not None:
        yield percent(found.utility.queries.median), "typical error of a count taken from the release"


def _at_most(found: Evidence) -> str:
    gap = found.certificate.gap
    return "unknown" if gap is None else "nothing" if gap <= 1 else f"up to {(gap - 1) * 100:.3g} %"


def _sentences(found: Evidence) -> Iterator[str]:
    stated = found.certificate
    if form_of(stated.recoding).two_tables:
        yield (
            f"What somebody may know of a person ({some(stated.quasi)}) is published as it is, and shows who is in the"
            f" table. The sensitive columns ({some(stated.sensitive)}) are counted by groups of rows in a second"
            f" table: {counted(stated.classes, 'group')}."
        )
    else:
        others, one = found.after.uniques.smallest - 1, "row" if stated.people is None else "person"
        alone = "some rows are unique" if stated.people is None else "some people are alone in a group"
        alike = f"every {one} looks like at least {counted(others, 'other')}" if others else alone
        yield (
            f"What somebody may know of a person ({some(stated.quasi)}) was made coarser where necessary: {alike}."
            f" There are {counted(stated.classes, 'group')} of rows with equal cells."
        )
    if found.before is not None:
        before, after = found.before.uniques, found.after.uniques
        yield (
            f"In the original {counted(before.rows, 'row')} ({percent(before.share)}) could be distinguished by"
            f" these columns; in the release {after.rows:,}."
        )


def _open(found: Evidence) -> Markup:
    """Return what attacks get of anybody."""
    left = [hit for hit in found.hits if hit.matters]
    if not left:
        return Markup()
    said = (hit.verdict or f"{hit.name}, {hit.how_many}: {hit.meaning}. Known: {hit.knows}." for hit in left)
    heading = tag("p", "What somebody with the knowledge named could still learn:")
    return tag("div", heading, listed(said), class_="open")
