"""The texts of the page, found in its sources: those that are marked, and literals that should be."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "shoal"
WEB = SOURCE / "web"
SHOWN: dict[str, tuple[tuple[int, ...], tuple[str, ...]]] = {
    "part": ((1,), ("aria_label", "title")),
    "tag": ((1, 2, 3), ("aria_label", "title")),
    "heading": ((0,), ()),
    "text": ((0,), ()),
    "message": ((0,), ()),
    "alert": ((0,), ()),
    "button": ((0,), ("aria_label",)),
    "link": ((0,), ("aria_label",)),
    "lacking": ((0, 1), ()),
    "written": ((0,), ("help", "aria_label")),
    "chosen": ((0,), ("help",)),
    "field": ((0, 2), ()),
    "dropped": ((0, 1), ()),
    "slider": ((0,), ("help",)),
    "number": ((1,), ()),
    "legend": ((), ("before", "after", "open", "lost0", "lost2", "lost4")),
    "grid": ((), ("about",)),
    "code": ((), ("about",)),
    "Step": ((1, 2, 3), ()),
    "Finding": ((1, 2), ()),
    "Verdict": ((1,), ()),
    "Change": ((1,), ()),
}
"""What is shown to people: of each function, the arguments that are, by place and by name."""
SENTENCE = re.compile(r"[A-Za-z]+,? [A-Za-z]+ [A-Za-z]+")
"""Three words are a text; what has fewer is one where it is shown."""
NAMES = {"shoal", "shoal.toml"}
"""Names, which are the same in all languages."""
LIBRARY = {"choices.py", "draft.py", "forms.py", "measures.py", "release_check.py", "worker.py"}
"""Files of the desk whose words come from a worker, or end in errors: they are the library's, in English."""
UNSEEN = (
    "app.py",
    "opening.py",
    "release.py: ",
    "draft_checks.py: how much",
    "draft_checks.py: the weight",
    "side_by_side.py: write",
)
"""Other sentences that are not of the page: printed to the terminal, in commands that are copied, in errors."""
STYLES = re.compile(r"(button|card|line) ")
"""How classes of the style sheet begin, where several are named."""


def called(node: ast.expr) -> str:
    """Return the name of what is called."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def trees() -> Iterator[tuple[str, ast.Module]]:
    """Return every file of the page."""
    for path in sorted(WEB.rglob("*.py")):
        yield path.name, ast.parse(path.read_text(encoding="utf-8"))


def marked() -> dict[str, str]:
    """Return every text that is marked, and a file that has it."""
    found: dict[str, str] = {}
    for name, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and called(node.func) == "t":
                (text,) = node.args
                assert isinstance(text, ast.Constant), f"{name}:{node.lineno}: a text that is marked is written out"
                found[str(text.value)] = name
    return found


def given(tree: ast.AST) -> Iterator[tuple[str, set[str], int]]:
    """Return every text that is marked with the names of what is filled in, if those are written out."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and called(node.func) == "t" and all(one.arg for one in node.keywords):
            text = node.args[0]
            assert isinstance(text, ast.Constant)
            yield str(text.value), {str(one.arg) for one in node.keywords}, node.lineno


def literal(node: ast.expr) -> str:
    """Return the words of a literal, without what is filled in."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(one.value) for one in node.values if isinstance(one, ast.Constant))
    return ""


def unmarked() -> list[str]:
    """Return literals that people see and that no catalogue knows."""
    return [
        f"{name}:{line}: {said}" for name, tree in trees() for line, said in (*_shown(tree), *_sentences(name, tree))
    ]


def _shown(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Return literals where texts are shown."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and called(node.func) in SHOWN:
            places, names = SHOWN[called(node.func)]
            some = [one for place, one in enumerate(node.args) if place in places]
            some += [one.value for one in node.keywords if one.arg in names]
            for one in (part for found in some for part in _branches(found)):
                said = literal(one).strip()
                if re.search("[A-Za-z]{2}", said) and said not in NAMES:
                    yield one.lineno, said


def _branches(node: ast.expr) -> Iterator[ast.expr]:
    """Return what an expression may be: either side of a condition."""
    if isinstance(node, ast.IfExp):
        yield from (*_branches(node.body), *_branches(node.orelse))
    elif isinstance(node, ast.BoolOp):
        for one in node.values:
            yield from _branches(one)
    else:
        yield node


def _sentences(name: str, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Return sentences anywhere else; errors, which are the library's, and remarks on the code are none."""
    within: dict[ast.AST, ast.AST] = {}
    for node in ast.walk(tree):
        within.update(dict.fromkeys(ast.iter_child_nodes(node), node))
    for node in ast.walk(tree):
        said = literal(node) if isinstance(node, ast.Constant | ast.JoinedStr) else ""
        above = list(_above(node, within))
        foreign = name in LIBRARY or f"{name}: {said}".startswith(UNSEEN) or STYLES.match(said)
        if SENTENCE.search(said) and not foreign and not any(map(_apart, above)):
            yield node.lineno, said  # type: ignore[attr-defined]


def _above(node: ast.AST, within: dict[ast.AST, ast.AST]) -> Iterator[ast.AST]:
    while node in within:
        node = within[node]
        yield node


def _apart(node: ast.AST) -> bool:
    """Whether what is below a node is no text of the page: marked already, an error, a remark, or a style."""
    if isinstance(node, ast.Raise | ast.Expr):
        return not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call))
    if isinstance(node, ast.keyword):
        return node.arg in ("class_", "kind")
    return isinstance(node, ast.Call) and (called(node.func) in ("t", "print") or called(node.func).endswith("Error"))


def parameters(text: str) -> set[str]:
    """Return the names of what is filled in."""
    return set(re.findall(r"{(\w+)", text))


def library_source() -> str:
    """Return the source of the parts of the library whose single words the page shows."""
    parts = ("inspection", "release", "republication", "steps", "web/desk", "methods/general")
    return "\n".join(
        path.read_text(encoding="utf-8") for part in parts for path in sorted((SOURCE / part).rglob("*.py"))
    )
