"""Privacy models, one per file; see `base` for the contract and `shoal.models.requirement` for how they are written."""

from typing import TYPE_CHECKING

from shoal.core.on_demand import on_demand

if TYPE_CHECKING:
    from shoal.models.alpha import Alpha
    from shoal.models.average_t_closeness import AverageTCloseness
    from shoal.models.base import Model, Models, Rule, SensitiveModel
    from shoal.models.beta_likeness import BetaLikeness, EnhancedBetaLikeness
    from shoal.models.ck_safety import CKSafety
    from shoal.models.delta_disclosure import DeltaDisclosure
    from shoal.models.distinct_l_diversity import DistinctLDiversity
    from shoal.models.entropy_l_diversity import EntropyLDiversity
    from shoal.models.k_anonymity import KAnonymity
    from shoal.models.k_households import KHouseholds
    from shoal.models.l_diversity import LDiversity
    from shoal.models.m_invariance import MInvariance
    from shoal.models.nt_closeness import NTCloseness
    from shoal.models.personal import Personal
    from shoal.models.presence import DeltaPresence, KMap
    from shoal.models.range_diversity import RangeDiversity
    from shoal.models.recursive_l_diversity import RecursiveLDiversity
    from shoal.models.skyline import Skyline
    from shoal.models.t_closeness import TCloseness

__all__ = [
    "Alpha",
    "AverageTCloseness",
    "BetaLikeness",
    "CKSafety",
    "DeltaDisclosure",
    "DeltaPresence",
    "DistinctLDiversity",
    "EnhancedBetaLikeness",
    "EntropyLDiversity",
    "KAnonymity",
    "KHouseholds",
    "KMap",
    "LDiversity",
    "MInvariance",
    "Model",
    "Models",
    "NTCloseness",
    "Personal",
    "RangeDiversity",
    "RecursiveLDiversity",
    "Rule",
    "SensitiveModel",
    "Skyline",
    "TCloseness",
]

PLUGINS = "shoal.models"
"""The group of entry points by which other packages announce theirs."""

__getattr__ = on_demand(__name__)
