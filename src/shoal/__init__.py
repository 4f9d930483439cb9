"""shoal publishes a table about people so that every record hides in a crowd, and proves how little was lost.

The few public names are loaded when first used, so that `shoal --help` waits for nothing.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.attacks.run import Attacked, attack
    from shoal.audit import Audit, audit
    from shoal.certificate import Certificate
    from shoal.codip import Projections, codip
    from shoal.compare import Comparison, compare
    from shoal.errors import Infeasible, ShoalError, Unsupported
    from shoal.frontier import Frontier, frontier
    from shoal.metric import Metric
    from shoal.models import (
        DistinctLDiversity,
        EntropyLDiversity,
        KAnonymity,
        LDiversity,
        RecursiveLDiversity,
        TCloseness,
    )
    from shoal.pipeline import anonymize
    from shoal.release import Release
    from shoal.risk import Risk
    from shoal.utility import Utility
    from shoal.verify import verify

__version__ = "0.1.0"

_PARTS = ("report", "risk", "utility")
"""Packages that are spoken to by name: `shoal.risk.measure`."""

_HOMES = {
    "Attacked": "attacks.run",
    "Audit": "audit",
    "Certificate": "certificate",
    "Comparison": "compare",
    "DistinctLDiversity": "models",
    "EntropyLDiversity": "models",
    "Frontier": "frontier",
    "Infeasible": "errors",
    "KAnonymity": "models",
    "LDiversity": "models",
    "Metric": "metric",
    "RecursiveLDiversity": "models",
    "Release": "release",
    "Risk": "risk",
    "Projections": "codip",
    "ShoalError": "errors",
    "TCloseness": "models",
    "Unsupported": "errors",
    "Utility": "utility",
    "anonymize": "pipeline",
    "attack": "attacks.run",
    "audit": "audit",
    "codip": "codip",
    "compare": "compare",
    "frontier": "frontier",
    "verify": "verify",
}

__all__ = [
    "Attacked",
    "Audit",
    "Certificate",
    "Comparison",
    "DistinctLDiversity",
    "EntropyLDiversity",
    "Frontier",
    "Infeasible",
    "KAnonymity",
    "LDiversity",
    "Metric",
    "Projections",
    "RecursiveLDiversity",
    "Release",
    "Risk",
    "ShoalError",
    "TCloseness",
    "Unsupported",
    "Utility",
    "anonymize",
    "attack",
    "audit",
    "codip",
    "compare",
    "frontier",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name in _PARTS:
        return import_module(f"shoal.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'shoal' has no attribute {name!r}")
    return getattr(import_module(f"shoal.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES, *_PARTS])


class _Package(ModuleType):
    """Guarantees that `shoal.audit` and `shoal.verify` stay functions when the modules of those names are loaded."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
