"""A draft: everything that was decided so far about one release, as a value that is never changed.

Draft --request--> Request                 the run
      --toml-----> text of a shoal.toml    the command line that repeats it
      --python---> text of a script        the Python that repeats it
      --to_dict--> plain data, and back    what the desk keeps
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import chain, count
from pathlib import Path
from typing import Any

from shoal.config import as_toml
from shoal.core.errors import ParameterError, nearest
from shoal.core.parameters import as_fraction
from shoal.core.settings import FILE, settings_of
from shoal.hierarchies.specs import FILES
from shoal.request import EARLIER, LEFT_OUT, READING, SETTINGS, Choices, Execution, Output, Request, Source

ROLES = {
    "quasi": "quasi",
    "sensitive": "sensitive",
    "identifier": "identifiers",
    "leave_out": "leave_out",
    "other": "other",
}
"""Roles of columns, and the setting that lists them."""
OPEN = "open"
"""The role of a column that nobody has decided on: there is no run before it is."""
TREES = "hierarchies"
"""The folder, beside what repeats a run, that holds hierarchies which are files."""
UNPLAIN = re.compile(r"[^\w-]")
"""What is not taken over from the name of a column into that of a file."""


@dataclass(frozen=True, kw_only=True)
class Draft(Choices, Output, Source, Execution):
    """What was decided so far. Parts that nobody decided are left to shoal, as in `shoal.anonymize`.

    Its parts are the settings that `shoal.request` declares, but those that a draft leaves out, and what follows. Files
    are absolute paths.
    """

    roles: Mapping[str, str] = field(default_factory=dict)
    """For each column `quasi`, `sensitive`, `identifier`, `leave_out`, `other`, or `open`."""
    allow: tuple[str, ...] = ()
    """Columns that are published although they look like identifiers or reveal others."""
    hierarchies: Mapping[str, Any] = field(default_factory=dict)
    """For each column a file, words such as `intervals:width=5,10`, or plain data with a `builder`."""
    order: Mapping[str, Any] = field(default_factory=dict)
    """For each column of words its values, the least first."""
    require: tuple[str, ...] = ()
    """One model each, as in `k=5`."""

    def changed(self, **parts: Any) -> Draft:
        """Return the draft with other parts; a part of an unknown name, or a role that there is not, is refused."""
        for name in parts:
            if name not in PARTS:
                hint = LEFT_OUT["draft"].get(name) or nearest(name, PARTS)
                raise ParameterError(f"a draft has no part {name!r}", hint=hint)
        made = replace(self, **{name: _kept(name, part) for name, part in parts.items()})
        for role in made.roles.values():
            if role not in (*ROLES, OPEN):
                raise ParameterError(f"unknown role {role!r}", hint=nearest(role, (*ROLES, OPEN)))
        return made

    def named(self, role: str) -> list[str]:
        """Return the columns that have a role, in table order."""
        return [name for name, has in self.roles.items() if has == role]

    @property
    def grouped(self) -> bool:
        """Whether a hierarchy is given for a quasi-identifier, so that its groups are to be published."""
        return not set(self.named("quasi")).isdisjoint(self.hierarchies)

    @property
    def reading(self) -> dict[str, str | None]:
        """How the file is read; None is guessed."""
        return {name: getattr(self, name) for name in READING if name not in LEFT_OUT["draft"]}

    @property
    def files(self) -> list[Path]:
        """Every file that a run reads."""
        named = [*(getattr(self, name) for name in READ), *self.hierarchies.values()]
        return [Path(one) for one in named if isinstance(one, str) and one.startswith("/")]

    @property
    def trees(self) -> dict[str, str]:
        """Hierarchies that are files, and so list values: for each column in use what a copy is called.

        >>> Draft().changed(roles={"my town": "quasi"}, hierarchies={"my town": "/a/b.json"}).trees
        {'my town': 'hierarchies/my_town.json'}
        """
        named: dict[str, str] = {}
        for column in self.used:
            spec = self.hierarchies.get(column)
            if isinstance(spec, str) and spec.lower().endswith(FILES):
                named[column] = _unlike(f"{TREES}/{UNPLAIN.sub('_', column)}", _ending(spec), named.values())
        return named

    @property
    def used(self) -> list[str]:
        """The columns whose hierarchies matter."""
        return [*self.named("quasi"), *self.named("sensitive")]

    @property
    def settings(self) -> dict[str, Any]:
        """What `Request` and `shoal.anonymize` are asked, without what they would take anyway."""
        given = {name: getattr(self, name) for name in CHOICES if getattr(self, name) != getattr(_NOTHING, name)}
        if self.method != _NOTHING.method:
            given.pop("effort", None)  # it is for auto
        shown = [*self.named("sensitive"), *self.named("other")]
        columns: dict[str, Any] = {setting: self.named(role) for role, setting in ROLES.items()}
        columns |= {
            "allow": [name for name in self.allow if name in shown],
            "hierarchies": {name: spec for name, spec in self.hierarchies.items() if name in self.used},
            "order": {name: words for name, words in self.order.items() if name in self.used},
        }
        needed = {"quasi": columns.pop("quasi"), "require": " ".join(self.require)}
        return {**needed, **{name: said for name, said in columns.items() if said}, **given}

    @property
    def earlier(self) -> dict[str, str]:
        """What is asked about earlier releases, for `shoal.anonymize`."""
        return {name: getattr(self, name) for name in EARLIER if getattr(self, name) is not None}

    @property
    def limits(self) -> dict[str, Any]:
        """Within what the work is done, for `shoal.anonymize`."""
        return {} if self.memory_limit is None else {"memory_limit": self.memory_limit}

    def request(self) -> Request:
        """Return what the pipeline is asked for."""
        if not self.require:
            raise ParameterError("no privacy model is chosen", hint="choose one, such as k=5")
        return Request(**self.settings)

    def toml(self, *, file: str | None = None, folder: str = "release") -> str:
        """Return a `shoal.toml` that repeats this; `file` is what the table is called there."""
        data = {"file": file or self.file, **self.reading}
        output = {"folder": folder, "format": None if self.format == _NOTHING.format else self.format}
        return as_toml({**self.settings, **data, **output, **self.earlier, **self.limits}) + "\n"

    def python(self, *, file: str | None = None, folder: str = "release") -> str:
        """Return a script that repeats this."""
        path, given = file or self.file, {name: said for name, said in self.reading.items() if said is not None}
        read = f"read({path!r}, {', '.join(f'{name}={said!r}' for name, said in given.items())})" if given else None
        lines = [f"    {name}={said!r}," for name, said in {**self.settings, **self.earlier, **self.limits}.items()]
        saved = f", format={self.format!r}" if self.format != _NOTHING.format else ""
        return "\n".join(
            [
                "import shoal",
                *(["from shoal.tables.table import read"] if read else []),
                "",
                "release = shoal.anonymize(",
                f"    {read or repr(path)},",
                *lines,
                ")",
                f"release.save({folder!r}{saved})",
                "",
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {name: part for name, part in asdict(self).items() if name in PARTS}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Draft:
        """Read what `to_dict` wrote; parts that another version had are left out.

        >>> draft = Draft().changed(file="/t.csv", roles={"age": "quasi"}, require=["k=5"])
        >>> Draft.from_dict(draft.to_dict()) == draft
        True
        """
        return cls().changed(**{name: part for name, part in content.items() if name in PARTS})

    @property
    def name(self) -> str:
        """What the table is called."""
        return Path(self.file).name if self.file else ""


def _kept(name: str, part: Any) -> Any:
    """Return a part as a draft keeps it: plain data, a list like its default a tuple, a number like it the default."""
    default, plain = getattr(_NOTHING, name), _plain(part)
    if isinstance(default, tuple):
        return tuple(plain)
    number = name in SETTINGS and SETTINGS[name].number and default is not None
    return default if number and as_fraction(plain) == as_fraction(default) else plain


def _plain(part: Any) -> Any:
    """Return a part as plain data: paths as text, mappings and lists of their own."""
    if isinstance(part, Path):
        return str(part)
    if isinstance(part, Mapping):
        return {str(name): _plain(one) for name, one in part.items()}
    return [_plain(one) for one in part] if isinstance(part, list | tuple) else part


def _ending(path: str) -> str:
    """Return how the name of a hierarchy's file ends."""
    return next(end for end in sorted(FILES, key=len, reverse=True) if path.lower().endswith(end))


def _unlike(name: str, ending: str, others: Iterable[str]) -> str:
    """Return a file's name, with a number where another has it; large and small letters are alike to some disks."""
    taken = {one.casefold() for one in others}
    tried = (f"{name}{number}{ending}" for number in chain([""], (f"-{place}" for place in count(2))))
    return next(one for one in tried if one.casefold() not in taken)


PARTS = tuple(one.name for one in fields(Draft) if one.name not in LEFT_OUT["draft"])
"""Everything that can be decided."""
CHOICES = tuple(name for name in settings_of(Choices) if name in PARTS)
"""Parts that are settings of a request as they are."""
READ = tuple(name for name in PARTS if name in SETTINGS and SETTINGS[name].kind == FILE and name not in EARLIER)
"""Parts that are files to read."""
_NOTHING = Draft()
