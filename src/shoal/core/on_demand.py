"""Imports that are listed at the top of a module under `if TYPE_CHECKING:`, and done when they are needed.

A package lists its public names so. Who asks for one name loads the module that defines it and no other, so that
`shoal verify` loads only the models and hierarchies that a release names. A command of the command line lists so what
it needs to run, so that its `--help` loads no library.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.abc import InspectLoader
from importlib.util import find_spec
from types import CodeType
from typing import Any


def on_demand(package: str) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package: it loads a name from the module that the package imports it from.

    >>> import shoal.models
    >>> shoal.models.KAnonymity.__module__
    'shoal.models.k_anonymity'
    """

    def load(name: str) -> Any:
        homes = _homes(package)
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    return load


@cache
def _homes(package: str) -> dict[str, str]:
    """Return the module of each name that a package imports for type checkers."""
    imports = (node for node in _listed(package) if isinstance(node, ast.ImportFrom))
    return {name.name: node.module or "" for node in imports for name in node.names}


def import_deferred(module: str) -> None:
    """Do the imports that a module lists for type checkers, so that its functions can use what they name."""
    exec(_deferred(module), vars(sys.modules[module]))


@cache
def _deferred(module: str) -> CodeType:
    return compile(ast.Module(_listed(module), []), module, "exec")


def _listed(module: str) -> list[ast.stmt]:
    """Return the statements of a module that only type checkers run."""
    blocks = (node for node in ast.parse(source_of(module)).body if isinstance(node, ast.If))
    return [node for block in blocks if ast.unparse(block.test) == "TYPE_CHECKING" for node in block.body]


def source_of(module: str) -> str:
    """Return the text of a module, which is not imported for it; none where only its compiled form is here."""
    spec = find_spec(module)
    return (spec.loader.get_source(module) if spec and isinstance(spec.loader, InspectLoader) else None) or ""
