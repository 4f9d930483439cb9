"""The classes during a local search: sizes, costs, counts of values, and who may come and go (compiled).

`rules` are the requirements of a class, see `Checks`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.core.arrays import Ints
from shoal.core.compiler import njit
from shoal.patterns.admit import meets

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"


class ClassState(NamedTuple):
    """Which class each row is in, and what the classes are; moving a row changes it."""

    type_of_row: Ints
    class_of_row: Ints
    size: Ints
    cost: Ints
    counted: Ints
    """Class by attribute by value: how many rows have it."""


@njit(cache=True)
def class_state(layout, type_of_row, class_of_row, node_of_class, rules, room):
    """Return the state of all classes, with room for as many as `room`."""
    _, _, _, left_losses, right_losses, nodes = layout
    cost, counted = np.zeros(room, np.int64), np.zeros((room, *rules.shares.shape), np.int64)
    state = ClassState(type_of_row, class_of_row, np.zeros(room, np.int64), cost, counted)
    for r in range(len(type_of_row)):
        c, t = class_of_row[r], type_of_row[r]
        a, b = nodes[node_of_class[c]]
        cost[c] = left_losses[a, t] + right_losses[b, t]
        add(c, t, 1, state, rules)
    return state


@njit(cache=True)
def add(c, t, change, state, rules):
    """Count one row of a type more (1) or less (-1) in a class."""
    codes, counted = rules.codes, state.counted
    state.size[c] += change
    for d in range(len(codes)):
        counted[c, d, codes[d, t]] += change


@njit(cache=True)
def admitted(c, state, rules):
    """Whether a class has enough rows and meets every requirement."""
    return state.size[c] >= rules.rows and meets(rules, state.counted[c])


@njit(cache=True)
def with_change(c, t, change, state, rules):
    """Whether a class would be admitted with one row of a type more (1) or less (-1)."""
    add(c, t, change, state, rules)
    good = admitted(c, state, rules)
    add(c, t, -change, state, rules)
    return good


@njit(cache=True)
def move(r, there, state, rules):
    """Move a row to another class."""
    t = state.type_of_row[r]
    add(state.class_of_row[r], t, -1, state, rules)
    add(there, t, 1, state, rules)
    state.class_of_row[r] = there
