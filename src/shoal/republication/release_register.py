"""The register of releases: what was published before, so that a new release of the same people can be checked.

    REGISTRY/register.json   by release: folder, hash of its certificate, roles, requirement; no cell
    REGISTRY/private/        key, and for each release the keyed hashes of its people; never to be published

Whether a person is in two tables is told by a keyed hash of what identifies them: HMAC-SHA256 over the columns named,
under a key that is made with the register and lies in its private part. Without the key the hashes say nothing; who has
both can try out identities, so the private part is as secret as the tables.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import polars as pl

from shoal.attacks.intersection import together
from shoal.attacks.rows import secret
from shoal.attacks.scene import Scene
from shoal.core.arrays import Bools
from shoal.core.atomic_files import put_text, replacing
from shoal.core.errors import ReleaseError, RoleError, ShoalError, cannot_write, nearest
from shoal.models import MInvariance
from shoal.models.base import quoted
from shoal.models.requirement import as_models
from shoal.release.certificate import canonical
from shoal.release.files import file_hash, read_json
from shoal.release.release import Release
from shoal.release.release_view import Shown
from shoal.tables.table import Table, TableLike

FORMAT = 1


@dataclass(frozen=True)
class Entry:
    """One release: where it is, what it says of itself, and what identifies its people."""

    folder: str
    seal: str
    """The hash of its certificate."""
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    require: str
    recoding: str
    rows: int
    person: tuple[str, ...]
    """The columns whose values say who somebody is; none where the people are not known."""

    @property
    def key(self) -> str:
        """The name of its file of people."""
        return self.seal[:16]

    @property
    def can_be_followed(self) -> bool:
        """Whether another release can follow it: its people are known, and its groups have m values."""
        return bool(self.person) and any(model.name == MInvariance.name for model in as_models(self.require))


@dataclass(frozen=True)
class Overlap:
    """What an earlier release and a new one give away together."""

    folder: str
    people: int | None
    """How many people of the new one are in both; None where it is not known, and everybody may be."""
    exposed: Mapping[str, int]
    """By sensitive attribute, the people whose value the two together reveal, and neither alone."""
    changed: int = 0
    """How many of the people who are in both have other values there, so that nothing can be said of them."""
    unchecked: str = ""
    """Why it could not be checked; empty where it was."""

    @property
    def is_safe(self) -> bool:
        """Whether it was checked and exposes nobody."""
        return not self.unchecked and not any(self.exposed.values())

    def __str__(self) -> str:
        who = "people may be" if self.people is None else f"{self.people:,} people are"
        if self.unchecked:
            return f"{who} in {self.folder!r} too, which cannot be checked: {self.unchecked}"
        told = [f"{number:,} people's {name!r}" for name, number in self.exposed.items() if number]
        changed = f"; {self.changed:,} of them have other values there" if self.changed else ""
        said = f"the two together reveal {' and '.join(told) or 'nothing more'}"
        return f"{who} in {self.folder!r} too; {said}{changed}"


@dataclass(frozen=True)
class Register:
    """The releases made so far, in a folder; `add` records one, `check` compares a new one with them."""

    path: Path
    entries: tuple[Entry, ...] = ()

    @classmethod
    def at(cls, path: str | Path) -> Register:
        """Read a register; a folder that is not there yet is an empty one."""
        path = Path(path)
        if not (path / "register.json").is_file():
            if path.exists() and (not path.is_dir() or any(one.name != "private" for one in path.iterdir())):
                raise ReleaseError(
                    f"{str(path)!r} is not a register", expected="an empty folder, or one with register.json"
                )
            return cls(path)
        stated = read_json(path / "register.json")
        try:
            if stated["format"] != FORMAT:
                raise ReleaseError(
                    f"the register has format {stated['format']}",
                    expected=f"format {FORMAT}",
                    hint="use the version of shoal that wrote it",
                )
            tuples = ("quasi", "sensitive", "person")
            return cls(
                path, tuple(Entry(**{**one, **{k: tuple(one[k]) for k in tuples}}) for one in stated["releases"])
            )
        except (KeyError, TypeError) as error:
            raise ReleaseError("register.json cannot be read", hint="was it changed by hand?") from error

    # --- recording ---

    def add(self, folder: str | Path, original: TableLike | None = None, *, person: Sequence[str] = ()) -> Register:
        """Record a release folder; with the original, also who is in it. A release that is there already is replaced.

        `person` are the columns that identify somebody: without them those that the release counted people by, else the
        identifiers that it left out, and where there are none, its quasi-identifiers.
        """
        folder = Path(folder).resolve()
        shown = Shown.of(folder) if original is None else Scene.of(folder, original).shown
        named = tuple(person) or _identifiers(folder, shown) if original is not None else ()
        seal = file_hash(folder / "public" / "certificate.json")
        require, rows = str(shown.models), shown.frame.height
        entry = Entry(str(folder), seal, shown.quasi, shown.sensitive, require, shown.recoding, rows, named)
        kept = tuple(one for one in self.entries if one.folder != str(folder))
        made = Register(self.path, (*kept, entry))
        made._write(entry, None if original is None else self._placed(Table.of(original).frame, shown, named))
        return made

    def _placed(self, original: pl.DataFrame, shown: Shown, person: Sequence[str]) -> pl.DataFrame:
        """Return the keyed hash of each person of a release, and which published row is theirs where that is known."""
        hashes = self.hashes(_people(original, shown), person).rename("person")
        known = None if shown.rows is None else shown.real(original.height)
        return hashes.to_frame().with_columns(
            pl.lit(None, pl.Int64).alias("place") if known is None else pl.Series("place", known)
        )

    def _write(self, entry: Entry, people: pl.DataFrame | None) -> None:
        try:
            (self.path / "private").mkdir(parents=True, exist_ok=True, mode=0o700)
            if people is not None:
                people.sort("person").write_parquet(self.path / "private" / f"{entry.key}.parquet")
            text = canonical({"format": FORMAT, "releases": [asdict(one) for one in self.entries]})
            with replacing(self.path / "register.json") as beside:
                put_text(beside, text)
        except OSError as error:
            raise cannot_write(self.path, error) from error

    # --- people ---

    def hashes(self, frame: pl.DataFrame, person: Sequence[str]) -> pl.Series:
        """Return the keyed hash of every row's identity: the texts of these columns, in the order of their names."""
        for name in person:
            if name not in frame.columns:
                raise RoleError(f"the original has no column {name!r}", hint=nearest(name, frame.columns))
        texts = frame.select(pl.col(name).cast(pl.String) for name in sorted(person))
        distinct = texts.unique()
        key = self._key()
        digests = [hmac.new(key, json.dumps(row).encode(), hashlib.sha256).hexdigest()[:32] for row in distinct.rows()]
        known = distinct.with_columns(pl.Series("".join(person) + "#", digests))
        return texts.join(known, on=texts.columns, how="left", nulls_equal=True, maintain_order="left")[:, -1]

    def _key(self) -> bytes:
        """Return the key, which is made when it is first needed."""
        path = self.path / "private" / "key"
        try:
            if not path.is_file():
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                    file.write(secrets.token_hex(32))
            return bytes.fromhex(path.read_text().strip())
        except (OSError, ValueError) as error:
            raise ReleaseError(
                f"the key of the register in {str(self.path)!r} cannot be read or created",
                hint="check the permissions of its folder private/",
            ) from error

    def _in(self, entry: Entry, frame: pl.DataFrame) -> Bools | None:
        """Return which rows may be people of an earlier release; None where nobody knows."""
        path = self.path / "private" / f"{entry.key}.parquet"
        if not entry.person or not path.is_file() or any(name not in frame.columns for name in entry.person):
            return None
        return self.hashes(frame, entry.person).is_in(pl.read_parquet(path, glob=False)["person"].implode()).to_numpy()

    def signatures(
        self, follows: str | Path, attribute: str, m: int, person: Sequence[str]
    ) -> dict[str, frozenset[str | None]]:
        """Return, by keyed hash, the values in the group of each person in the last release of a series they are in.

        The series are the releases with groups of m values of the attribute, one of which `follows` must be.
        """
        asked = f"m({quoted(attribute)})={m} "
        series = [one for one in self.entries if asked in f"{one.require} " and set(one.person) == set(person)]
        if str(Path(follows).resolve()) not in [one.folder for one in series]:
            raise ReleaseError(
                f"the register has no {asked}release in {str(follows)!r} with people identified by the same columns",
                hint="record it with shoal register and its original, or follow another",
            )
        return {person: held for entry in series for person, held in self._signatures(entry, attribute)}

    def _signatures(self, entry: Entry, attribute: str) -> Iterator[tuple[str, frozenset[str | None]]]:
        folder, path = Path(entry.folder), self.path / "private" / f"{entry.key}.parquet"
        certificate = folder / "public" / "certificate.json"
        if not (certificate.is_file() and path.is_file()) or file_hash(certificate) != entry.seal:
            raise ReleaseError(
                f"the release in {entry.folder!r} is not the one that was recorded",
                hint="put the recorded release back, or record it again with shoal register",
            )
        shown = Shown.of(folder)
        group = shown.codebook["names"]["group"]
        values = shown.tables["sensitive"].select(group, value=secret(shown, attribute).cast(pl.String))
        by_group = {number: frozenset(held) for number, held in values.group_by(group).agg("value").iter_rows()}
        people, groups = pl.read_parquet(path, glob=False), shown.frame[group]
        if people["place"].null_count():
            raise ReleaseError(
                f"the internal part of {entry.folder!r} was not there when it was recorded",
                hint="record it again with its internal part",
            )
        for one, place in people.iter_rows():
            yield one, by_group[groups[place]]

    # --- checking ---

    def check(self, release: Release | str | Path, original: TableLike) -> Iterator[Overlap]:
        """Return every earlier release with people of this one, and what the two together reveal."""
        table = Table.of(original).frame
        folder = "" if isinstance(release, Release) else str(Path(release).resolve())
        shown = Shown.of(release)
        people = _people(table, shown)
        named = shown.config.get("person")
        whom = self.hashes(people, named) if named else None
        for entry in self.entries:
            within = self._in(entry, people)
            if entry.folder == folder or (within is not None and not within.any()):
                continue
            yield self._overlap(release, table, entry, within, whom)

    def _overlap(
        self,
        release: Release | str | Path,
        table: pl.DataFrame,
        entry: Entry,
        within: Bools | None,
        whom: pl.Series | None,
    ) -> Overlap:
        number = None if within is None else _counted(within, whom)
        certificate = Path(entry.folder) / "public" / "certificate.json"
        if not certificate.is_file():
            return Overlap(entry.folder, number, {}, unchecked="it is not there any more")
        if file_hash(certificate) != entry.seal:
            return Overlap(entry.folder, number, {}, unchecked="it is another release now")
        missing = [name for name in entry.quasi if name not in table.columns]
        if missing:
            return Overlap(entry.folder, number, {}, unchecked=f"this table has no column {missing[0]!r}")
        try:
            return _exposed(entry.folder, Scene.of(release, table, entry.folder), within)
        except ShoalError as error:
            return Overlap(entry.folder, number, {}, unchecked=str(error))


