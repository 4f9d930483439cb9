"""What a report is about: everything measured of a release, and what of it may be shown to everybody.

    release, original --Evidence.of--> Evidence --public--> Evidence without what would help to undo the release

The sections of a report show what they are given. What the public must not see is not kept from a page, but taken out
of the evidence before any page is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl

from shoal.attacks.base import Attack
from shoal.attacks.base import Outcome as AttackOutcome
from shoal.attacks.run import chosen_attacks, tried
from shoal.attacks.scene import Scene
from shoal.core.errors import ReleaseError
from shoal.core.number_format import counted
from shoal.microdata.histogram import person_of
from shoal.models.orders import as_read
from shoal.release.certificate import Certificate
from shoal.release.files import read_json
from shoal.release.release import Release
from shoal.release.release_reader import Opened
from shoal.risk import Risk
from shoal.risk import measure as measure_risk
from shoal.tables.table import TABLE, Table, TableLike
from shoal.utility import Marginal, Quality, Utility
from shoal.utility import measure as measure_utility

MANY = 200_000
"""A table of more people is attacked with the quick attacks, if none are named."""
QUICK = ("linkage", "homogeneity", "skewness", "similarity")
BANDS = ((0.01, "at most 1 %"), (0.05, "1 to 5 %"), (0.2, "5 to 20 %"), (1.0, "more than 20 %"))
"""Shares of people as the public is told them."""
SHOWN_TO_ALL = ("quasi", "sensitive", "require", "recoding", "cost", "method", "star", "neutralise")
"""What the public is told of a request: no seed, nothing of the hierarchies, which may list values of the original."""


@dataclass(frozen=True)
class Hit:
    """How many people an attack hits; the counts are None where only a band of the share is told."""

    attack: str
    criterion: str
    meaning: str
    excluded_by: str
    attribute: str | None
    knows: str
    before: int | None
    after: int | None
    of: int | None
    share: str
    standing: str
    """Whether the risk is within its threshold, above it, or neither is shown; empty where counts are not told."""
    verdict: str
    """What the attack got and how that compares with its threshold, in sentences; empty where counts are not told."""

    @classmethod
    def of_outcome(cls, one: AttackOutcome, kind: type[Attack]) -> Hit:
        """Return what an attack got, and what it is."""
        return cls(
            attack=one.attack,
            criterion=kind.criterion,
            meaning=kind.meaning,
            excluded_by=kind.excluded_by,
            attribute=one.attribute,
            knows=one.knows,
            before=one.before,
            after=one.after,
            of=one.of,
            share=band(one.share),
            standing=one.standing,
            verdict=one.verdict,
        )

    @property
    def name(self) -> str:
        """The attack, and what is learnt."""
        return f"{self.attack} ({self.attribute})" if self.attribute else self.attack

    @property
    def rank(self) -> float:
        """How many people are hit, to compare attacks; where only a band is told, which."""
        bands = [said for _, said in BANDS]
        return bands.index(self.share) if self.after is None else self.after

    @property
    def how_many(self) -> str:
        """How many people are hit, in words."""
        return f"{self.share} of the rows" if self.after is None else counted(self.after, "row")

    @property
    def matters(self) -> bool:
        """Whether anybody is hit; where only a band is told, whether it is not the lowest."""
        return self.share != BANDS[0][1] if self.after is None else self.after > 0

    def coarse(self) -> Hit:
        """Return it without the counts."""
        return replace(self, before=None, after=None, of=None, standing="", verdict="")


@dataclass(frozen=True)
class About:
    """The title of a report, whose release it is on, what that is for, and its date; an empty text is left open."""

    title: str = ""
    owner: str = ""
    purpose: str = ""
    date: str = field(default_factory=lambda: date.today().isoformat())


@dataclass(frozen=True, eq=False)
class Evidence:
    """What is known of a release; None or empty where it is not to be shown."""

    certificate: Certificate
    codebook: Mapping[str, Any]
    config: Mapping[str, Any]
    decisions: tuple[str, ...]
    source: str
    """The name of the original's file, for the configuration that repeats the run."""
    before: Risk | None
    after: Risk
    hits: tuple[Hit, ...]
    utility: Utility | None
    notes: tuple[str, ...] = ()
    """What was left out."""
    pending: tuple[str, ...] = ()
    """What is still being measured."""
    is_public: bool = False
    about: About = field(default_factory=About)

    @classmethod
    def of(
        cls,
        release: Release | str | Path,
        original: TableLike,
        *,
        attacks: Iterable[Attack | str] | None = None,
        queries: int = 1000,
        source: str = "",
        about: About | None = None,
    ) -> Evidence:
        """Measure risk, attacks and utility of a release, in memory or a folder, next to its original."""
        given: dict[str, Any] = {"attacks": attacks, "queries": queries, "source": source, "about": about}
        found, *rest = cls.growing(release, original, **given)
        return rest[-1] if rest else found

    @classmethod
    def growing(
        cls,
        release: Release | str | Path,
        original: TableLike,
        *,
        attacks: Iterable[Attack | str] | None = None,
        queries: int = 1000,
        source: str = "",
        about: About | None = None,
    ) -> Iterator[Evidence]:
        """Return the evidence as it grows: the risk first, then the quick attacks, the utility, the other attacks.

        Each says what is known by then, and in `pending` what is still to come.
        """
        stated, codebook, config, decisions, people = _said(release)
        table = as_read(Table.of(original), config)
        named, notes = _attacks(attacks, table.rows)
        chosen = chosen_attacks(named)
        quick, slow = ([one for one in chosen if (one.name in QUICK) is fast] for fast in (True, False))
        steps = [*quick, None, *slow]
        found = cls(
            certificate=stated,
            codebook=codebook,
            config=config,
            decisions=decisions,
            source=source or (Path(original).name if isinstance(original, str | Path) else "table.csv"),
            before=measure_risk(table, quasi=stated.quasi, person=config.get("person", ())),
            after=measure_risk(people, quasi=stated.quasi, person=_whom(release)),
            hits=(),
            utility=None,
            notes=notes,
            pending=tuple("utility" if one is None else f"attack {one.name}" for one in steps),
            about=about or About(),
        )
        yield found
        scene, order = Scene.of(release, table, is_limited=True), [one.name for one in chosen]
        for one in steps:
            pending = found.pending[1:]
            if one is None:
                found = replace(found, utility=measure_utility(release, table, queries=queries), pending=pending)
            else:
                got, missed = tried(one, scene)
                hits = (*found.hits, *(Hit.of_outcome(outcome, type(one)) for outcome in got))
                untold = (f"not tried: {untried.name}: {untried.reason}" for untried in missed)
                hits = tuple(sorted(hits, key=lambda hit: order.index(hit.attack)))
                found = replace(found, hits=hits, notes=(*found.notes, *untold), pending=pending)
            yield found

    def public(self) -> Evidence:
        """Return what may be shown to everybody.

        Left out are the risk of the original, the number of people that an attack hits (a band of the share stays),
        every mean, quantile and association of the original, the seed, the hierarchies and the log. What is said of
        use is rounded to whole per cents. All else is in the published files, or follows from them.
        """
        return replace(
            self,
            config={name: said for name, said in self.config.items() if name in SHOWN_TO_ALL},
            decisions=(),
            source="",
            before=None,
            hits=tuple(hit.coarse() for hit in self.hits),
            utility=None if self.utility is None else _rounded(self.utility),
            notes=(),
            is_public=True,
        )


