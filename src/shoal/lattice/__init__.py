"""Full-domain recodings as a lattice: levels, group-bys and their roll-ups, what is failing, what it costs, the search.

Compiled loops are imported where they are run, never here.
"""

from shoal.lattice.grouping import Ground, Grouping
from shoal.lattice.levels import Lattice, Levels
from shoal.lattice.measures import Additive, Measure, Tables, Whole, measure_of
from shoal.lattice.search import Search
from shoal.lattice.verdicts import Fate, Seen, Verdicts

__all__ = [
    "Additive",
    "Fate",
    "Ground",
    "Grouping",
    "Lattice",
    "Levels",
    "Measure",
    "Search",
    "Seen",
    "Tables",
    "Verdicts",
    "Whole",
    "measure_of",
]