def _exposed(folder: str, scene: Scene, within: Bools | None) -> Overlap:
    """Return whom a release and an earlier one, at hand as the other one, give away together."""
    assert scene.other is not None
    both: Bools = np.ones(scene.after.number, dtype=bool) if within is None else within
    found = {name: together(scene, name) for name in scene.shared}
    hits = scene.after.hits
    exposed = {name: hits(one.newly & both) for name, one in found.items()}
    if within is None:
        return Overlap(folder, None, exposed)
    return Overlap(folder, hits(both), exposed, hits(both & (scene.crowd_of_other.size == 0)))


def _counted(rows: Bools, whom: pl.Series | None) -> int:
    """Return how many people some rows are about: as many as rows, unless it is known whom each is about."""
    return int(rows.sum()) if whom is None else whom.filter(pl.Series(rows)).n_unique()


def refused(overlaps: Sequence[Overlap], overlap: str) -> None:
    """Raise `ReleaseError` if earlier releases do not allow a new one; `overlap` is `refuse` or `warn`."""
    unsafe = [str(one) for one in overlaps if not one.is_safe]
    if unsafe and overlap == "refuse":
        raise ReleaseError(
            f"refused for earlier releases: {'; '.join(unsafe)}",
            hint="publish fewer columns or larger classes, or accept it with --overlap warn",
        )


def _identifiers(folder: Path, shown: Shown) -> tuple[str, ...]:
    """Return the columns that a release counted people by, or left out as identifiers; else its quasi-identifiers."""
    path = folder / "internal" / "config.json"
    config = read_json(path) if path.is_file() else {}
    return tuple(config.get("person") or config.get("identifiers") or shown.quasi)


def _people(original: pl.DataFrame, shown: Shown) -> pl.DataFrame:
    """Return the original rows of those who are in a release, in its order; all where that is not known."""
    return original if shown.rows is None else original[shown.rows[shown.real(original.height)]]
