"""Inspection: what a table holds before it is anonymized, and which role each column should play.

    Table --profile--> counts --name, values, kin, shape--> Column(role, reason) --quasi--> sets that single people out
          --look_alikes--> columns that may identify people, for every run that publishes

Everything found is a proposal in words for a person to judge. Names, counts and shares are told, never a cell.
"""

from shoal.inspection.columns import Column, Role
from shoal.inspection.ranking import Step
from shoal.inspection.report import Inspection, inspect
from shoal.inspection.suggestion import Answers
from shoal.risk.singling import Search, SinglingSet

__all__ = ["Answers", "Column", "Inspection", "Role", "Search", "SinglingSet", "Step", "inspect"]
