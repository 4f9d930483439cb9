"""A model whose number runs through several values: `k=2..50`, `t(income)=0.1..0.5..0.1`, `l(illness)=2,3,5`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from shoal.core.errors import ParameterError
from shoal.core.parameters import as_fraction, spelled
from shoal.models import Model, Models
from shoal.models.requirement import parse_requirement

POINTS = 10
"""Whole values that two ends stand for, at most about."""
PARTS = 4
"""Equal parts between two ends that are not whole."""
MOST = 200
"""Values at most."""
WRITTEN = "k=2..50, l(illness)=2,3,5 or t(income)=0.1..0.5..0.1, the last with its step"


@dataclass(frozen=True)
class Vary:
    """A model as it is written before the `=`, and the values of its number."""

    model: str
    values: tuple[Fraction, ...]

    @classmethod
    def of(cls, text: str) -> Vary:
        """Read what is varied, or raise `ParameterError`.

        >>> found = Vary.of("t(income:ordered)=0.1..0.3..0.1")
        >>> found.model, [str(found.at(value)) for value in found.values]
        ('t(income:ordered)', ['t(income:ordered)=0.1', 't(income:ordered)=0.2', 't(income:ordered)=0.3'])
        >>> [int(value) for value in Vary.of("k=2..50").values]
        [2, 3, 4, 6, 8, 12, 17, 24, 35, 50]
        """
        model, equals, said = text.rpartition("=")
        if not equals:
            raise ParameterError(f"vary is {text!r}", expected=WRITTEN)
        found = cls(model.strip(), _values(said))
        for value in found.values:
            found.at(value)
        return found

    def at(self, value: Fraction) -> Model:
        """Return the model at a value."""
        (model,) = parse_requirement(f"{self.model}={spelled(value)}")
        return model

    @property
    def kind(self) -> type[Model]:
        """Which model it is."""
        return type(self.at(self.values[0]))

    def check_besides(self, fixed: Models) -> None:
        """Refuse a requirement that already says what is varied."""
        varied = self.at(self.values[0])
        for model in fixed:
            if type(model) is type(varied) and (model.attributes, model.given) == (varied.attributes, varied.given):
                raise ParameterError(
                    f"{model} is required, and {self.model} is varied", hint="leave one of the two out"
                )


def _values(said: str) -> tuple[Fraction, ...]:
    """Return the values that are listed, or between two ends."""
    ends = said.split("..")
    if len(ends) > 3 or ("," in said and len(ends) > 1):
        raise ParameterError(f"the values to vary are {said!r}", expected=WRITTEN)
    if len(ends) == 1:
        return tuple(dict.fromkeys(_number(one) for one in said.split(",")))
    low, high = _number(ends[0]), _number(ends[1])
    if low >= high:
        raise ParameterError(f"the values go from {ends[0]} to {ends[1]}", expected="the lower one first")
    return _steps(low, high, _number(ends[2])) if len(ends) == 3 else _spread(low, high)


def _number(text: str) -> Fraction:
    value = as_fraction(text)
    if value is None:
        raise ParameterError(f"{text!r} is not a number", expected=WRITTEN)
    return value


def _steps(low: Fraction, high: Fraction, step: Fraction) -> tuple[Fraction, ...]:
    if step <= 0 or (high - low) / step >= MOST:
        raise ParameterError(f"the step is {spelled(step)}", expected=f"a step above 0, for at most {MOST} values")
    return tuple(low + step * place for place in range(int((high - low) / step) + 1))


def _spread(low: Fraction, high: Fraction) -> tuple[Fraction, ...]:
    """Return values between two ends: whole ones in equal ratios, others in equal parts."""
    if low.denominator > 1 or high.denominator > 1 or low <= 0:
        return tuple(low + (high - low) * place / PARTS for place in range(PARTS + 1))
    if high - low < POINTS:
        return tuple(Fraction(value) for value in range(int(low), int(high) + 1))
    ratio = float(high / low) ** (1 / (POINTS - 1))
    return tuple(dict.fromkeys(Fraction(round(float(low) * ratio**place)) for place in range(POINTS)))
