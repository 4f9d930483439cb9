"""Mixing the distributions of fragments, class by class (compiled)."""

from __future__ import annotations

import numpy as np

from shoal.core.compiler import njit

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"


@njit(cache=True, nogil=True)
def mix(starts, fragments, taken, shares):
    """Return the sum of `taken` times the shares of the fragment, over the entries of each class."""
    mixed = np.zeros((len(starts) - 1, shares.shape[1]))
    for one in range(len(starts) - 1):
        for entry in range(starts[one], starts[one + 1]):
            share, fragment = taken[entry], fragments[entry]
            for value in range(shares.shape[1]):
                mixed[one, value] += share * shares[fragment, value]
    return mixed
