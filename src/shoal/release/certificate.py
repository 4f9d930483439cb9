"""The certificate: what was checked by machine, what it cost, how far from optimal it can at most be, and hashes.

JSON with a version number. It says apart what the machine checked and what the owner vouches for, holds no cell of
the original table, and is sealed by a hash over its own canonical form: one changed byte breaks the seal.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import shoal
from shoal.checking.audit import Audit, as_dict
from shoal.core.errors import ReleaseError
from shoal.core.number_format import counted, number
from shoal.hierarchies.cell_forms import form_of

if TYPE_CHECKING:
    from shoal.microdata.prices import Prices

FORMATS = (1, 2, 3)
"""Certificates that are understood: 3 is that of a release whose models count people, who may have several rows; 2 that
of one some of whose prices are negative; 1 that of all others."""
UNDERSTOOD = f"format {', '.join(map(str, FORMATS[:-1]))} or {FORMATS[-1]}"

CHECKED = (
    "the published table has the columns, rows and hashes stated here",
    "every class of equal published quasi-identifiers meets every model, decided in exact arithmetic",
    "the levels reached are those of the worst class",
    "the cost is that of the published cells",
)
CHECKED_OF_TWO = (
    "the published tables have the columns, rows and hashes stated here",
    "both tables have the same groups, each with as many rows as sensitive values",
    "every group meets every model, decided in exact arithmetic",
    "the levels reached are those of the worst group",
    "the cost is that of the published sensitive values",
)
"""The same for two tables, of people and of sensitive values (anatomy)."""
VOUCHED = (
    "the quasi-identifiers are all that an attacker may know of a person, besides the sensitive attributes asked about",
    "one row is one person",
    "no earlier release of an overlapping table exists, or it was taken into account",
    "columns that are neither quasi-identifier nor sensitive identify nobody",
)
VOUCHED_OF_TWO = (
    "that somebody is in the table is no secret: quasi-identifiers are published as they are",
    *VOUCHED[1:3],
    "columns that are neither quasi-identifier nor sensitive say nothing of the sensitive ones",
)
CHECKED_OF_PEOPLE = (
    CHECKED[0],
    "every class of equal published quasi-identifiers meets every model, decided in exact arithmetic; people are "
    "counted: each once in a class, and once for each different value there",
    *CHECKED[2:],
    "from the public part alone: what the models imply of rows, as the person of a row is in the internal part only",
)
"""The same where a person may have several rows."""
VOUCHED_OF_PEOPLE = (
    VOUCHED[0],
    "rows are about the same person if, and only if, the columns that were named for it are equal",
    *VOUCHED[2:],
)
VOUCHED_OF_HOUSEHOLDS = (
    "rows are of the same household if, and only if, the column that was named for it is equal",
    "what is the same for all members of a household, and others may know, is a quasi-identifier of each",
)
"""What is vouched for besides, where households are known."""
VOUCHED_OF_MASKS = (
    "masked columns are taken as they are published: what their masks hide of the original values has no level here",
    "the keys of the masks are known to nobody who has the release: they are in the internal part alone",
)
"""What is vouched for besides, where columns are masked."""
TRUSTED_BASE = ("core", "tables", "hierarchies", "microdata", "models", "checking", "release")
"""The packages of shoal that a verification runs: who trusts these need not trust what made the release."""


DERIVED = ("changed_share", "gap", "excess_at_most", "saving_at_most")
"""What a certificate states although it follows from the rest."""
LISTS = ("chosen", "models", "quasi", "remarks", "sensitive", "warnings")
"""What a certificate lists."""


class Measured(float):
    """A cost: a number that knows its name.

    >>> cost = Measured("stars", 12)
    >>> cost, cost.name, cost < 13
    (Measured('stars', 12.0), 'stars', True)
    """

    name: str

    def __new__(cls, name: str, value: float) -> Measured:
        """Return the number with its name."""
        made = super().__new__(cls, value)
        made.name = name
        return made

    @property
    def value(self) -> float:
        """The number alone."""
        return float(self)

    def __repr__(self) -> str:
        return f"Measured({self.name!r}, {float(self)!r})"


@dataclass(frozen=True)
class Certificate:
    """What a release guarantees, as found by the audit of its cells."""

    status: str
    method: str
    guarantee: str | None
    classes: int
    rows: int
    dropped: int
    cost: Measured
    lower_bound: float | None
    models: tuple[Mapping[str, Any], ...]
    recoding: str
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    require: str
    proved: float | None = None
    """How much of the lower bound follows from the prices kept with the release; None where there are none."""
    remarks: tuple[str, ...] = ()
    """What limits cost and bound, in words."""
    a_priori: Mapping[str, float] = field(default_factory=dict)
    """By model, a bound on its level that held before records were chosen, where the method has a theorem for it."""
    chosen: tuple[str, ...] = ()
    """How the method was chosen, where that was left to `auto`: what was tried, at what cost, and why."""
    orders: Mapping[str, str] = field(default_factory=dict)
    """By sensitive attribute that is compared in order, what orders its values; the codebook has the order of words."""
    unprotected: tuple[str, ...] | None = None
    """Columns that are published as they are; None where the release is older than this statement."""
    insisted: Mapping[str, str] = field(default_factory=dict)
    """Columns that look like identifiers or reveal others and were insisted on by name, each with the reason."""
    starred: int | None = None
    """Rows that show none of their quasi-identifiers."""
    changed_cells: Mapping[str, int] | None = None
    """By quasi-identifier, the published cells that do not show the original's value; None where nobody counted."""
    certain: Mapping[str, int] | None = None
    """By sensitive attribute that no model speaks of, the rows whose class shares one value."""
    protects: bool = True
    """Whether some model asks for more than every table gives: `k=1` does not."""
    warnings: tuple[str, ...] = ()
    """What the release may give away although every model is met."""
    people: int | None = None
    """How many people the rows are about, where models count people; None where each row is one."""
    pseudonym: str | None = None
    """The column of fresh numbers of people, which links their rows; None where there is none."""
    households: int | None = None
    """How many households the rows are of, where it is known; None where nobody says it."""
    rounded: Mapping[str, int] = field(default_factory=dict)
    """By column of record weights that is published rounded, the number whose multiples it shows."""
    masks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By column that is published masked, the mask with its parameters, without its key."""
    format: int = FORMATS[0]
    hashes: Mapping[str, str] = field(default_factory=dict)

    @property
    def gap(self) -> float | None:
        """cost / lower_bound: 1 means proved optimal; None where no bound is known."""
        return gap(self.cost, self.lower_bound)

    @property
    def changed_share(self) -> float | None:
        """The share of the cells of quasi-identifiers that are generalized or hidden; None where nobody counted."""
        cells = self.rows * len(self.quasi)
        return sum(self.changed_cells.values()) / cells if self.changed_cells is not None and cells else None

    @property
    def excess_at_most(self) -> float | None:
        """How much more than the best possible release it costs, at most, as a share of that; None: nothing is known.

        A lower bound may exceed the cost by rounding: then it is the best possible.
        """
        return None if self.gap is None else max(self.gap - 1, 0.0)

    @property
    def saving_at_most(self) -> float | None:
        """The share of its cost that another release could save, at most; None where nothing is known."""
        excess = self.excess_at_most
        return None if excess is None else excess / (1 + excess)

    @property
    def sharing(self) -> str:
        """Whether the public part may be shared, in words."""
        if not self.protects:
            return f"{self.require} is met by every table: public/ is not protected, do not share it"
        if self.starred == self.rows:
            return "every row is all stars: public/ shows no quasi-identifier of anybody; keep internal/ private"
        if self.unprotected:
            return "public/ is safe to share if its unprotected columns identify nobody; keep internal/ private"
        return "public/ is safe to share; keep internal/ private"

    @property
    def exposed(self) -> list[str]:
        """What goes out unprotected and what the release may give away: to be said before anything else."""
        columns = ", ".join(name for name in self.unprotected or () if name not in {**self.rounded, **self.masks})
        linked = f"{self.pseudonym!r} links the rows of a person: models hold for people with the same set of cells"
        certain = [
            f"{name!r} is sensitive and no model protects it: "
            + (f"its value is certain for {counted(rows, 'row')}" if rows else "here no class shares one value")
            for name, rows in (self.certain or {}).items()
        ]
        return [
            *([f"published unprotected, as they are: {columns}"] if columns else []),
            *(f"published unprotected, as multiples of {many:,}: {name}" for name, many in self.rounded.items()),
            *(f"published masked, by {_mask(mask)}: {name}" for name, mask in self.masks.items()),
            *(f"{name!r} was allowed by name: {reason}" for name, reason in self.insisted.items()),
            *([linked] if self.pseudonym is not None else []),
            *certain,
            *self.warnings,
        ]

    def __repr__(self) -> str:
        gap = "unknown" if self.gap is None else f"{self.gap:.4g}"
        cost = f"{self.cost.name} {float(self.cost):,.6g}"
        return f"<Certificate: {self.require}, {self.status}, {counted(self.rows, 'row')}, {cost}, gap {gap}>"

    def _repr_html_(self) -> str:
        """Show in a notebook, and in the report, what it states: no cell is in it."""
        from shoal.core.markup import facts, table, tag  # verification makes no HTML

        levels = [
            [one["name"], one["attribute"] or "", number(one["asked"]), number(one["reached"])] for one in self.models
        ]
        head = tag("p", tag("strong", "Certificate"), f": {counted(self.rows, 'row')}, {self.require}")
        exposed = (tag("p", text) for text in self.exposed)
        return tag(
            "div",
            head,
            *exposed,
            table(("model", "column", "asked", "reached"), levels, numbers=(2, 3)),
            facts(self.figures),
        )

    @property
    def figures(self) -> dict[str, str]:
        """What is stated besides the models, each in words."""
        bound = "unknown" if self.lower_bound is None else f"{self.lower_bound:,.6g}"
        return {
            "classes": f"{self.classes:,}",
            "dropped": f"{self.dropped:,}",
            "all stars": f"{self.starred or 0:,}",
            "cost": f"{float(self.cost):,.6g} ({self.cost.name})",
            "lower bound": bound,
            "gap": "unknown" if self.gap is None else f"{self.gap:.4g}",
            "method": f"{self.method}, recoding {self.recoding}, {self.status}",
        }

    def content(self) -> dict[str, Any]:
        """Return everything but the seal."""
        return {
            "format": self.format,
            "software": f"shoal {shoal.__version__}",
            "unprotected": None if self.unprotected is None else list(self.unprotected),
            "insisted": dict(self.insisted),
            "certain": None if self.certain is None else dict(self.certain),
            "protects": self.protects,
            "warnings": list(self.warnings),
            "status": self.status,
            "method": self.method,
            "chosen": list(self.chosen),
            "guarantee": self.guarantee,
            "classes": self.classes,
            "rows": self.rows,
            "people": self.people,
            "pseudonym": self.pseudonym,
            "households": self.households,
            "rounded": dict(self.rounded),
            "masks": {name: dict(mask) for name, mask in self.masks.items()},
            "dropped": self.dropped,
            "starred": self.starred,
            "changed_cells": None if self.changed_cells is None else dict(self.changed_cells),
            "changed_share": self.changed_share,
            "cost": {"name": self.cost.name, "value": float(self.cost)},
            "lower_bound": self.lower_bound,
            "gap": self.gap,
            "excess_at_most": self.excess_at_most,
            "saving_at_most": self.saving_at_most,
            "proved": self.proved,
            "remarks": list(self.remarks),
            "require": self.require,
            "models": [dict(model) for model in self.models],
            "a_priori": dict(self.a_priori),
            "orders": dict(self.orders),
            "recoding": self.recoding,
            "quasi": list(self.quasi),
            "sensitive": list(self.sensitive),
            "hashes": dict(self.hashes),
            "checked_by_machine": list(self._said(CHECKED, CHECKED_OF_TWO, CHECKED_OF_PEOPLE)),
            "vouched_for_by_the_owner": [
                *self._said(VOUCHED, VOUCHED_OF_TWO, VOUCHED_OF_PEOPLE),
                *(VOUCHED_OF_HOUSEHOLDS if self.households is not None else ()),
                *(VOUCHED_OF_MASKS if self.masks else ()),
            ],
            "trusted_base": [f"shoal.{package}" for package in TRUSTED_BASE],
        }

    def _said(self, of_rows: Sequence[str], of_two: Sequence[str], of_people: Sequence[str]) -> Sequence[str]:
        """Return what is said of a release of this kind."""
        if form_of(self.recoding).two_tables:
            return of_two
        return of_rows if self.people is None else of_people

    def to_json(self) -> str:
        """Return the sealed certificate."""
        content = self.content()
        return canonical({**content, "seal": seal(content)})

    @classmethod
    def from_json(cls, text: str) -> Certificate:
        """Read a certificate, or raise `ReleaseError` if its seal is broken."""
        try:
            content = json.loads(text)
            kept = {key: value for key, value in content.items() if key != "seal"}
            if content["seal"] != seal(kept) or canonical(content) != text:
                raise ReleaseError(
                    "the certificate's seal is broken",
                    hint="it was changed after it was written: do not rely on this release",
                )
            if content["format"] not in FORMATS:
                raise ReleaseError(
                    f"the certificate has format {content['format']}",
                    expected=UNDERSTOOD,
                    hint="verify it with the version of shoal that wrote it, or a later one",
                )
            cost = Measured(content["cost"]["name"], content["cost"]["value"])
            names = cls.__dataclass_fields__
            fields = {key: value for key, value in kept.items() if key in names and key != "cost"}
            lists = {key: tuple(fields.get(key, ())) for key in LISTS}
            lists |= {"unprotected": tuple(fields["unprotected"])} if fields.get("unprotected") is not None else {}
            promised = {str(model): float(bound) for model, bound in fields.get("a_priori", {}).items()}
            made = cls(cost=cost, **{**fields, **lists, "a_priori": promised})
            contradicted = made._contradicted(content)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ReleaseError("the certificate cannot be read", expected=UNDERSTOOD) from error
        if contradicted:
            raise ReleaseError(
                f"the certificate contradicts itself: {', '.join(contradicted)}",
                hint="it was not written so: do not rely on this release",
            )
        return made

    def _contradicted(self, content: Mapping[str, Any]) -> list[str]:
        """Return what is stated that does not follow from the rest, or exceeds the cost; older ones state less."""
        wrong = [name for name in DERIVED if name in content and content[name] != getattr(self, name)]
        above = self.lower_bound is not None and self.lower_bound - self.cost > 1e-6 * max(1.0, abs(self.cost))
        return [*wrong, *(["lower_bound"] if above else [])]


def gap(cost: float, lower_bound: float | None) -> float | None:
    """Return cost / lower bound; 1 where both are 0, None where it is unknown.

    >>> gap(12, 10), gap(0, 0), gap(5, 0), gap(5, None)
    (1.2, 1.0, None, None)
    """
    if lower_bound is None or (lower_bound == 0 and cost > 0):
        return None
    return float(cost) / lower_bound if lower_bound else 1.0


class Claim(Protocol):
    """What a method says of what it found; the certificate states it beside what the audit found."""

    @property
    def status(self) -> str:
        """`optimal`, `within_bound` or `feasible`."""

    @property
    def method(self) -> str:
        """The name of the method."""

    @property
    def guarantee(self) -> str | None:
        """What the method's theorem promises."""

    @property
    def dropped(self) -> int:
        """How many rows are not published."""

    @property
    def cost(self) -> float:
        """What the published cells cost."""

    @property
    def lower_bound(self) -> float | None:
        """A number that no release can go below."""

    @property
    def prices(self) -> Prices | None:
        """What the lower bound, or some of it, follows from."""

    @property
    def promised(self) -> Mapping[str, float]:
        """Bounds on levels that hold by a theorem, by model."""

    @property
    def chosen(self) -> tuple[str, ...]:
        """How the method was chosen, where that was left to `auto`."""


