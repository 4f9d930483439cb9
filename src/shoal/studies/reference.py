"""Tables of everything that discovery finds, and of every setting, for commands and documentation; none by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import shoal.attacks
import shoal.bounds
import shoal.costs
import shoal.hierarchies
import shoal.models
import shoal.recoding.masks
import shoal.tables.readers
import shoal.tables.writers
from shoal.attacks.base import Attack
from shoal.bounds.base import Bound
from shoal.core.discovery import discover
from shoal.costs import Cost
from shoal.hierarchies import Builder
from shoal.methods.auto import methods
from shoal.models import Model
from shoal.recoding.masks.base import Mask
from shoal.request import LEFT_OUT, SETTINGS
from shoal.tables.readers.base import Format, Reader
from shoal.tables.writers.base import Writer


def method_rows() -> list[dict[str, Any]]:
    """Return name, guarantee, running time, paper and models of every method."""
    return [
        {
            "name": kind.name,
            "guarantee": kind.stated(),
            "cost": kind.running_time,
            "paper": kind.paper,
            "models": kind.models,
        }
        for kind in methods().values()
    ]


def model_rows() -> list[dict[str, Any]]:
    """Return how every model is written, what it is called and what it asks."""
    kinds = discover(shoal.models, Model).values()
    return [
        {
            "written": kind.grammar(),
            "name": kind.title,
            "meaning": kind.meaning,
            "merging keeps it": kind.monotone,
        }
        for kind in kinds
    ]


def cost_rows() -> list[dict[str, Any]]:
    """Return every cost and what it measures."""
    kinds = discover(shoal.costs, Cost).values()
    return [
        {
            "name": kind.name,
            "meaning": kind.meaning,
            "recodings": ", ".join(kind.recodings()),
            "weights": kind.takes_weights,
        }
        for kind in kinds
    ]


def bound_rows() -> list[dict[str, Any]]:
    """Return every lower bound and its argument in one line."""
    kinds = discover(shoal.bounds, Bound).values()
    return [{"name": kind.name, "meaning": kind.meaning} for kind in kinds]


def hierarchy_rows() -> list[dict[str, Any]]:
    """Return every hierarchy builder."""
    kinds = discover(shoal.hierarchies, Builder).values()
    return [{"name": kind.name, "meaning": kind.meaning} for kind in kinds]


def mask_rows() -> list[dict[str, Any]]:
    """Return every mask, its parameters, and whether a cell follows from the value it hides alone."""
    kinds = discover(shoal.recoding.masks, Mask).values()
    return [
        {
            "name": kind.name,
            "meaning": kind.meaning,
            "parameters": ", ".join(one.name for one in fields(kind)),  # type: ignore[arg-type]
            "models may speak of it": kind.of_value,
        }
        for kind in kinds
    ]


def attack_rows() -> list[dict[str, Any]]:
    """Return every attack: what the attacker knows, what a hit is, which models leave it none."""
    kinds = discover(shoal.attacks, Attack).values()
    return [
        {"name": kind.name, "knows": kind.knows, "hit": kind.meaning, "excluded by": kind.excluded_by} for kind in kinds
    ]


def reader_rows() -> list[dict[str, Any]]:
    """Return every format that is read, and what may be said of how its files are written."""
    kinds = discover(shoal.tables.readers, Reader).values()
    return [{**_format(kind), "options": ", ".join(kind.options) or None} for kind in kinds]


def writer_rows() -> list[dict[str, Any]]:
    """Return every format that is written."""
    return [_format(kind) for kind in discover(shoal.tables.writers, Writer).values()]


def _format(kind: type[Format]) -> dict[str, Any]:
    return {"name": kind.name, "format": kind.title, "files": ", ".join(kind.suffixes), "needs": kind.extra or None}


def setting_rows() -> list[dict[str, Any]]:
    """Return every setting: its flag, its key in `shoal.toml`, its argument in Python, and who does not take it."""
    return [
        {
            "flag": f"`{one.flag}`",
            "in shoal.toml": f"`[{one.section}]`" + ("" if one.per_column else f" `{one.key}`"),
            "in Python": f"`{one.name}`",
            "meaning": one.help,
            "not taken by": ", ".join(face for face, refused in LEFT_OUT.items() if one.name in refused) or None,
        }
        for one in SETTINGS.values()
    ]


def refusal_rows() -> list[dict[str, Any]]:
    """Return the settings that a face does not take, each with its reason."""
    return [
        {"not taken by": face, "setting": f"`{name}`", "because": reason}
        for face, refused in LEFT_OUT.items()
        for name, reason in refused.items()
    ]


TABLES = {
    "attacks": attack_rows,
    "methods": method_rows,
    "models": model_rows,
    "costs": cost_rows,
    "bounds": bound_rows,
    "hierarchies": hierarchy_rows,
    "masks": mask_rows,
    "readers": reader_rows,
    "writers": writer_rows,
}
"""Of everything that discovery finds."""
SETTING_TABLES = {"refusals": refusal_rows, "settings": setting_rows}
"""Of what `shoal.request` declares."""


def markdown(rows: Sequence[dict[str, Any]]) -> str:
    """Return rows as a Markdown table.

    >>> print(markdown([{"a": 1, "b": None}]))
    | a | b |
    |---|---|
    | 1 | - |
    """
    columns = list(rows[0])
    lines = [columns, ["---"] * len(columns), *([_cell(row[column]) for column in columns] for row in rows)]
    return "\n".join(
        ("|" + "|".join(line) + "|") if line[0] == "---" else "| " + " | ".join(line) + " |" for line in lines
    )


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value).replace("|", "\\|")
