"""What a setting declares of itself: how it is called in every face, and the kind of value that it takes.

A setting is a field of a dataclass, made by `setting`; `shoal.request` has them all.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from shoal.core.parameters import Number

TEXT, NUMBER, NAMES, SWITCH = "a text", "a number", "a list of column names", "true or false"
WORDS = "a list of texts, the least first"
CODES = "a list of codes"
FILE = "the name of a file or folder"
HIERARCHY = "a file, words or a table with a builder"
MASK = "words or a table with a mask"
LEVELS = "a level, or a range of levels such as 1..3"
RECODING = "the name of a recoding"

PER_COLUMN = ("missing", "order", "hierarchies", "masks", "column_recodings", "levels", "attribute_weights")
"""Sections of `shoal.toml` with a line per column."""
SECTIONS = (
    "data",
    "missing",
    "roles",
    "privacy",
    "order",
    "hierarchies",
    "masks",
    "method",
    "column_recodings",
    "levels",
    "attribute_weights",
    "output",
)
"""In the order in which they are written."""
RENAMED = {"weights": "attribute_weights"}
"""Sections of files of earlier versions, and what they are called now."""
PANELS = ("Data", "Privacy", "Method", "Output", "Large tables")
"""The parts of `shoal anonymize --help`, in their order."""
_PANEL = {
    "missing": "Data",
    "roles": "Data",
    "order": "Data",
    "hierarchies": "Data",
    "masks": "Privacy",
    "column_recodings": "Method",
    "levels": "Method",
    "attribute_weights": "Method",
}
"""The panel of a section that is not called like one."""


@dataclass(frozen=True)
class Setting:
    """How a setting is called and what it takes, in every face."""

    name: str
    help: str
    section: str
    key: str
    """In its section; of a section with a line per column there is none."""
    flag: str
    kind: str
    """What a value, or a line per column, must be."""
    metavar: str | None
    panel: str
    number: Number | None
    short: str | None

    @property
    def per_column(self) -> bool:
        """Whether it has a value for each column that is named."""
        return self.section in PER_COLUMN

    def plain(self, asked: object) -> Any:
        """Return what is asked for as plain data: a number exactly, as text, and names as a list."""
        given = getattr(asked, self.name)
        if self.kind == SWITCH:
            return bool(given)
        if self.kind == NAMES:
            return [given] if isinstance(given, str) else list(given)
        return str(self.number.read(given, self.name)) if self.number and given is not None else given


def setting(
    default: Any,
    help: str,
    *,
    section: str,
    key: str | None = None,
    flag: str | None = None,
    kind: str = TEXT,
    metavar: str | None = None,
    panel: str | None = None,
    number: Number | None = None,
    short: str | None = None,
) -> Any:
    """Declare a setting; key and flag are called like the field where they have no other name."""
    said: dict[str, Any] = {"help": help, "section": section, "key": key, "flag": flag, "metavar": metavar}
    said |= {"kind": NUMBER if number else kind, "panel": panel, "number": number, "short": short}
    return field(default_factory=dict, metadata=said) if default == {} else field(default=default, metadata=said)


def settings_of(*owners: type) -> dict[str, Setting]:
    """Return the settings that dataclasses declare, by name."""
    return {
        one.name: Setting(
            one.name,
            **{
                **one.metadata,
                "key": one.metadata["key"] or one.name,
                "flag": one.metadata["flag"] or f"--{one.name.replace('_', '-')}",
                "panel": one.metadata["panel"] or _PANEL.get(one.metadata["section"], one.metadata["section"].title()),
            },
        )
        for owner in owners
        for one in fields(owner)
    }
