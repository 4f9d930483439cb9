"""Risk: who could still be found in a table, raw or published, and by what.

    table --quasi--> Crowds --> prosecutor, journalist, marketer   (attackers)
                            --> unique rows              (uniques)
                            --> columns that single people out     (singling, suda)
                            --> uniques of the population          (shoal.microdata.uniqueness)
                            --> individual risk by record weights  (individual)
                            --> risk of households                 (household)
                            --> a model of all cells               (log_linear)

One measure a file. Everything is read from the table's cells; nothing is known of how it was made.
"""

from shoal.microdata.uniqueness.population_uniques import Estimate, PopulationUniques
from shoal.risk.attackers import Attacker, Exceeding
from shoal.risk.household import HouseholdRisk
from shoal.risk.individual import IndividualRisk
from shoal.risk.log_linear import LogLinearRisk
from shoal.risk.report import Risk, measure
from shoal.risk.singling import Search, SinglingSet
from shoal.risk.suda import ColumnShare, Suda
from shoal.risk.uniques import Uniques

__all__ = [
    "Attacker",
    "ColumnShare",
    "Estimate",
    "Exceeding",
    "HouseholdRisk",
    "IndividualRisk",
    "LogLinearRisk",
    "PopulationUniques",
    "Risk",
    "Search",
    "SinglingSet",
    "Suda",
    "Uniques",
    "measure",
]
