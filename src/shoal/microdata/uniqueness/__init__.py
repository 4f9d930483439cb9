"""Estimates, from the sizes of classes, of how many people are unique in the population: one a file, and a rule."""
