"""Mutants: a function of a module with one operator, constant, condition or return value changed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from types import CodeType
from typing import Any

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Div: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
Change = Callable[[ast.AST], None]
CALLED = "_called_by_a_test"
"""What functions call that write down that they were called."""


@dataclass(frozen=True)
class Mutant:
    """One change of a module: where it is, in which function, and what it is."""

    line: int
    column: int
    function: str
    change: str
    number: int
    """Its place among all changes of the module."""

    @property
    def name(self) -> str:
        """A text that no other mutant of the module has."""
        return f"{self.number}: line {self.line}, {self.change} [{self.function}]"


def mutants(source: str) -> list[Mutant]:
    """Return all mutants of the functions of a module.

    >>> [mutant.change for mutant in mutants("def f(a):\\n    return a + 1 if a < 2 else a")]
    ['return None', 'condition negated', 'Lt to LtE', 'Add to Sub', '2 to 3', '1 to 2']
    """
    return [
        Mutant(node.lineno, node.col_offset, function, change, number)
        for number, (node, function, change, _) in enumerate(_changes(ast.parse(source)))
    ]


def mutated(source: str, mutant: Mutant, filename: str) -> CodeType:
    """Return the code of the module with one change."""
    tree = deepcopy(ast.parse(source))
    node, _, _, apply = list(_changes(tree))[mutant.number]
    apply(node)
    return compile(ast.fix_missing_locations(tree), filename, "exec")


def recorded(source: str, module: str, filename: str) -> CodeType:
    """Return the code of the module with functions that call `CALLED` with the module's name and theirs.

    >>> called = []
    >>> names = {CALLED: called.append}
    >>> exec(recorded("class Box:\\n    def size(self):\\n        return 1", "boxes", "boxes.py"), names)
    >>> names["Box"]().size(), called
    (1, ['boxes:Box.size'])
    """
    tree = ast.parse(source)
    for function, name in _named(tree):
        function.body[:0] = ast.parse(f"{CALLED}({f'{module}:{name}'!r})").body
    return compile(ast.fix_missing_locations(tree), filename, "exec")


Found = tuple[ast.expr | ast.stmt, str, str, Change]


def _changes(tree: ast.Module) -> Iterator[Found]:
    for function, name in _named(tree):
        yield from _of_function(function, name)


def _named(tree: ast.Module) -> Iterator[tuple[ast.FunctionDef, str]]:
    """Yield the functions and methods of a module with their names."""
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef):
            yield statement, statement.name
        elif isinstance(statement, ast.ClassDef):
            for part in statement.body:
                if isinstance(part, ast.FunctionDef):
                    yield part, f"{statement.name}.{part.name}"


def _of_function(function: ast.FunctionDef, name: str) -> Iterator[Found]:
    for statement in function.body:
        for node in ast.walk(statement):
            for change, apply in _of_node(node):
                assert isinstance(node, ast.expr | ast.stmt)
                yield node, name, change, apply


def _of_node(node: ast.AST) -> Iterator[tuple[str, Change]]:
    if isinstance(node, ast.Compare):
        for place, old in enumerate(node.ops):
            yield f"{type(old).__name__} to {COMPARISONS[type(old)].__name__}", _compared(place)
    elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC and not _is_text(node):
        yield f"{type(node.op).__name__} to {ARITHMETIC[type(node.op)].__name__}", _calculated
    elif isinstance(node, ast.BoolOp):
        yield ("and to or" if isinstance(node.op, ast.And) else "or to and"), _connected
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int):
        yield f"{node.value} to {_other(node.value)}", _set
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        yield "condition negated", _negated
    elif isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
        yield "return None", _returned


def _compared(place: int) -> Change:
    def apply(node: ast.AST) -> None:
        assert isinstance(node, ast.Compare)
        node.ops[place] = COMPARISONS[type(node.ops[place])]()

    return apply


def _calculated(node: ast.AST) -> None:
    assert isinstance(node, ast.BinOp)
    node.op = ARITHMETIC[type(node.op)]()


def _connected(node: ast.AST) -> None:
    assert isinstance(node, ast.BoolOp)
    node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()


def _set(node: ast.AST) -> None:
    assert isinstance(node, ast.Constant)
    node.value = _other(node.value)


def _other(value: Any) -> Any:
    return not value if isinstance(value, bool) else value + 1 if isinstance(value, int) else value


def _negated(node: ast.AST) -> None:
    assert isinstance(node, ast.If | ast.IfExp | ast.While)
    node.test = ast.UnaryOp(ast.Not(), node.test)


def _returned(node: ast.AST) -> None:
    """Return None; the value is still named, as a method with `super` must go on to refer to its class."""
    assert isinstance(node, ast.Return)
    assert node.value is not None
    node.value = ast.IfExp(ast.Constant(False), node.value, ast.Constant(None))


def _is_text(node: ast.BinOp) -> bool:
    return any(
        isinstance(side, ast.JoinedStr | ast.Constant) and not _is_number(side) for side in (node.left, node.right)
    )


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
