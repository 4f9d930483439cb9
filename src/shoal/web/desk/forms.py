"""Models as forms: fields from what every model declares, and the sentence that a filled-in form means."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

import shoal.models
from shoal.core.discovery import discover, lookup
from shoal.core.errors import ParameterError
from shoal.core.parameters import spelled
from shoal.models import Model
from shoal.models.emd import GroundDistance
from shoal.models.requirement import as_models

WHOLE, SHARE, OTHER = "5", "0.2", "2"
"""What a field starts with: a whole number, a number from 0 to 1, any other."""


@dataclass(frozen=True)
class Field:
    """A number of a model: what it means, the range it lies in, what to start with."""

    name: str
    meaning: str
    least: str | None
    most: str | None
    whole: bool
    start: str
    expected: str
    """The range in words."""


@dataclass(frozen=True)
class Form:
    """A model to be filled in."""

    name: str
    title: str
    meaning: str
    fields: tuple[Field, ...]
    reads_attribute: bool
    """Whether it speaks of a sensitive column."""
    options: tuple[str, ...]
    """Distances to choose from, the one that is chosen by itself first; none for most models."""
    larger_is_stricter: bool
    needs_population: bool
    needs_households: bool


def models() -> tuple[Form, ...]:
    """Return a form for every model that discovery finds, but for those that need a second column for every person."""
    return tuple(_form(kind) for kind in discover(shoal.models, Model).values() if not kind.needs_guards)


def _form(kind: type[Model]) -> Form:
    measured = "distance" in {one.name for one in fields(kind)}  # type: ignore[arg-type]
    return Form(
        kind.name,
        kind.title,
        kind.meaning,
        tuple(_field(kind, place) for place in range(len(kind.parameters))),
        kind.reads_attribute,
        ("auto", *GroundDistance.names()) if measured else (),
        kind.larger_is_stricter,
        kind.needs_population,
        kind.needs_households,
    )


def _field(kind: type[Model], place: int) -> Field:
    number = kind.parameters[place]
    least, most = (None if end is None else spelled(end) for end in (number.minimum, number.maximum))
    start = WHOLE if number.whole else SHARE if number.maximum == 1 else OTHER
    if number.maximum is not None and kind.least_asked[place] == number.minimum:
        start = least or start  # the lower end of a range
    return Field(number.name, number.meaning, least, most, number.whole, start, number.expectation())


def written(name: str, numbers: Sequence[object], columns: Sequence[str] = (), option: str | None = None) -> str:
    """Return a filled-in form as a requirement has it, or raise `ParameterError` in words.

    >>> written("t", ["0.2"], ["income"], "ordered"), written("k", [5])
    ('t(income:ordered)=0.2', 'k=5')
    """
    kind = lookup(shoal.models, Model, name, "model")
    if kind.reads_attribute and not columns:
        raise ParameterError(f"{kind.title} names no column", expected="a sensitive column")
    given = None if option in (None, "auto") else option
    return str(kind.parse(tuple(columns), (), given, [str(number) for number in numbers]))


@dataclass(frozen=True)
class Filled:
    """A form as it was filled in."""

    name: str
    numbers: tuple[str, ...]
    columns: tuple[str, ...]
    given: tuple[str, ...]
    option: str | None


def filled(text: str) -> Filled:
    """Return the form that one model was written from.

    >>> filled("t(income:ordered)=0.2")
    Filled(name='t', numbers=('0.2',), columns=('income',), given=(), option='ordered')
    """
    model = as_models(text).all[0]
    option = getattr(model, "distance", None)
    return Filled(model.name, tuple(map(spelled, model.asked)), model.attributes, model.given, option)


def explained(text: str, words: Callable[[str], str] = str) -> tuple[str, ...]:
    """Return what each model of a requirement asks for, in a sentence with its numbers; `words` may translate it.

    >>> explained("k=5 l(illness)=3")
    ('every class has at least 5 rows', 'illness: no sensitive value fills more than 1/3 of a class')
    >>> explained("k-households=3 sample-uniques=0.05")
    ('every class has members of at least 3 households', 'at most 0.05 of the rows are unique')
    """
    return tuple(_sentence(model, words(model.meaning)) for model in as_models(text))


def _sentence(model: Model, said: str) -> str:
    """Return what a model asks for with numbers in the place of their names, and of an article before one."""
    for parameter, number in zip(model.parameters, model.asked, strict=True):
        said = re.sub(rf"\b(?:(?:a|the) )?{parameter.name}\b", spelled(number), said)
    where = " and ".join(model.attributes) + "".join(f", {name} being known" for name in model.given)
    return f"{where}: {said}" if where else said
