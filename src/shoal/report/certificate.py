"""The certificate in the report, and on paper the place for those who sign it."""

from __future__ import annotations

from shoal.core.markup import Markup, table, tag
from shoal.report.evidence import Evidence

PEOPLE = ("Owner of the table", "Data protection officer", "For the committee")
"""Who signs, on paper."""


def certificate(found: Evidence) -> Markup:
    """Return what the certificate states, the hashes of the files that it is about, and lines to sign."""
    stated = found.certificate
    heading = tag("h2", "Certificate")
    files = [[name, tag("code", digest)] for name, digest in stated.hashes.items()]
    sealed = [tag("h3", "Files it is about (SHA-256)"), table(("file", "hash"), files)] if files else []
    return tag("section", heading, Markup(stated._repr_html_()), *sealed, _signatures(), class_="sheet")


def _signatures() -> Markup:
    """Return a row for each person who signs; shown on paper only."""
    line = tag("span", class_="line")
    rows = [[name, line, line, line] for name in PEOPLE]
    heading = tag("h3", "Signatures")
    return tag("div", heading, table(("", "Name", "Date", "Signature"), rows), class_="paper")
