"""A tree as indented lines, which people can edit: a line with deeper lines below it is a group, any other a value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from shoal.core.errors import HierarchyError

MISSING = "(missing)"
STEP = 2
ROOT = "*"


def outlined(tree: Any) -> str:
    """Return groups within groups as lines.

    >>> print(outlined({"Nordic": ["Norway", "Sweden"], "Iberia": [{"Spain": ["Seville"]}, None]}))
    Nordic
      Norway
      Sweden
    Iberia
      Spain
        Seville
      (missing)
    """
    return "\n".join(_lines(_top(tree), 0))


def _top(tree: Any) -> Any:
    """Return what is below the root."""
    return tree[ROOT] if isinstance(tree, Mapping) and list(tree) == [ROOT] else tree


def simplified(tree: Any) -> Any:
    """Return groups within groups without those that hold nothing but one of their own name.

    >>> simplified({"Nordic": {"Norway": ["Norway"]}, "Spain": {"Spain": ["Spain"]}})
    [{'Nordic': ['Norway']}, 'Spain']
    """
    tree = _top(tree)
    if isinstance(tree, Mapping):
        return [_simple(str(name), simplified(below)) for name, below in tree.items()]
    if isinstance(tree, list | tuple):
        return [one for part in tree for one in (simplified(part) if isinstance(part, Mapping) else [part])]
    return tree


def _simple(name: str, below: list[Any]) -> Any:
    """Return a group, or what it holds where that is one of its own name."""
    only = below[0] if len(below) == 1 else None
    called = next(iter(only)) if isinstance(only, Mapping) else only
    return only if called == name else {name: below}


def _lines(tree: Any, depth: int) -> Iterator[str]:
    indent = " " * (STEP * depth)
    if isinstance(tree, Mapping):
        for name, below in tree.items():
            yield f"{indent}{name}"
            yield from _lines(below, depth + 1)
    elif isinstance(tree, list | tuple):
        for one in tree:
            yield from _lines(one, depth)
    else:
        yield indent + (MISSING if tree is None else str(tree))


def read_outline(text: str) -> dict[str, Any]:
    """Return lines as groups within groups, or raise in words.

    >>> read_outline("Nordic\\n  Norway\\n  (missing)\\nSpain")
    {'*': [{'Nordic': ['Norway', None]}, 'Spain']}
    """
    lines = [(len(line) - len(line.lstrip(" ")), line.strip()) for line in text.expandtabs(STEP).splitlines()]
    lines = [line for line in lines if line[1]]
    if not lines:
        raise HierarchyError(
            "the outline is empty", expected="one line for each group or value, values indented below their group"
        )
    nodes, after = _nodes(lines, 0, lines[0][0])
    if after < len(lines):
        raise HierarchyError(f"line {after + 1} is indented less than the first", hint="begin the outline at the left")
    return {ROOT: nodes}


def _nodes(lines: Sequence[tuple[int, str]], at: int, depth: int) -> tuple[list[Any], int]:
    """Read the lines of one depth from a place on; return them with what is below, and the place after them."""
    nodes: list[Any] = []
    while at < len(lines) and lines[at][0] >= depth:
        indent, name = lines[at]
        if indent > depth:
            raise HierarchyError(
                f"line {at + 1} is indented more than the lines around it", hint="give it the same indent"
            )
        at += 1
        if at < len(lines) and lines[at][0] > depth:
            below, at = _nodes(lines, at, lines[at][0])
            nodes.append({name: below})
        else:
            nodes.append(None if name == MISSING else name)
    return nodes, at
