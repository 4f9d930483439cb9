"""Discovery: adding a model, a cost, a bound, a method or a hierarchy builder is adding one file.

A kind of thing (say, models) lives in a package. Every module there and in the packages inside it, one level deep, is
imported, and so is every entry point in other people's packages of the group that the package names as `PLUGINS`; each
class with a `name` of its own is found. Modules called `kernels` or `..._kernel` hold compiled loops and are left out:
importing them would load the compiler.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from functools import cache
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any, TypeVar

from shoal.core.errors import ParameterError, ShoalError, nearest

T = TypeVar("T")
KERNEL = ("kernel", "kernels")
"""How the names of modules end that hold compiled loops."""


def discover(package: ModuleType, kind: type[T]) -> dict[str, type[T]]:
    """Return every concrete subclass of `kind` found in `package` or announced by an entry point, by its name.

    >>> import shoal.models
    >>> [name for name in discover(shoal.models, shoal.models.Model) if name.endswith("l")]
    ['distinct-l', 'entropy-l', 'l', 'recursive-l']
    """
    found: dict[str, type[T]] = {}
    for module in _modules(package):
        for thing in vars(module).values():
            if _is_concrete(thing, kind) and thing.__module__ == module.__name__:
                _add(found, thing)
    for thing in _announced(package.PLUGINS):
        _add(found, thing)
    return dict(sorted(found.items()))


def lookup(package: ModuleType, kind: type[T], name: str, word: str) -> type[T]:
    """Return the thing of that name, or raise `ParameterError` that names the nearest one.

    >>> import shoal.costs
    >>> lookup(shoal.costs, shoal.costs.Cost, "star", "cost")
    Traceback (most recent call last):
    shoal.core.errors.ParameterError: unknown cost 'star'; did you mean 'stars'?
    """
    found = discover(package, kind)
    if name not in found:
        raise ParameterError(f"unknown {word} {name!r}", hint=nearest(name, found))
    return found[name]


@cache
def _announced(group: str) -> list[Any]:
    """Return what other packages announce; asked once, because it reads the metadata of everything installed."""
    return [point.load() for point in entry_points(group=group)]


def _modules(package: ModuleType) -> list[ModuleType]:
    """Return the modules of a package, and those of the packages inside it."""
    inside = _imported(package)
    return inside + [module for family in inside if hasattr(family, "__path__") for module in _imported(family)]


def _imported(package: ModuleType) -> list[ModuleType]:
    """Import what lies directly in a package, but for compiled loops."""
    names = sorted(info.name for info in pkgutil.iter_modules(package.__path__) if not info.name.endswith(KERNEL))
    return [importlib.import_module(f"{package.__name__}.{name}") for name in names]


def _is_concrete(thing: object, kind: type[T]) -> bool:
    return (
        inspect.isclass(thing) and issubclass(thing, kind) and not inspect.isabstract(thing) and "name" in vars(thing)
    )


def _add(found: dict[str, type[T]], thing: type[T]) -> None:
    name = str(vars(thing)["name"])
    if name in found and found[name] is not thing:
        raise ShoalError(f"two classes call themselves {name!r}: {found[name].__module__} and {thing.__module__}")
    found[name] = thing
