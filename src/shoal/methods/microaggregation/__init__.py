"""Microaggregation: four methods, with the clusters of near rows that they share."""
