"""Privacy models, one per file; see `base` for the contract and `shoal.requirement` for how they are written."""

from shoal.models.base import Model, Models, SensitiveModel
from shoal.models.distinct_l_diversity import DistinctLDiversity
from shoal.models.entropy_l_diversity import EntropyLDiversity
from shoal.models.k_anonymity import KAnonymity
from shoal.models.l_diversity import LDiversity
from shoal.models.recursive_l_diversity import RecursiveLDiversity
from shoal.models.t_closeness import TCloseness

__all__ = [
    "DistinctLDiversity",
    "EntropyLDiversity",
    "KAnonymity",
    "LDiversity",
    "Model",
    "Models",
    "RecursiveLDiversity",
    "SensitiveModel",
    "TCloseness",
]
