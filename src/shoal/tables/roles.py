"""Roles: what an attacker may know, what nobody must learn, what is dropped, what is published as it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from shoal.core.errors import RoleError, nearest


@dataclass(frozen=True)
class Roles:
    """Every column has exactly one role.

    >>> Roles.of(["name", "age", "illness", "note"], quasi=["age"], sensitive=["illness"], identifiers=["name"])
    Roles(quasi=('age',), sensitive=('illness',), identifiers=('name',), other=('note',))
    """

    quasi: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    other: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        columns: Iterable[str],
        *,
        quasi: Sequence[str] | str,
        sensitive: Sequence[str] | str = (),
        identifiers: Sequence[str] | str = (),
    ) -> Roles:
        """Check the roles against the table's columns; columns without a role are published as they are."""
        columns = list(columns)
        named = tuple(tuple(listed(names)) for names in (quasi, sensitive, identifiers))
        _check(columns, *named)
        taken = {name for names in named for name in names}
        return cls(named[0], named[1], named[2], tuple(name for name in columns if name not in taken))

    @property
    def published(self) -> tuple[str, ...]:
        """The columns of the release, quasi-identifiers first."""
        return self.quasi + self.sensitive + self.other


def listed(names: Sequence[str] | str) -> Sequence[str]:
    """Return names as a list, where one alone may be given as text."""
    return [names] if isinstance(names, str) else names


def _check(columns: list[str], quasi: Sequence[str], sensitive: Sequence[str], identifiers: Sequence[str]) -> None:
    if not quasi:
        raise RoleError("no column is a quasi-identifier", expected="at least one column that an attacker may know")
    named = [*quasi, *sensitive, *identifiers]
    for name in named:
        if name not in columns:
            raise RoleError(f"the table has no column {name!r}", hint=nearest(name, columns))
    twice = [name for name, times in Counter(named).items() if times > 1]
    if twice:
        raise RoleError(
            f"column {twice[0]!r} is named {named.count(twice[0])} times among the roles",
            expected="exactly one role for each column",
        )
