"""How many cases the tests look at: `SHOAL_THOROUGH=10` in the environment makes it ten times as many."""

import os

ASKED = os.environ.get("SHOAL_THOROUGH")
THOROUGH = int(ASKED or "1")


def many(cases: int) -> int:
    """Return a number of cases, raised by the environment.

    >>> many(50) == 50 * THOROUGH
    True
    """
    return cases * THOROUGH


def examples(cases: int) -> int:
    """Return how many examples a law is tried on: so many, raised by the environment; a third where it is silent.

    `make test` draws a third, as it has to be quick; `make test-all` draws all.

    >>> examples(50) == (many(50) if ASKED else 17)
    True
    """
    return many(cases) if ASKED else -(-cases // 3)