def band(share: float) -> str:
    """Return the band that a share of people is in.

    >>> band(0), band(0.01), band(0.03), band(0.5)
    ('at most 1 %', 'at most 1 %', '1 to 5 %', 'more than 20 %')
    """
    return next(said for most, said in BANDS if share <= most)


def _said(
    release: Release | str | Path,
) -> tuple[Certificate, Mapping[str, Any], Mapping[str, Any], tuple[str, ...], TableLike]:
    """Return certificate, codebook, request, log and the table of the people."""
    if isinstance(release, Release):
        return release.certificate, release.codebook, release.config, release.decisions, release.tables[TABLE]
    folder = Path(release)
    if not (folder / "public").is_dir():
        raise ReleaseError(f"there is no release in {str(folder)!r}", expected="a folder with public/ inside")
    opened, internal = Opened.of(folder, None), folder / "internal"
    if not internal.is_dir():
        raise ReleaseError("the internal part of the release is not here", hint="make the report where internal/ is")
    config, decisions = read_json(internal / "config.json"), tuple(read_json(internal / "decisions.json"))
    return opened.certificate, opened.codebook, config, decisions, opened.table


def _whom(release: Release | str | Path) -> pl.Series | tuple[()]:
    """Return whom each published row is about; nothing where each row is one person."""
    if not isinstance(release, Release):
        people = Opened.of(Path(release), None).people
        return () if people is None else people
    if release.certificate.people is None:
        return ()
    whom = person_of(release.source, release.config["person"])
    return pl.Series("person", whom.codes[release.classes.kept])


def _attacks(given: Iterable[Attack | str] | None, people: int) -> tuple[list[Attack | str] | None, tuple[str, ...]]:
    """Return the attacks to be tried, and what is to be said of it."""
    if given is not None:
        return list(given), ("only some attacks were tried",)
    if people <= MANY:
        return None, ()
    return list(QUICK), (f"attacks tried on a table of more than {MANY:,} rows: {', '.join(QUICK)}",)


def _rounded(found: Utility) -> Utility:
    """Return what everybody may be told of use."""
    queries, told = found.queries, found.propensity
    return replace(
        found,
        costs=(),
        marginals=tuple(Marginal(one.column, 0, round(one.distance, 2)) for one in found.marginals),
        numbers=(),
        associations=(),
        queries=None
        if queries is None
        else replace(
            queries,
            mean=round(queries.mean, 2),
            median=round(queries.median, 2),
            worst_tenth=round(queries.worst_tenth, 2),
        ),
        propensity=replace(told, pmse=0.0, share=round(told.share, 2)),
        classifiers=tuple(
            replace(
                one,
                original=_rounded_quality(one.original),
                release=_rounded_quality(one.release),
                commonest=round(one.commonest, 2),
                tested=0,
            )
            for one in found.classifiers
        ),
        tables=(),
        notes=(),
    )


def _rounded_quality(found: Quality) -> Quality:
    return Quality(round(found.accuracy, 2), round(found.brier, 2), round(found.auc, 2), ())