def certify(
    solution: Claim,
    found: Audit,
    *,
    cost_name: str,
    recoding: str,
    quasi: tuple[str, ...],
    sensitive: tuple[str, ...],
    require: str,
    remarks: tuple[str, ...] = (),
    orders: Mapping[str, str] | None = None,
    **columns: Any,
) -> Certificate:
    """State what the audit found of a solution's published cells, and what is said of the `columns`."""
    return Certificate(
        status=solution.status,
        method=solution.method,
        guarantee=solution.guarantee,
        classes=found.classes,
        rows=found.rows,
        dropped=solution.dropped,
        cost=Measured(cost_name, solution.cost),
        lower_bound=solution.lower_bound,
        models=tuple(as_dict(finding) for finding in found.findings),
        recoding=recoding,
        quasi=quasi,
        sensitive=sensitive,
        require=require,
        proved=None if solution.prices is None else solution.prices.bound,
        remarks=(*remarks, *(() if solution.prices is None else solution.prices.remarks)),
        a_priori=solution.promised,
        people=found.people,
        households=found.households,
        format=_format(solution, found),
        chosen=solution.chosen,
        orders=orders or {},
        starred=found.starred_rows,
        certain=found.certain,
        **columns,
    )


def _format(solution: Claim, found: Audit) -> int:
    """Return the first format that can state what was found: earlier versions must not read it as another claim."""
    if found.people is not None:
        return FORMATS[2]
    return FORMATS[solution.prices is not None and solution.prices.any_negative]


def _mask(stated: Mapping[str, Any]) -> str:
    """Return a mask in words.

    >>> _mask({"mask": "noise", "share": "0.1"})
    'noise (share 0.1)'
    """
    numbers = ", ".join(f"{name} {given}" for name, given in stated.items() if name != "mask")
    return f"{stated['mask']} ({numbers})" if numbers else str(stated["mask"])


def canonical(content: object) -> str:
    """Return the one way a value is written as JSON."""
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def seal(content: object) -> str:
    """Return the hash of a value's canonical form."""
    return hashlib.sha256(canonical(content).encode()).hexdigest()
