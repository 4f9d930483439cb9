"""What the presets ask of a table, and what each would cost: found by a quick method, so a run loses less."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal.core.errors import Infeasible, ShoalError
from shoal.models.presets import PRESETS
from shoal.pipeline import run
from shoal.web.desk.draft import Draft
from shoal.web.desk.draft_table import column, table

QUICK = "mondrian"
"""The method of estimates: its time grows little faster than the table."""


@dataclass(frozen=True)
class Fit:
    """A preset on a table: what it asks for, or why it does not fit."""

    name: str
    require: tuple[str, ...]
    problem: str = ""


def fits(draft: Draft) -> tuple[Fit, ...]:
    """Return what every preset asks of the table of a draft, by the values of its sensitive columns."""
    values = {name: _values(draft, name) for name in draft.named("sensitive")}
    rows = table(draft).rows
    return tuple(Fit(name, one.require(values), one.problem(rows, values)) for name, one in PRESETS.items())


def _values(draft: Draft, name: str) -> int:
    """Return how many different values a column has; a missing one is none."""
    found = column(draft, name).values
    return len(found) - found.null_count()


def estimates(draft: Draft) -> dict[str, Any]:
    """Return for every preset that fits the share of detail that a quick release of the table loses."""
    return {one.name: _tried(draft, one.require) for one in fits(draft) if not one.problem}


def _tried(draft: Draft, require: tuple[str, ...]) -> Mapping[str, Any]:
    """Return the loss of a quick release, the mean over its columns; or why there is none."""
    recoding = None if draft.recoding in ("centroid", "mixed-centroid", "anatomy") else draft.recoding
    fixed: dict[str, Any] = {"cost": None, "coarsen": None, "time_limit": None, "attribute_weights": {}}
    asked = draft.changed(require=require, method=QUICK, recoding=recoding, **fixed)
    try:
        made = run(table(draft), asked.request(), publishes=False)
    except Infeasible:
        return {"said": "no release of this table meets it"}
    except ShoalError:
        return {"said": "what it costs is known once it is run"}
    losses = [float(one["loss"]) for one in made.codebook["columns"] if "loss" in one]
    return {"loss": sum(losses) / len(losses) if losses else 0.0}
