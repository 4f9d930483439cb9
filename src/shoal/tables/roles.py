"""Roles: what an attacker may know, what nobody must learn, what is left out, what is published as it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from shoal.core.errors import RoleError, nearest

REST = "rest"
"""Stands for every column that is named nowhere, unless a column is called so."""

MEANING = {
    "quasi": "others may know it about a person, and could find the row by it: it is made coarser where necessary",
    "sensitive": "nobody must learn it: it is published, but no crowd may reveal it",
    "identifier": "it names or numbers a person: it is not published",
    "leave_out": "nobody needs it: it is not published",
    "other": "it neither identifies nor harms anyone: it is published unchanged, unprotected, on your responsibility",
}
"""What each role means, in words."""


@dataclass(frozen=True)
class Roles:
    """Every column has exactly one role, or is undecided; what is undecided is never published.

    >>> Roles.of(["name", "age", "illness", "note"], quasi=["age"], sensitive=["illness"], identifiers=["name"])
    Roles(quasi=('age',), sensitive=('illness',), identifiers=('name',), other=(), left_out=(), undecided=('note',))
    >>> Roles.of(["name", "age", "note"], quasi=["age"], other="note", leave_out="rest").published
    ('age', 'note')
    """

    quasi: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    other: tuple[str, ...] = ()
    """Published as they are, unprotected."""
    left_out: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        columns: Iterable[str],
        *,
        quasi: Sequence[str] | str,
        sensitive: Sequence[str] | str = (),
        identifiers: Sequence[str] | str = (),
        other: Sequence[str] | str = (),
        leave_out: Sequence[str] | str = (),
    ) -> Roles:
        """Check the roles against the table's columns; `other` or `leave_out` may be `rest`."""
        columns = list(columns)
        given = {"quasi": quasi, "sensitive": sensitive, "identifiers": identifiers}
        given |= {"other": other, "leave_out": leave_out}
        if not quasi:
            raise RoleError("no column is a quasi-identifier", expected="at least one column that an attacker may know")
        named = with_rest(columns, given)
        taken = {name for names in named.values() for name in names}
        found = {"left_out" if role == "leave_out" else role: tuple(names) for role, names in named.items()}
        return cls(**found, undecided=tuple(name for name in columns if name not in taken))

    @property
    def published(self) -> tuple[str, ...]:
        """The columns of the release, quasi-identifiers first."""
        return self.quasi + self.sensitive + self.other

    @property
    def unpublished(self) -> tuple[str, ...]:
        """The columns that are in no release."""
        return self.identifiers + self.left_out + self.undecided


def listed(names: Sequence[str] | str) -> Sequence[str]:
    """Return names as a list, where one alone may be given as text."""
    return [names] if isinstance(names, str) else names


def with_rest(columns: Sequence[str], given: Mapping[str, Sequence[str] | str]) -> dict[str, list[str]]:
    """Return the columns that are named for each role, `rest` filled in; else `RoleError`.

    Guarantees that every name is a column and has one role.
    """
    named = {role: list(listed(names)) for role, names in given.items()}
    resting = [role for role in ("other", "leave_out") if REST in named[role] and REST not in columns]
    for role in resting:
        named[role].remove(REST)
    _check(columns, named, resting)
    taken = {name for names in named.values() for name in names}
    for role in resting:
        named[role] += [name for name in columns if name not in taken]
    return named


def _check(columns: Sequence[str], named: Mapping[str, Sequence[str]], resting: Sequence[str]) -> None:
    if len(resting) > 1:
        raise RoleError(
            f"{REST!r} is both other and left out", expected=f"{REST!r} for one of them", hint="name the others"
        )
    everything = [name for names in named.values() for name in names]
    for name in everything:
        if name not in columns:
            raise RoleError(f"the table has no column {name!r}", hint=nearest(str(name), columns))
    twice = [name for name, times in Counter(everything).items() if times > 1]
    if twice:
        raise RoleError(
            f"column {twice[0]!r} is named {everything.count(twice[0])} times among the roles",
            expected="exactly one role for each column",
        )
