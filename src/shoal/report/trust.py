"""What the machine checked, and what the owner vouches for."""

from __future__ import annotations

from shoal.core.markup import Markup, listed, tag
from shoal.report.evidence import Evidence


def trust(found: Evidence) -> Markup:
    """Return both lists, as the certificate has them."""
    content = found.certificate.content()
    return tag(
        "section",
        tag("h2", "What was checked, and what the owner answers for"),
        tag("h3", "Checked by shoal"),
        listed(content["checked_by_machine"]),
        tag("h3", "The owner of the table answers for"),
        listed(content["vouched_for_by_the_owner"]),
        tag("p", "If one of these is not true, the figures of this report do not hold as stated."),
    )
