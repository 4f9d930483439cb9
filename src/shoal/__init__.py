"""shoal publishes a table about people so that every record is one of several alike, and proves how little was lost.

The few public names are loaded when first used, so that `shoal --help` waits for nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from shoal.core.on_demand import on_demand

if TYPE_CHECKING:
    from shoal.attacks.run import Attacked, attack
    from shoal.checking.audit import Audit
    from shoal.core.errors import Infeasible, ShoalError, Unsupported
    from shoal.inspection.report import Inspection, inspect
    from shoal.inspection.warned_audit import audit
    from shoal.models import (
        DistinctLDiversity,
        EntropyLDiversity,
        KAnonymity,
        LDiversity,
        RecursiveLDiversity,
        TCloseness,
    )
    from shoal.models.metric import Metric
    from shoal.pipeline import anonymize
    from shoal.release.certificate import Certificate
    from shoal.release.release import Release
    from shoal.release.verification import Verification, verify
    from shoal.republication.codip import Projections, codip
    from shoal.republication.earlier import Registered, register
    from shoal.republication.release_register import Register
    from shoal.risk import Risk
    from shoal.steps.sampled_release import SampledRelease, sample
    from shoal.studies.comparison import Comparison, compare
    from shoal.studies.frontier import Frontier, frontier
    from shoal.studies.lattice import LatticeView, lattice
    from shoal.utility import Utility

__version__ = "0.2.0"

_PARTS = ("dataframes", "report", "risk", "spark", "utility")
"""Packages that are spoken to by name: `shoal.risk.measure`."""

__all__ = [
    "Attacked",
    "Audit",
    "Certificate",
    "Comparison",
    "DistinctLDiversity",
    "EntropyLDiversity",
    "Frontier",
    "Infeasible",
    "Inspection",
    "KAnonymity",
    "LDiversity",
    "LatticeView",
    "Metric",
    "Projections",
    "RecursiveLDiversity",
    "Register",
    "Registered",
    "Release",
    "Risk",
    "SampledRelease",
    "ShoalError",
    "TCloseness",
    "Unsupported",
    "Utility",
    "Verification",
    "anonymize",
    "attack",
    "audit",
    "codip",
    "compare",
    "frontier",
    "inspect",
    "lattice",
    "register",
    "sample",
    "verify",
]


_public = on_demand(__name__)


def __getattr__(name: str) -> Any:
    return import_module(f"shoal.{name}") if name in _PARTS else _public(name)  # start-up time


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__, *_PARTS])
