"""Discovery: adding a model, a cost, a bound, a method, a hierarchy builder or a reader is adding one file.

A kind of thing (say, models) lives in a package. Every module there and in the packages inside it, one level deep, is
imported, and so is every entry point in other people's packages of the group that the package names as `PLUGINS`; each
class with a `name` of its own is found. Modules called `kernels` or `..._kernel` hold compiled loops alone and are
left out.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import Any, TypeVar
from warnings import warn

from shoal.core.errors import ParameterError, PluginWarning, ShoalError, nearest
from shoal.core.on_demand import source_of

T = TypeVar("T")
KERNEL = ("kernel", "kernels")
"""How the names of modules end that hold compiled loops."""


def discover(package: ModuleType, kind: type[T]) -> dict[str, type[T]]:
    """Return every concrete subclass of `kind` found in `package` or announced by an entry point, by its name.

    >>> import shoal.models
    >>> [name for name in discover(shoal.models, shoal.models.Model) if name.endswith("-l")]
    ['distinct-l', 'entropy-l', 'grassberger-l', 'recursive-l']
    """
    return declaring(package, kind, "")


def declaring(package: ModuleType, kind: type[T], text: str) -> dict[str, type[T]]:
    """Return those found in the modules whose text has `text` in it, which alone are imported, and those announced."""
    return dict(_found(package, kind, tuple(package.__path__), text))  # type: ignore[arg-type] # a class is hashable


def lookup(package: ModuleType, kind: type[T], name: str, word: str) -> type[T]:
    """Return the thing of that name, or raise `ParameterError` that names the nearest one.

    Only the modules are imported whose text declares the name, and all of them where none does.

    >>> import shoal.costs
    >>> lookup(shoal.costs, shoal.costs.Cost, "star", "cost")
    Traceback (most recent call last):
    shoal.core.errors.ParameterError: unknown cost 'star'; did you mean 'stars'?
    """
    found = declaring(package, kind, f'name: ClassVar[str] = "{name}"')
    if name not in found:
        found = discover(package, kind)
    if name not in found:
        raise ParameterError(f"unknown {word} {name!r}", hint=nearest(name, found))
    return found[name]


@cache
def _announced(group: str) -> list[Any]:
    """Return what other packages announce; asked once, because it reads the metadata of everything installed.

    What cannot be loaded is left out, with a warning that names it: a broken plugin does not keep shoal from working.
    """
    return [thing for point in entry_points(group=group) if (thing := _loaded(point)) is not None]


def _loaded(point: EntryPoint) -> Any:
    try:
        return point.load()
    except Exception as error:
        source = point.dist.name if point.dist else "an unnamed package"
        said = (
            f"the plugin {point.name!r} of {source} cannot be loaded and is left out: {type(error).__name__}: {error}"
        )
        warn(said, PluginWarning, stacklevel=2)
        return None


@cache
def _found(package: ModuleType, kind: type[Any], path: tuple[str, ...], text: str) -> dict[str, type[Any]]:
    """Return the things that some modules of a package define, and those that are announced, by name.

    The folders of a package are walked once for each `path` that it has.
    """
    found: dict[str, type[Any]] = {}
    for module in _modules(package, text):
        for thing in vars(module).values():
            if _is_concrete(thing, kind) and thing.__module__ == module.__name__:
                _add(found, thing)
    for thing in _announced(package.PLUGINS):
        _add(found, thing)
    return dict(sorted(found.items()))


def _modules(package: ModuleType, text: str) -> list[ModuleType]:
    """Import the modules of a package and of the packages inside it that have a text in theirs."""
    inside = _imported(package, text)
    return inside + [module for family in inside if hasattr(family, "__path__") for module in _imported(family, text)]


def _imported(package: ModuleType, text: str) -> list[ModuleType]:
    """Import what lies directly in a package, but for compiled loops, if it has a text in its own."""
    infos = [info for info in pkgutil.iter_modules(package.__path__) if not info.name.endswith(KERNEL)]
    inside = sorted((f"{package.__name__}.{info.name}", info.ispkg) for info in infos)
    return [
        importlib.import_module(module)  # found, not named
        for module, is_package in inside
        if not text or is_package or text in source_of(module)
    ]


def _is_concrete(thing: object, kind: type[T]) -> bool:
    return (
        inspect.isclass(thing) and issubclass(thing, kind) and not inspect.isabstract(thing) and "name" in vars(thing)
    )


def _add(found: dict[str, type[T]], thing: type[T]) -> None:
    name = str(vars(thing)["name"])
    if name in found and found[name] is not thing:
        raise ShoalError(
            f"two classes have the name {name!r}: {found[name].__module__} and {thing.__module__}",
            hint="rename one of them",
        )
    found[name] = thing
