"""Simplex matching: rows in pairs and triples at least cost (Anshelevich and Karagiozova 2011).

Two rows, or three, are a class. Every larger class can be cut into such without paying more, so the best release of
2-anonymity is a perfect matching by pairs and triples, and so is that of 2-diversity, where the rows of a pair or
triple have different sensitive values. A pair costs a row no more than a triple around it (the simplex condition).
"""

from shoal.methods.k_anonymity.simplex.matching import Matching, match
from shoal.methods.k_anonymity.simplex.points import Points

__all__ = ["Matching", "Points", "match"]
