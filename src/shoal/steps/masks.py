"""Masks of a request: checked against roles and models, made definite once, and put on the table before all else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from shoal.core.errors import RoleError, Unsupported, nearest
from shoal.models import Models
from shoal.recoding.masks.base import Mask, as_mask
from shoal.request import Request
from shoal.tables.roles import Roles, listed
from shoal.tables.table import Table


def masks_of(request: Request) -> dict[str, Mask]:
    """Return the masks that a request asks for, by column."""
    return {name: as_mask(spec) for name, spec in sorted(request.masks.items())}


def check_masks(roles: Roles, request: Request) -> None:
    """Guarantees that masked columns are published, and are no quasi-identifiers."""
    for name in masks_of(request):
        if name not in roles.sensitive + roles.other:
            raise RoleError(
                f"a mask is given for {name!r}, which is "
                + ("a quasi-identifier: its cells are recoded" if name in roles.quasi else "not published"),
                expected="a sensitive column, or one of --other",
                hint=nearest(name, roles.sensitive + roles.other),
            )
        if name == request.record_weight:
            raise RoleError(f"a mask is given for the record weights {name!r}", hint="use --weight-rounding")


def check_masked_models(models: Models, masks: Mapping[str, Mask]) -> None:
    """Guarantees that no model is decided from cells that say nothing sure of the values they hide."""
    for model in models:
        for name in (*model.attributes, *model.given):
            if name in masks and not masks[name].of_value:
                raise Unsupported(
                    f"{model} is decided from the published cells of {name!r}, which the mask {masks[name].name} draws"
                    " at random: the level would not be that of the true values",
                    hint="leave the mask or the model out, or take round, top or bottom",
                )


def with_resolved_masks(table: Table, request: Request) -> Request:
    """Return the request with masks that leave nothing to the table and to chance; equal masks share a fresh key.

    Twice is the same as once.
    """
    made: dict[Mask, Mask] = {}
    found: dict[str, Mask] = {}
    for name, mask in masks_of(request).items():
        if name not in table.columns:
            raise RoleError(f"a mask is given for {name!r}", hint=nearest(name, table.columns))
        keyed = "key" in vars(mask)
        found[name] = made.setdefault(mask, mask.resolved(table[name])) if keyed else mask.resolved(table[name])
    return replace(request, masks=found) if found else request


def masked_table(table: Table, request: Request) -> Table:
    """Return a table with the columns masked that a request names; its masks are resolved."""
    masks = masks_of(request)
    together: dict[object, list[str]] = {}
    for name, mask in masks.items():
        together.setdefault(mask if mask.joint else name, []).append(name)
    person = listed(request.person)
    return table.with_columns(
        column for names in together.values() for column in masks[names[0]].masked(names, table, person)
    )
