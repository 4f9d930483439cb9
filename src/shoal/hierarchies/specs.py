"""Builders as words: what people write in a call, a command line or `shoal.toml`, and back.

`as_builder` accepts every way of naming a hierarchy; `spec_of` writes a builder as plain data that reads back
as the same builder.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import shoal.hierarchies
from shoal.core.discovery import lookup
from shoal.core.errors import ParameterError, nearest
from shoal.core.parameters import from_parameters, from_words, parameters_of
from shoal.hierarchies.base import Builder

TABLES = (".csv", ".csv.gz")
FILES = (*TABLES, ".json", ".json.gz")


def as_builder(spec: object) -> Builder:
    """Return the builder that is meant: a builder, a file, a tree, a mapping with a `builder`, or words.

    >>> as_builder("prefixes:lengths=3,2") == as_builder({"builder": "prefixes", "lengths": [3, 2]})
    True
    >>> as_builder("dates:month,year").levels
    ('month', 'year')
    >>> as_builder("interval:width=5")
    Traceback (most recent call last):
    shoal.core.errors.ParameterError: unknown hierarchy builder 'interval'; did you mean 'intervals'?
    >>> as_builder("intervals:with=5")
    Traceback (most recent call last):
    shoal.core.errors.ParameterError: intervals has no parameter 'with'; did you mean 'width'?
    """
    if isinstance(spec, Builder):
        return spec
    if isinstance(spec, Path) or (isinstance(spec, str) and spec.lower().endswith(FILES)):
        taxonomy = shoal.hierarchies.Taxonomy
        return (taxonomy.from_csv if str(spec).lower().endswith(TABLES) else taxonomy.from_json)(spec)
    if isinstance(spec, Mapping) and isinstance(spec.get("builder"), str):
        return from_parameters(_kind(spec["builder"]), {key: one for key, one in spec.items() if key != "builder"})
    if isinstance(spec, Mapping):
        return shoal.hierarchies.Taxonomy.from_tree(spec)
    if isinstance(spec, str):
        return from_words(spec, _kind)
    raise ParameterError(
        f"a hierarchy is given as a {type(spec).__name__}",
        expected="a builder, a file name, a nested mapping, or words such as 'intervals:width=5,10'",
    )


def spec_of(builder: Builder) -> dict[str, object]:
    """Return the builder as plain data for TOML or JSON; `as_builder` of it equals the builder.

    >>> spec_of(as_builder("intervals:width=0.5,5"))
    {'builder': 'intervals', 'width': ['0.5', 5]}
    """
    return {"builder": builder.name} | parameters_of(builder)


def listed(given: object) -> tuple[object, ...]:
    """Return one or several things as a tuple; a text is cut at its commas.

    >>> listed("5, 10"), listed(5), listed([5, 10])
    (('5', '10'), (5,), (5, 10))
    """
    if isinstance(given, str):
        return tuple(part.strip() for part in given.split(",")) if given.strip() else ()
    return tuple(given) if isinstance(given, Iterable) else (given,)


def read_levels(given: object, known: tuple[str, ...], owner: str, hint: str = "") -> tuple[str, ...]:
    """Return the names of levels that are given, finest first, or raise `ParameterError`.

    >>> read_levels("month, year", ("day", "month", "year"), "dates")
    ('month', 'year')
    """
    levels = tuple(str(level).strip() for level in listed(given))
    for level in levels:
        if level not in known:
            raise ParameterError(f"{owner}: unknown level {level!r}", hint=hint or nearest(level, known))
    if not levels or list(levels) != [level for level in known if level in levels]:
        raise ParameterError(
            f"{owner}: levels are {', '.join(levels) or 'none'}",
            expected=f"some of {', '.join(known)}, each once and in this order",
        )
    return levels


def _kind(name: str) -> type[Builder]:
    return lookup(shoal.hierarchies, Builder, name, "hierarchy builder")
