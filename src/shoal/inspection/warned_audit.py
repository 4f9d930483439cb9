"""The audit with warnings: columns that reveal quasi-identifiers or sensitive attributes.

The checker knows nothing of inspection, so what is warned of is added here. It changes no verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial, wraps
from inspect import signature
from typing import Any, ParamSpec

from shoal.checking.audit import Audit
from shoal.checking.audit import audit as audit_alone
from shoal.inspection.dependence import published_dependences
from shoal.tables.roles import listed
from shoal.tables.table import Table

Asked = ParamSpec("Asked")


def _with_warnings(measure: Callable[Asked, Audit]) -> Callable[Asked, Audit]:
    """Return the same audit, which says which columns reveal others when it is asked for its warnings."""
    run: Callable[..., Audit] = measure

    @wraps(measure)
    def audited(*args: Asked.args, **asked: Asked.kwargs) -> Audit:
        given = signature(measure).bind(*args, **asked).arguments
        given["table"] = Table.of(given["table"])
        return replace(run(**given), warned=partial(_warnings, given))

    return audited


def _warnings(given: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what to say of each column that reveals others; the groups of two tables tell by design."""
    groups = [given.get("group", "group")] if given.get("sensitive_table") is not None else []
    told = listed(given["quasi"]), listed(given.get("sensitive", ()))
    found = published_dependences(given["table"], *told, left_out=groups)
    return tuple(f"{one.reason}; leave {one.column!r} out, or give it the role of what it reveals" for one in found)


audit = _with_warnings(audit_alone)
