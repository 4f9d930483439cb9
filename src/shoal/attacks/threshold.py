"""Thresholds of attacks: what the requirement of a release promises, and what `fail_above` sets for a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from shoal.core.errors import ParameterError
from shoal.core.parameters import Number, Numeral
from shoal.models import Model

SHARE = Number("share", "the largest risk that passes", 0, 1)
FORM = "a share from 0 to 1 such as 0.2, for some attacks linkage=0.2,homogeneity=0"
FailAbove: TypeAlias = Numeral | Mapping[str, Numeral] | None


@dataclass(frozen=True)
class Threshold:
    """The largest risk that passes, and the model that promises it; `by` is empty where it was set for the run."""

    share: Fraction
    by: str = ""

    @classmethod
    def excluded(cls, models: Iterable[Model], excludes: Callable[[Model], bool]) -> Threshold | None:
        """Return the threshold 0 where one of some models excludes an attack."""
        return next((cls(Fraction(0), str(model)) for model in models if excludes(model)), None)


@dataclass(frozen=True)
class Limits:
    """The thresholds of a run: a share for every attack, and shares for some by name.

    >>> Limits.read("0.05, linkage=1/5")
    Limits(every=Fraction(1, 20), named={'linkage': Fraction(1, 5)})
    >>> Limits.read({"homogeneity": 0}).named, Limits.read(None).is_set
    ({'homogeneity': Fraction(0, 1)}, False)
    """

    every: Fraction | None = None
    named: Mapping[str, Fraction] = field(default_factory=dict)

    @classmethod
    def read(cls, given: FailAbove) -> Limits:
        """Read a share, a mapping from attacks to shares, or a text with one of these or both."""
        if given is None:
            return cls()
        if isinstance(given, Mapping):
            return cls(None, {name: _share(share, name) for name, share in given.items()})
        every: list[Fraction] = []
        named: dict[str, Fraction] = {}
        for part in str(given).split(","):
            name, equals, share = (text.strip() for text in part.rpartition("="))
            if name in named or (not equals and every):
                raise ParameterError(f"fail-above sets {name or 'all attacks'} twice", expected=FORM)
            if equals:
                named[name] = _share(share, name)
            else:
                every.append(_share(share, "fail-above"))
        return cls(every[0] if every else None, named)

    @property
    def is_set(self) -> bool:
        """Whether any was set."""
        return self.every is not None or bool(self.named)

    def of(self, attack: str) -> Threshold | None:
        """Return the threshold that was set for an attack."""
        share = self.named.get(attack, self.every)
        return None if share is None else Threshold(share)


def _share(given: object, owner: str) -> Fraction:
    try:
        return SHARE.read(given, owner)
    except ParameterError as error:
        raise ParameterError(error.given, expected=FORM) from error
