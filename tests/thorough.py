"""How many cases the tests look at: `SHOAL_THOROUGH=10` in the environment makes it ten times as many."""

import os

THOROUGH = int(os.environ.get("SHOAL_THOROUGH", "1"))


def many(cases: int) -> int:
    """Return a number of cases, raised by the environment.

    >>> many(50) == 50 * THOROUGH
    True
    """
    return cases * THOROUGH
