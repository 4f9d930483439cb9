"""Rows as points in space: how far they are from each other and from means, and clusters of near ones."""

from shoal.methods.microaggregation.clusters.closeness import Closeness
from shoal.methods.microaggregation.clusters.clusters import Clusters
from shoal.methods.microaggregation.clusters.points import Points
from shoal.methods.microaggregation.clusters.remaining import Remaining, seeds

__all__ = ["Closeness", "Clusters", "Points", "Remaining", "seeds"]
