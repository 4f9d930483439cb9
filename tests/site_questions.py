"""What newcomers look for on the site, as they would type it, and the section that answers it."""

from __future__ import annotations

ASKED = "howto/questions.md#"
QUESTIONS = {
    "how do I install it": f"{ASKED}how-do-i-install-it",
    "how do I drop a column": f"{ASKED}how-do-i-drop-a-column",
    "what does gap mean": f"{ASKED}what-does-gap-mean",
    "why are these stars": f"{ASKED}why-are-there-stars-in-my-table",
    "which k should I take": f"{ASKED}which-k-should-i-take",
    "which columns are quasi-identifiers": "howto/choosing.md#which-columns-are-quasi-identifiers",
    "difference between k l and t": f"{ASKED}what-is-the-difference-between-k-l-and-t",
    "ages in ranges of ten years": f"{ASKED}how-do-i-make-ages-ranges-of-ten-years",
    "own groups": f"{ASKED}how-do-i-use-my-own-groups",
    "requirement cannot be met": f"{ASKED}why-does-it-say-that-the-requirement-cannot-be-met",
    "column refused": f"{ASKED}why-was-my-column-refused",
    "too much is lost": f"{ASKED}too-much-is-lost-what-can-i-do",
    "how long does it take": f"{ASKED}how-long-does-it-take",
    "out of memory": f"{ASKED}it-runs-out-of-memory-what-can-i-do",
    "what is in the certificate": f"{ASKED}what-is-in-the-certificate",
    "what may I share": f"{ASKED}what-may-i-share",
    "publish again next year": f"{ASKED}can-i-publish-the-table-again-next-year",
    "several rows per person": "people.md#several-rows-for-each-person",
    "excel": f"{ASKED}does-it-read-excel-spss-stata-sas-or-a-database",
    "missing values": "files.md#codes-for-missing-values",
    "GDPR": f"{ASKED}is-it-differential-privacy-does-it-meet-the-gdpr-or-hipaa",
    "same result again": f"{ASKED}how-do-i-get-the-same-result-again",
    "windows": "stability.md#where-it-runs",
}
