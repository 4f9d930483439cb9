"""Rows as points in space: how far they are from each other and from means, and clusters of near ones."""

from shoal.clusters.closeness import Closeness
from shoal.clusters.clusters import Clusters
from shoal.clusters.points import Points
from shoal.clusters.remaining import Remaining, seeds

__all__ = ["Closeness", "Clusters", "Points", "Remaining", "seeds"]
