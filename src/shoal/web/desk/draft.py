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
from shoal.hierarchies.specs import FILES
from shoal.request import EARLIER, LEFT_OUT, READING, Request, settings_of

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
DEFAULTS: Mapping[str, Any] = {one.name: one.default for one in fields(Request)}
"""What a request takes where nothing is said."""
LISTED = ("require", "allow", "hierarchies", "attribute_weights", "order", "missing")
PARTS = tuple(name for name in settings_of(Request) if name not in (*LISTED, *ROLES.values(), *LEFT_OUT["draft"]))
"""Parts that are settings of a request as they are."""
TUPLES = ("require", "unify", "allow", "person")
"""Parts that are lists, kept so that nobody changes them."""
TREES = "hierarchies"
"""The folder, beside what repeats a run, that holds hierarchies which are files."""
UNPLAIN = re.compile(r"[^\w-]")
"""What is not taken over from the name of a column into that of a file."""


@dataclass(frozen=True)
class Draft:
    """What was decided so far. Parts that nobody decided are left to shoal, as in `shoal.anonymize`."""

    file: str | None = None
    """The table: an absolute path."""
    separator: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    sheet: str | None = None
    header_row: str | None = None
    roles: Mapping[str, str] = field(default_factory=dict)
    """For each column `quasi`, `sensitive`, `identifier`, `leave_out`, `other`, or `open`."""
    allow: tuple[str, ...] = ()
    """Columns that are published although they look like identifiers or tell of others."""
    person: tuple[str, ...] = ()
    """Columns that tell together whom a row is about, where a person has several rows."""
    pseudonym: str | None = None
    """The column of fresh numbers of people that is published, where one is."""
    record_weight: str | None = None
    """The column of record weights, for the risk."""
    hierarchies: Mapping[str, Any] = field(default_factory=dict)
    """For each column a file, words such as `intervals:width=5,10`, or plain data with a `builder`."""
    unify: tuple[str, ...] = ()
    """Columns whose values become one if their spelling alone differs."""
    missing: Mapping[str, Any] = field(default_factory=dict)
    """For columns the codes that stand for missing values."""
    order: Mapping[str, Any] = field(default_factory=dict)
    """For each column of words its values, the least first."""
    require: tuple[str, ...] = ()
    """One model each, as in `k=5`."""
    recoding: str | None = None
    coarsen: str | None = None
    method: str = DEFAULTS["method"]
    cost: str | None = None
    attribute_weights: Mapping[str, Any] = field(default_factory=dict)
    max_dropped: str = str(DEFAULTS["max_dropped"])
    max_suppressed: str = str(DEFAULTS["max_suppressed"])
    population: str | None = None
    star: str = DEFAULTS["star"]
    neutralise: bool = DEFAULTS["neutralise"]
    format: str | None = None
    """None: that of the file where it has labels or sheets, else CSV."""
    registry: str | None = None
    """The register of earlier releases: an absolute path."""
    overlap: str | None = None
    follows: str | None = None
    effort: str = DEFAULTS["effort"]
    time_limit: float | None = None
    seed: int = DEFAULTS["seed"]

    def changed(self, **parts: Any) -> Draft:
        """Return the draft with other parts; a part of an unknown name, or a role that there is not, is refused."""
        known = [one.name for one in fields(self)]
        for name in parts:
            if name not in known:
                raise ParameterError(f"a draft has no part {name!r}", hint=nearest(name, known))
        made = replace(self, **{name: _plain(part) for name, part in parts.items()})
        for role in made.roles.values():
            if role not in (*ROLES, OPEN):
                raise ParameterError(f"unknown role {role!r}", hint=nearest(role, (*ROLES, OPEN)))
        lists: dict[str, Any] = {name: tuple(getattr(made, name)) for name in TUPLES}
        return replace(made, **lists)

    def named(self, role: str) -> list[str]:
        """Return the columns that have a role, in table order."""
        return [name for name, has in self.roles.items() if has == role]

    @property
    def reading(self) -> dict[str, str | None]:
        """How the file is read; None is guessed."""
        return {name: getattr(self, name) for name in READING if name not in LEFT_OUT["draft"]}

    @property
    def files(self) -> list[Path]:
        """Every file that a run reads."""
        named = [self.file, self.population, *self.hierarchies.values()]
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
        lists = {setting: self.named(role) for role, setting in ROLES.items()}
        given = {name: getattr(self, name) for name in PARTS if getattr(self, name) != getattr(_NOTHING, name)}
        if self.method != _NOTHING.method:
            given.pop("effort", None)  # it is for auto
        trees = {name: spec for name, spec in self.hierarchies.items() if name in self.used}
        words = {name: said for name, said in self.order.items() if name in self.used}
        shown = [*self.named("sensitive"), *self.named("other")]
        lists |= {"allow": [name for name in self.allow if name in shown]}
        maps = {"hierarchies": trees, "attribute_weights": dict(self.attribute_weights), "order": words}
        maps |= {"missing": dict(self.missing)}
        return {
            **{name: names for name, names in lists.items() if names or name == "quasi"},
            "require": " ".join(self.require),
            **{name: said for name, said in maps.items() if said},
            **given,
        }

    @property
    def earlier(self) -> dict[str, str]:
        """What is asked about earlier releases, for `shoal.anonymize`."""
        return {name: getattr(self, name) for name in EARLIER if getattr(self, name) is not None}

    def request(self) -> Request:
        """Return what the pipeline is asked for."""
        if not self.require:
            raise ParameterError("no privacy model is chosen", hint="choose one, such as k=5")
        return Request(**self.settings)

    def toml(self, *, file: str | None = None, folder: str = "release") -> str:
        """Return a `shoal.toml` that repeats this; `file` is what the table is called there."""
        data = {"file": file or self.file, **self.reading}
        output = {"folder": folder, "format": None if self.format == _NOTHING.format else self.format}
        return as_toml({**self.settings, **data, **output, **self.earlier}) + "\n"

    def python(self, *, file: str | None = None, folder: str = "release") -> str:
        """Return a script that repeats this."""
        path, given = file or self.file, {name: said for name, said in self.reading.items() if said is not None}
        read = f"read({path!r}, {', '.join(f'{name}={said!r}' for name, said in given.items())})" if given else None
        lines = [f"    {name}={said!r}," for name, said in {**self.settings, **self.earlier}.items()]
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
        return asdict(self)

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Draft:
        """Read what `to_dict` wrote; parts that another version had are left out.

        >>> draft = Draft().changed(file="/t.csv", roles={"age": "quasi"}, require=["k=5"])
        >>> Draft.from_dict(draft.to_dict()) == draft
        True
        """
        known = {one.name for one in fields(cls)}
        return cls().changed(**{name: part for name, part in content.items() if name in known})

    @property
    def name(self) -> str:
        """What the table is called."""
        return Path(self.file).name if self.file else ""


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


_NOTHING = Draft()
