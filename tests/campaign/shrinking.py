"""The smallest table that still breaks a law: rows, columns and models are taken away as long as it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

from tests.campaign.trials import Trial


def smallest(trial: Trial, breaks: Callable[[Trial], bool], steps: int = 300) -> Trial:
    """Return a trial that breaks the law, and none that is smaller by one step does."""
    while steps > 0:
        for smaller in _smaller(trial):
            steps -= 1
            if steps <= 0 or _still(smaller, breaks):
                break
        else:
            return trial
        if steps > 0:
            trial = smaller
    return trial


def _still(trial: Trial, breaks: Callable[[Trial], bool]) -> bool:
    try:
        return breaks(trial)
    except Exception:
        return False


def _smaller(trial: Trial) -> Iterator[Trial]:
    """Yield trials that are smaller by one step, those that save most first."""
    rows = range(len(trial.rows))
    if len(trial.models) > 1:
        for model in trial.models:
            yield replace(trial, models=tuple(other for other in trial.models if other != model))
    if len(trial.quasi) > 1:
        for name in trial.quasi:
            yield trial.without_column(name)
    for row in rows if len(rows) > 1 else ():
        yield trial.taken([other for other in rows if other != row])
    people = len(next(iter(trial.population.values()), ()))
    for person in range(people) if people > 1 else ():
        kept = {name: [v for i, v in enumerate(of) if i != person] for name, of in trial.population.items()}
        yield replace(trial, population=kept)
    if trial.max_dropped:
        yield replace(trial, max_dropped=Fraction(0))
    if trial.max_suppressed:
        yield replace(trial, max_suppressed=Fraction(0))
    if trial.weights:
        yield replace(trial, weights={})
    if trial.cost is not None:
        yield replace(trial, cost=None)
    for name in trial.column_recodings:
        fewer = {other: recoding for other, recoding in trial.column_recodings.items() if other != name}
        yield replace(trial, column_recodings=fewer)
