"""Full-domain recodings as a lattice: levels, group-bys and their roll-ups, what is failing, what it costs, the search.

Compiled loops are imported where they are run, never here.
"""

from shoal.methods.full_domain.lattice.grouping import Ground, Grouping
from shoal.methods.full_domain.lattice.levels import Lattice, Levels
from shoal.methods.full_domain.lattice.measures import Additive, Measure, PublishedMeasure, Tables, measure_of
from shoal.methods.full_domain.lattice.search import LatticeSearch
from shoal.methods.full_domain.lattice.verdicts import Fate, Seen, Verdicts

__all__ = [
    "Additive",
    "Fate",
    "Ground",
    "Grouping",
    "Lattice",
    "LatticeSearch",
    "Levels",
    "Measure",
    "PublishedMeasure",
    "Seen",
    "Tables",
    "Verdicts",
    "measure_of",
]
