"""The page: all sections in one HTML file that refers to nothing outside itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from shoal.attacks.base import Attack
from shoal.core.errors import cannot_write
from shoal.core.markup import Markup, joined, listed, tag
from shoal.release.release import Release
from shoal.report.attacks import inference, linkability
from shoal.report.certificate import certificate
from shoal.report.columns import columns
from shoal.report.evidence import About, Evidence
from shoal.report.price import price
from shoal.report.printing import print_page
from shoal.report.reproduction import reproduce
from shoal.report.requirements import asked
from shoal.report.residual_risk import remaining
from shoal.report.singling_out import singling_out
from shoal.report.style import STYLE
from shoal.report.summary import summary
from shoal.report.trust import trust
from shoal.report.utility import utility
from shoal.tables.table import TableLike

SECTIONS: dict[str, Callable[[Evidence], Markup]] = {
    "In short": summary,
    "Still learnt": remaining,
    "Asked and reached": asked,
    "Cost": price,
    "Singling out": singling_out,
    "Linkability": linkability,
    "Inference": inference,
    "Utility": utility,
    "Checks and assumptions": trust,
    "Codebook": columns,
    "Reproduce": reproduce,
    "Certificate": certificate,
}
UNTITLED = "Report on a release"
INTERNAL = "Internal: it counts rows of the original and names the random seed. Keep it private."
PUBLIC = "Public: the risk and the figures of the original, the rows that attacks hit and the random seed are left out."


@dataclass(frozen=True, eq=False)
class Report:
    """A report in two forms: everything, and what may be shown to everybody."""

    evidence: Evidence

    @property
    def internal(self) -> str:
        """The page for the owner of the table."""
        return page(self.evidence)

    @property
    def public(self) -> str:
        """The page for everybody."""
        return page(self.evidence.public())

    def save(self, path: str | Path, *, public: bool = False) -> Path:
        """Write one of the pages to a file."""
        target = Path(path)
        try:
            target.write_text(self.public if public else self.internal, encoding="utf-8", newline="\n")
        except OSError as error:
            raise cannot_write(target, error) from error
        return target

    def pdf(self, path: str | Path, *, public: bool = False) -> Path:
        """Print one of the pages to a PDF file, for those who sign; needs Chromium, Chrome or Edge."""
        target = Path(path)
        shown = self.public if public else self.internal
        print_page(shown.replace("<details>", "<details open>"), target)
        return target

    def _repr_html_(self) -> str:
        sections = (section(self.evidence) for section in (summary, asked, price))
        return tag("div", *sections)


def make(
    release: Release | str | Path,
    original: TableLike,
    *,
    attacks: Iterable[Attack | str] | None = None,
    queries: int = 1000,
    source: str = "",
    title: str = "",
    owner: str = "",
    purpose: str = "",
) -> Report:
    """Measure a release, in memory or a folder, and return its report.

    `attacks` are those to be tried; without it all, or of a large table the quick ones. `queries` random counts are
    asked, 0 for none. `source` is what the original's file is called in the configuration that repeats the run.
    `title`, `owner` and `purpose` stand in the first section; those not given are lines to be filled in by hand.

    >>> import shoal
    >>> people = {"age": [25, 26, 40, 41], "illness": ["flu", "gout", "flu", "gout"]}
    >>> release = shoal.anonymize(people, quasi=["age"], sensitive=["illness"], require="k=2", recoding="range")
    >>> found = make(release, people, queries=10)
    >>> "4 rows (100 %) could be distinguished" in found.internal, "could be distinguished" in found.public
    (True, False)
    """
    about = About(title, owner, purpose)
    return Report(Evidence.of(release, original, attacks=attacks, queries=queries, source=source, about=about))


def page(found: Evidence) -> str:
    """Return the HTML file."""
    anchors = {name: f"s{place}" for place, name in enumerate(SECTIONS, start=1)}
    links = listed(tag("a", name, href=f"#{anchor}") for name, anchor in anchors.items())
    body = (tag("div", make_section(found), id=anchors[name]) for name, make_section in SECTIONS.items())
    said = PUBLIC if found.is_public else INTERNAL
    title = found.about.title or UNTITLED
    head = joined(
        [
            Markup('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'),
            tag("title", f"{title} ({'public' if found.is_public else 'internal'})"),
            tag("style", Markup(STYLE)),
        ]
    )
    header = tag("header", tag("h1", title), tag("p", said, class_="faint"), tag("nav", links))
    content = joined([header, tag("main", *body), tag("footer", tag("p", "Figures were measured by machine."))])
    return "<!DOCTYPE html>\n" + tag("html", tag("head", head), tag("body", content), lang="en") + "\n"
