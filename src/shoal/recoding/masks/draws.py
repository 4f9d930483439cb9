"""Random draws that follow from a secret key: whoever does not know it cannot repeat them, nor infer the next one."""

from __future__ import annotations

import hashlib
import hmac

import numpy as np
from numpy.typing import NDArray

from shoal.core.arrays import Floats, Ints
from shoal.core.numerics.normal_quantile import normal_quantile


class Draws:
    """Draws of a key for a purpose, by the extendable hash SHAKE-256; the same ones on every machine.

    >>> Draws("secret", "income").permutation(5).tolist()
    [1, 3, 0, 2, 4]
    """

    def __init__(self, key: str, purpose: str) -> None:
        self._key, self._purpose, self._asked = key, purpose, 0

    def words(self, many: int) -> NDArray[np.uint64]:
        """Return as many random numbers of 64 bits."""
        self._asked += 1
        source = keyed_hash(self._key, f"{self._asked} {self._purpose}")
        return np.frombuffer(hashlib.shake_256(source).digest(8 * many), dtype="<u8")

    def uniform(self, many: int) -> Floats:
        """Return numbers between 0 and 1, neither of them among these."""
        return ((self.words(many) >> np.uint64(12)).astype(np.float64) + 0.5) / 2.0**52

    def normal(self, many: int) -> Floats:
        """Return numbers of the standard normal distribution."""
        return normal_quantile(self.uniform(many))

    def permutation(self, many: int) -> Ints:
        """Return the numbers below `many` in a random order."""
        return np.argsort(self.words(many), kind="stable")


def keyed_hash(key: str, text: str) -> bytes:
    """Return the HMAC-SHA256 of a text."""
    return hmac.digest(key.encode(), text.encode(), "sha256")
