"""The Python interface as a page: every public name, with its signature, all parameters and its docstring."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from textwrap import dedent
from typing import Any

import shoal
from shoal.request import SETTINGS
from shoal.studies.reference import markdown

PARTS = ("report", "risk", "spark", "utility")
"""Packages whose functions are public by the package's name: `shoal.risk.measure`."""
SHARED = {
    "data": "The table: a path, a mapping of columns, or a polars, pandas or pyarrow frame.",
    "table": "The table: a path, a mapping of columns, or a polars, pandas or pyarrow frame.",
    "frame": "A frame of Spark.",
    "original": "The table that the release was made from: a path or a frame.",
    "release": "A release in memory, or the folder of one.",
    "folder": "The folder of a release.",
    "progress": "A function that is called with the share of the work done and a text.",
    "memory_limit": SETTINGS["memory_limit"].help,
    "queries": "How many random counting queries are asked; 0 for none.",
    "attributes": "How many columns a query is about.",
    "seed": "Random seed.",
    "hierarchies": SETTINGS["hierarchies"].help,
    "record_weight": "Column that says how many people of the population a row stands for.",
    "household": "Column with the number of the household.",
    "sample_fraction": "The share of the population that the table is a sample of.",
    "population_size": "How many people the population has, where the table is a sample.",
    "threshold": "The risk above which a row is counted.",
    "minimal_uniques": "Whether to look for minimal sample uniques (SUDA).",
    "interactions": "Sets of quasi-identifiers that the log-linear model takes as dependent; `pairs` for every two.",
    "classifiers": "Names of classifiers, of those in [Utility](../utility.md#classifiers); without it all.",
    "folds": "Parts of the rows, each of which is held out once.",
    "tables": "Pairs of columns to count together.",
    "request": "The request, as `shoal.request.Request` has it.",
}
"""What parameters mean that functions share and whose docstrings do not list them."""


def python_interface() -> str:
    """Return a section for each public name: functions first, then what they return and raise, then the parts."""
    names = [(f"shoal.{name}", getattr(shoal, name)) for name in shoal.__all__]
    functions = [section(name, value) for name, value in names if inspect.isfunction(value)]
    classes = [section(name, value) for name, value in names if inspect.isclass(value)]
    parts = [section(name, value) for name, value in public_parts()]
    headed = {"Functions": functions, "Measures": parts, "Classes": classes}
    return "\n\n".join(f"## {title}\n\n" + "\n\n".join(sections) for title, sections in headed.items())


def public_parts() -> Iterator[tuple[str, Any]]:
    """Walk through the functions and classes of the packages that are public."""
    for part in PARTS:
        package = getattr(shoal, part)
        for name in sorted(package.__all__, key=lambda name: (name[0].isupper(), name)):
            yield f"shoal.{part}.{name}", getattr(package, name)


def section(name: str, value: Any) -> str:
    """Return the section of a function or a class."""
    return function_section(name, value) if inspect.isfunction(value) else class_section(name, value)


def function_section(name: str, function: Any) -> str:
    """Return signature, docstring and a table of all parameters."""
    text = inspect.getdoc(function) or ""
    rows = [
        {
            "parameter": f"`{one.name}`",
            "default": "required" if one.default is one.empty else f"`{one.default!r}`",
            "type": f"`{_type(one.annotation)}`",
            "meaning": meaning(one.name, text),
        }
        for one in inspect.signature(function).parameters.values()
    ]
    returned = _type(inspect.signature(function).return_annotation)
    return "\n\n".join([f"### {name}", prose(text), *([markdown(rows)] if rows else []), f"Returns `{returned}`."])


def meaning(parameter: str, text: str) -> str:
    """Return what a docstring says of a parameter, else what the setting of that name says.

    >>> meaning("original", "- `original`, `other`: the table\\n  before.\\n- `new`: ...")
    'the table before.'
    """
    listed = re.search(rf"^- (?:`\w+`, )*`{parameter}`(?:, `\w+`)*: ((?:.|\n(?!-|\n))+)", text, re.MULTILINE)
    if listed:
        return " ".join(listed[1].split())
    if parameter in SHARED:
        return SHARED[parameter]
    if parameter in SETTINGS:
        return SETTINGS[parameter].help
    said = re.search(rf"([^.:;`]*`{parameter}`(?:`[^`]*`|[^.;])*)[.;]", text.replace("\n", " "))
    return said[1].strip() + "." if said else "-"


def prose(text: str) -> str:
    """Return a docstring as Markdown: without the list of parameters, with its sessions as blocks.

    >>> prose("Do it.\\n\\n- `a`: one\\n  more.\\n\\n>>> 1\\n1")
    'Do it.\\n\\n```python\\n>>> 1\\n1\\n```'
    """
    kept = re.sub(r"^- `\w+`.*\n?(?:  .*\n?)*", "", text, flags=re.MULTILINE)
    blocks = re.split(r"\n\n+", kept.strip())
    return "\n\n".join(f"```python\n{block}\n```" if block.startswith(">>>") else block for block in blocks)


def class_section(name: str, kind: type) -> str:
    """Return docstring, fields and public members of a class."""
    fields = [
        {"field": f"`{one.name}`", "type": f"`{_type(one.type)}`", "meaning": said}
        for one, said in _fields(kind)
        if not one.name.startswith("_")
    ]
    members = [{"member": f"`{_called(label, one)}`", "meaning": _first_line(one)} for label, one in _members(kind)]
    tables = [markdown(rows) for rows in (fields, members) if rows]
    return "\n\n".join([f"### {name}", prose(inspect.getdoc(kind) or ""), *tables])


def _fields(kind: type) -> list[tuple[Any, str]]:
    if not dataclasses.is_dataclass(kind):
        return []
    said = {name: text for base in reversed(kind.__mro__[:-1]) for name, text in _attribute_docstrings(base).items()}
    return [(one, said.get(one.name, "-")) for one in dataclasses.fields(kind)]


def _attribute_docstrings(kind: type) -> dict[str, str]:
    """Return what stands as a text below the fields of a class, by field."""
    try:
        body = ast.parse(dedent(inspect.getsource(kind))).body[0]
    except (OSError, TypeError):
        return {}
    lines = getattr(body, "body", [])
    return {
        field.target.id: " ".join(text.value.value.split())
        for field, text in pairwise(lines)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }


def _members(kind: type) -> Iterator[tuple[str, Any]]:
    for label, one in vars(kind).items():
        if not label.startswith("_") and (
            inspect.isfunction(one) or isinstance(one, (property, cached_property, classmethod, staticmethod))
        ):
            yield label, one


def _called(label: str, one: Any) -> str:
    if isinstance(one, (property, cached_property)):
        return label
    function = one.__func__ if isinstance(one, (classmethod, staticmethod)) else one
    names = [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]
    return f"{label}({', '.join(names)})"


def _first_line(one: Any) -> str:
    function = getattr(one, "fget", None) or getattr(one, "func", None) or getattr(one, "__func__", one)
    return (inspect.getdoc(function) or "-").splitlines()[0]


def _type(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
