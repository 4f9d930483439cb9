"""Fragments: parts of the sensitive values so narrow that it does not matter which records a class takes from them.

The distance of a class to the table is then bounded before a single record is chosen (t-closeness for any number of
sensitive attributes, after the thesis on numerical ones; its bounds sharpened, its class sizes made flexible).
"""

from shoal.methods.t_closeness.fragmentation.axes import Axis, Tuples, axes_of
from shoal.methods.t_closeness.fragmentation.distance_bound import DistanceBound, Sizes
from shoal.methods.t_closeness.fragmentation.fragmentation import Fragment, Fragmentation, find_fragmentation
from shoal.methods.t_closeness.fragmentation.sizing import equal_sizes, size

__all__ = [
    "Axis",
    "DistanceBound",
    "Fragment",
    "Fragmentation",
    "Sizes",
    "Tuples",
    "axes_of",
    "equal_sizes",
    "find_fragmentation",
    "size",
]
