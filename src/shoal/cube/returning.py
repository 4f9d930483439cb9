"""Giving rows back to the unaltered classes they came from; see `shoal.cube.loops` for how the loop is run."""

# ruff: noqa: E741 - l is the paper's name

from __future__ import annotations

import numpy as np

from shoal.arrays import Bools, Ints


def give_back(
    home: Ints, class_of: Ints, pair: Ints, stay: Ints, sizes: Ints, tall: Ints, spare: Ints, l: int
) -> Bools:
    """Return which altered rows may go home, one after the other: both classes stay l-eligible.

    Row i belongs to class `home[i]`, unaltered, of so many rows (`sizes`) and so many of the commonest value (`tall`);
    `stay[pair[i]]` of them have its value. It is in class `class_of[i]`, which can spare `spare[class_of[i]]` rows.
    """
    goes = np.zeros(len(home), np.bool_)
    for i in range(len(home)):
        q, c, p = home[i], class_of[i], pair[i]
        if spare[c] > 0 and sizes[q] + 1 >= l * max(tall[q], stay[p] + 1):
            stay[p] += 1
            sizes[q] += 1
            tall[q] = max(tall[q], stay[p])
            spare[c] -= 1
            goes[i] = True
    return goes
