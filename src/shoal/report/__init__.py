"""The report of a release: one HTML file, for the owner of the table or for everybody.

    release, original --> Evidence --sections--> a page

One section a file; each is a function from evidence to markup. Its chapters on safety are the three questions of the
European data-protection authorities: singling out, linkability, inference.
"""

from shoal.report.evidence import Evidence, Hit
from shoal.report.page import Report, make

__all__ = ["Evidence", "Hit", "Report", "make"]
