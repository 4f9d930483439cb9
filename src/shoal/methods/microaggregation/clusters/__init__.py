"""Rows as points in space: how far they are from each other and from means, and clusters of near ones."""

from shoal.methods.microaggregation.clusters.closeness import Closeness
from shoal.methods.microaggregation.clusters.clusters import Clusters
from shoal.methods.microaggregation.clusters.free_rows import Remaining, seeds
from shoal.methods.microaggregation.clusters.points import Points

__all__ = ["Closeness", "Clusters", "Points", "Remaining", "seeds"]
