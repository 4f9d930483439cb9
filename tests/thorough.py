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
    """Return how many examples Hypothesis draws: so many, raised by the environment; half of them where it is silent.

    `make test` draws half, as it has to be quick; `make test-all` draws all.

    >>> examples(50) == (many(50) if ASKED else 25)
    True
    """
    return many(cases) if ASKED else max(cases // 2, 1)
