"""Parameters declared as data, read and refused in one place.

A model, method or builder declares its parameters as `Number`s; the reading below accepts what people type (`5`,
`0.2`, `"1/5"`) and returns an exact rational, so that 0.2 means one fifth and not the nearest binary fraction. What is
a dataclass of its parameters is read from words such as `intervals:width=5,10`, and written as plain data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, dataclass, fields
from datetime import date, datetime, time
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any, TypeAlias, TypeVar, cast

from shoal.core.errors import ParameterError, nearest

T = TypeVar("T")

Numeral: TypeAlias = int | float | str | Fraction
"""What a person may write for a number; 0.2 is one fifth."""


@dataclass(frozen=True)
class Number:
    """A numeric parameter: its name, what it means, and the range it must lie in."""

    name: str
    meaning: str
    minimum: Fraction | int | None = None
    maximum: Fraction | int | None = None
    whole: bool = False
    above: bool = False
    """Whether the minimum itself is excluded."""

    def read(self, given: object, owner: str) -> Fraction:
        """Return `given` as an exact rational, or raise `ParameterError` in words.

        >>> Number("t", "largest distance", 0, 1).read(0.2, "t")
        Fraction(1, 5)
        >>> Number("k", "smallest class", 1, whole=True).read("0", "k")
        Traceback (most recent call last):
        shoal.core.errors.ParameterError: k: k is '0'; expected a whole number of at least 1
        """
        value = as_fraction(given)
        if value is None or not self._holds(value):
            raise ParameterError(f"{owner}: {self.name} is {given!r}", expected=self.expectation())
        return value

    def _holds(self, value: Fraction) -> bool:
        low = self.minimum is None or (value > self.minimum if self.above else value >= self.minimum)
        high = self.maximum is None or value <= self.maximum
        return low and high and (not self.whole or value.denominator == 1)

    def expectation(self) -> str:
        """Say in words what the parameter must be."""
        kind = "a whole number" if self.whole else "a number"
        if self.minimum is not None and self.maximum is not None:
            start, to = ("above", "up to") if self.above else ("from", "to")
            return f"{kind} {start} {self.minimum} {to} {self.maximum}"
        if self.minimum is not None:
            return f"{kind} {'above' if self.above else 'of at least'} {self.minimum}"
        if self.maximum is not None:
            return f"{kind} of at most {self.maximum}"
        return kind


def as_fraction(given: object) -> Fraction | None:
    """Return the number a person meant, exactly; None if it is not a finite number.

    >>> as_fraction(0.1), as_fraction("1/3"), as_fraction("2e-1"), as_fraction("many"), as_fraction(float("nan"))
    (Fraction(1, 10), Fraction(1, 3), Fraction(1, 5), None, None)
    """
    if isinstance(given, bool) or given is None:
        return None
    try:
        if isinstance(given, Rational | Decimal):
            return Fraction(given)
        text = str(given).strip()
        return Fraction(text) if len(text) <= 400 and abs(_exponent(text)) <= 400 else None
    except (ValueError, ZeroDivisionError, OverflowError):
        return None


def _exponent(text: str) -> int:
    """Return the power of ten a number is written with; a giant one would fill the memory."""
    _, _, power = text.lower().partition("e")
    return int(power or 0)


def spelled(value: Fraction | int) -> str:
    """Write a rational the way a person would: 5, 0.2, 1/3.

    >>> spelled(Fraction(5)), spelled(Fraction(1, 5)), spelled(Fraction(1, 3))
    ('5', '0.2', '1/3')
    """
    value = Fraction(value)
    if value.denominator == 1:
        return str(value.numerator)
    text = repr(float(value))
    return text if as_fraction(text) == value and "e" not in text else str(value)


def as_truth(given: object, owner: str) -> bool:
    """Return a truth value as people write it: true or yes, false or no.

    >>> as_truth("yes", "invariant"), as_truth(False, "invariant")
    (True, False)
    """
    words = {"true": True, "yes": True, "false": False, "no": False}
    if str(given).strip().lower() not in words:
        raise ParameterError(f"{owner} is {given!r}", expected="yes or no")
    return words[str(given).strip().lower()]


def from_words(spec: str, kind_named: Callable[[str], type[T]]) -> T:
    """Return the thing that words mean: its name, and after a colon its parameters."""
    name, _, options = spec.partition(":")
    kind = kind_named(name.strip())
    return from_parameters(kind, options_of(kind, options))


def from_parameters(kind: type[T], parameters: Mapping[str, object]) -> T:
    """Return the thing of a kind that has these parameters, or raise `ParameterError` for one that it has not."""
    known = [field.name for field in _fields(kind)]
    for name in parameters:
        if name not in known:
            raise ParameterError(f"{_name(kind)} has no parameter {name!r}", hint=nearest(str(name), known))
    return cast(Callable[..., T], kind)(**parameters)


def parameters_of(thing: object, *, defaults: bool = False) -> dict[str, object]:
    """Return the parameters of a thing as plain data for TOML or JSON; those that are the default only if asked for."""
    own = [(field, getattr(thing, field.name)) for field in _fields(type(thing))]
    return {field.name: _plain(value) for field, value in own if defaults or value != field.default}


def options_of(kind: type, text: str, given: Sequence[str] = ()) -> dict[str, object]:
    """Cut `a=1,2,b=3` into parameters; what comes before the first name belongs to the first parameter.

    `given` are fields that are no options.
    """
    known = [field.name for field in _fields(kind) if field.name not in given]
    if not text.strip():
        return {}
    if not known:
        raise ParameterError(f"{_name(kind)} was given {text!r}", expected="no parameters")
    gathered: dict[str, list[str]] = {}
    name = known[0]
    for part in text.split(","):
        before, equals, after = part.partition("=")
        name = before.strip() if equals else name
        if name in given:
            raise ParameterError(f"{_name(kind)} has no parameter {name!r}", hint=nearest(name, known))
        gathered.setdefault(name, []).append(after if equals else part)
    return {name: ",".join(parts) for name, parts in gathered.items()}


def _fields(kind: type) -> tuple[Field[Any], ...]:
    return fields(kind)


def _name(kind: type) -> str:
    return str(vars(kind)["name"])


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else spelled(value)
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    return value.isoformat() if isinstance(value, date) else value
