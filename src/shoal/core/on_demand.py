"""Public names of a package, listed under `if TYPE_CHECKING:` and loaded when they are first used.

Who asks for one name loads the module that defines it and no other, so that `shoal.verify` loads only the models and
hierarchies that a release names.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.abc import InspectLoader
from importlib.util import find_spec
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
        return getattr(import_module(homes[name]), name)  # start-up time

    return load


@cache
def _homes(package: str) -> dict[str, str]:
    """Return the module of each name that a package imports for type checkers."""
    blocks = (node for node in ast.parse(source_of(package)).body if isinstance(node, ast.If))
    listed = (node for block in blocks if ast.unparse(block.test) == "TYPE_CHECKING" for node in block.body)
    imports = (node for node in listed if isinstance(node, ast.ImportFrom))
    return {name.name: node.module or "" for node in imports for name in node.names}


def source_of(module: str) -> str:
    """Return the text of a module, which is not imported for it; none where only its compiled form is here."""
    spec = find_spec(module)
    return (spec.loader.get_source(module) if spec and isinstance(spec.loader, InspectLoader) else None) or ""
