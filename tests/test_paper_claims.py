"""The claims of Xiao, Yi and Tao 2010 in docs/ldiversity.md are those that the committed figures bear out."""

from pathlib import Path

import pytest
from benchmarks.xiao2010 import FIGURES, claims, kept

PAGE = (Path(FIGURES).parent / "ldiversity.md").read_text(encoding="utf-8")
SOURCES = ("income", "occupation", "salary")
LINES = {
    "TP+ <= TP and TP+ <= Hilbert, by construction": "stars than `tp` and than `hilbert` (here by construction)",
    "TP+ better than both, two columns or more, where it is not proved optimal": "fewer than both, two columns or more",
    "TP better than Hilbert for every l at d = 4, in the mean": "for every l at four columns, in the mean",
}
"""Claims, and words of the line that the page has for each."""


@pytest.mark.parametrize("claim", LINES)
def test_the_page_states_what_the_figures_say(claim: str) -> None:
    line = next(line for line in PAGE.splitlines() if line.startswith("|") and LINES[claim] in line)
    assert [cell.strip() for cell in line.split("|")[2:5]] == [dict(claims(kept(name)))[claim] for name in SOURCES]


def test_tp_has_more_stars_than_hilbert_at_four_columns_in_all_cases() -> None:
    assert {
        dict(claims(kept(name)))["TP better than Hilbert for every l at d = 4, in the mean"] for name in SOURCES
    } == {"0 of 9"}
