"""Factors of weighted graphs: the cheapest edges that give every vertex one or two, or exactly two.

Both are found by maximum-weight matching, and proved least over every edge of the complete graph. Weights are whole
numbers, given as a symmetric array; what stands on its diagonal is not read. `rustworkx` and `highspy` are imported
only when a factor is looked for.
"""

from shoal.methods.k_anonymity.factors.matching import heaviest_matching
from shoal.methods.k_anonymity.factors.one_two import least_one_two_factor
from shoal.methods.k_anonymity.factors.two import cycles_of, least_two_factor

__all__ = ["cycles_of", "heaviest_matching", "least_one_two_factor", "least_two_factor"]
