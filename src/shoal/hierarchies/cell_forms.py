"""What the checker knows of the cells of each recoding by its name alone; it shares no code with what makes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class CellForm:
    """How the cells of a recoding are to be read."""

    blocks: bool = False
    """Whether they are blocks of hierarchies: the value itself and the star, where these are not those given."""
    along_hierarchies: bool = False
    """Whether they are blocks of the hierarchies that were given."""
    one_level: bool = False
    """Whether all cells of a column have one level, but for one class of stars."""
    spans: bool = False
    """Whether they are ranges and sets."""
    covers: bool = True
    """Whether they cover the values they hide."""
    two_tables: bool = False
    """Whether sensitive values are in a table of their own."""
    by_column: bool = False
    """Whether columns have forms of their own, which the codebook states."""


FORMS = {
    "suppress": CellForm(blocks=True),
    "generalize": CellForm(blocks=True, along_hierarchies=True),
    "single-dimensional": CellForm(blocks=True, along_hierarchies=True),
    "full-domain": CellForm(blocks=True, along_hierarchies=True, one_level=True),
    "mixed": CellForm(along_hierarchies=True, by_column=True),
    "mixed-centroid": CellForm(along_hierarchies=True, covers=False, by_column=True),
    "range": CellForm(spans=True),
    "centroid": CellForm(covers=False),
    "anatomy": CellForm(two_tables=True),
}


def form_of(recoding: str) -> CellForm:
    """Return what is known of the cells of a recoding; one that is not known shows values and stars.

    >>> form_of("generalize").along_hierarchies, form_of("of my own").blocks
    (True, False)
    """
    return FORMS.get(recoding, CellForm())


def form_of_column(codebook: Mapping[str, Any], name: str) -> CellForm:
    """Return what is known of the cells of one column: of mixed recodings the codebook states the column's own.

    >>> book = {"recoding": "mixed", "columns": [{"name": "age", "recoding": "range"}]}
    >>> form_of_column(book, "age").spans
    True
    """
    stated = {one["name"]: one.get("recoding") for one in codebook["columns"]} if _by_column(codebook) else {}
    return form_of(stated.get(name) or codebook["recoding"])


def _by_column(codebook: Mapping[str, Any]) -> bool:
    return form_of(codebook["recoding"]).by_column
