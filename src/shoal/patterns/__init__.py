"""The cube: every pattern that rows can be published with; shared by bounds, methods and the checkers' opponents."""

from shoal.patterns.cube import Cube, Half, pattern_hierarchies, refusals

__all__ = ["Cube", "Half", "pattern_hierarchies", "refusals"]
