"""Verification: re-checking a release folder, trusting nothing in it but the definitions of the models.

Without the original: every file is the one that was sealed (one that is not is not read: damage may hurt its reader),
the table has the stated columns and rows in sorted order, the audit of its cells finds every model met at the stated
level, and the cost recomputed from the codebook is the stated one. With the original: it is the table the release was
made from, every published row covers the original row it stands for (or shows the centroids of its class), sensitive
and other cells are unaltered, and the lower bound follows from the prices kept with the release. Where models count
people or households, they are counted by their numbers in the internal part; where that is not here, it is checked what
the models imply of rows. Of two tables: they have the same groups, and with the original each group has the sensitive
values of its people.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl

from shoal.checking.published_cost import recomputed_cost
from shoal.core.arrays import Ints
from shoal.core.errors import ReleaseError, ShoalError, TableError
from shoal.core.number_format import counted
from shoal.hierarchies import as_builder
from shoal.hierarchies.cell_forms import form_of
from shoal.models.orders import as_read, declared_orders, read_as_asked
from shoal.release.certificate import FORMATS, Certificate, canonical, gap
from shoal.release.files import manifest, public_config_hash, read_json, read_rows
from shoal.release.release_reader import Opened
from shoal.tables.readers.base import names_folder
from shoal.tables.table import Table, TableLike

COVERS = "every published row covers the original row it stands for"
BOTH = "every published row covers the original row it stands for, or shows the centroids of its class"
CENTROIDS = "every published row shows the centroids of the original rows of its class"
WORD = "stated by the method alone (by a theorem or an exhaustive search)"


@dataclass(frozen=True)
class Check:
    """One thing that was looked at, and what came of it."""

    what: str
    passed: bool
    detail: str = ""


@dataclass(frozen=True)
class Proved:
    """How good a release is, as the prices kept with it prove."""

    cost: float
    measure: str
    bound: float
    """No release of this request costs less."""
    gap: float | None
    """cost / bound."""


@dataclass(frozen=True)
class Verification:
    """Everything that was looked at."""

    checks: tuple[Check, ...]
    not_checked: tuple[str, ...] = ()
    proved: Proved | None = None

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return all(check.passed for check in self.checks)

    @property
    def failures(self) -> list[str]:
        """What failed, in words."""
        return [
            f"{check.what}: {check.detail}" if check.detail else check.what for check in self.checks if not check.passed
        ]

    def __repr__(self) -> str:
        verdict = "passed" if self.passed else f"failed: {'; '.join(self.failures)}"
        return f"<Verification: {counted(len(self.checks), 'check')}, {verdict}>"

    def _repr_html_(self) -> str:
        """Show in a notebook what was checked, and what could not be."""
        from shoal.core.markup import table, tag  # verification makes no HTML

        rows = [[check.what, "passed" if check.passed else "failed", check.detail or ""] for check in self.checks]
        verdict = "passed" if self.passed else "failed"
        return tag(
            "div",
            tag("p", tag("strong", "Verification"), f": {verdict}"),
            table(("checked", "", "what was found"), rows),
            *(tag("p", f"Not checked: {one}") for one in self.not_checked),
        )


def verify(
    folder: str | Path, *, original: TableLike | None = None, population: TableLike | None = None
) -> Verification:
    """Re-check a release folder; with the original at hand, also that every published row covers its own.

    Models that compare with a population are re-checked where it is given.
    """
    folder = Path(folder)
    if not names_folder(folder / "public"):
        raise ReleaseError(f"there is no release in {str(folder)!r}", expected="a folder with public/ inside")
    if (sampled := _sampled(folder)) is not None:
        return sampled
    table = None if original is None else Table.of(original)
    checks: list[Check] = []
    notes: list[str] = []
    proved = None
    try:
        release = Opened.of(folder, population)
    except ShoalError as error:
        return Verification((Check("the files can be read and the seals are intact", False, str(error)),))
    table = None if table is None else _with_counterfeits(folder, _as_read(release, table))
    whole = _internal(folder, release, checks, notes)
    if _look(checks, "the table is the sealed one", release.hash_problem):
        _look(checks, "the table has the stated columns and rows", release.shape_problem)
        if release.certificate.rounded:
            _look(checks, "the record weights are multiples of the stated number", release.rounding_problem)
        if release.certificate.masks:
            _look(checks, "the masked columns hold only values that their masks can give", release.mask_problem)
        _look(checks, "the rows are sorted by their published cells", release.order_problem)
        confirmed = _look(checks, "the audit confirms every model at the stated level", release.model_problem)
        if confirmed:
            notes += [f"{models}: {lacking}" for lacking, models in release.skipped.items()]
        if confirmed and release.counts_rows_only:
            notes.append(
                f"{release.models} of people or households: which person a row belongs to is in the internal part"
                f" alone, which is not here; what it implies of rows was checked, {release.implied}"
            )
        computed = _cost(release, checks)
        if table is not None and whole:
            table, anew = _with_original(folder, release, table, checks, cost=not computed)
            computed |= anew
        if not computed:
            notes.append(f"the cost ({release.certificate.cost.name}) cannot be recomputed from these files")
        if whole:
            proved = _proof(folder, release, table, checks, notes)
    return Verification(tuple(checks), tuple(notes), proved)


def _sampled(folder: Path) -> Verification | None:
    """Re-check a release whose rows were drawn at random; None for any other."""
    try:
        stated = read_json(folder / "public" / "certificate.json")
    except (ReleaseError, OSError, ValueError):
        return None
    if not isinstance(stated, dict) or stated.get("kind") != "sampled release":
        return None
    from shoal.release.sampled_verification import sampled_problems  # loaded only for such a release

    try:
        found = sampled_problems(folder, stated)
    except Exception as error:  # whatever a forged file may provoke
        found = {"the files can be read": f"could not be checked ({type(error).__name__})"}
    checks = tuple(Check(what, not problem, problem) for what, problem in found.items())
    return Verification(checks, tuple(f"{one}: only the owner knows" for one in stated.get("rests_on", ())))


def _as_read(release: Opened, original: Table) -> Table:
    """Return the original as the request wanted it read, words in the order in which they are published.

    What cannot be read so is another table, or a forged file: the checks say it.
    """
    try:
        table = as_read(original, release.config)
        words = [declared_orders(shown, release.certificate.sensitive) for shown in release.shown.values()]
        return read_as_asked(table, order={name: order for one in words for name, order in one.items()})
    except Exception:  # whatever a forged file may provoke
        return original


def _with_counterfeits(folder: Path, table: Table) -> Table:
    """Return the original with the rows behind it that the release added and that are about nobody."""
    path = folder / "internal" / "counterfeits.parquet"
    if not path.is_file():
        return table
    try:
        return Table(pl.concat([table.frame, read_rows(path)]), table.notes)
    except (pl.exceptions.PolarsError, TableError, OSError):  # another table, or a damaged file: not the original then
        return table


def _look(checks: list[Check], what: str, look: Callable[[], str]) -> bool:
    """Make one check and return whether it passed; an error while looking is a failure, not an escape."""
    try:
        detail = look()
    except Exception as error:  # whatever a forged file may provoke
        detail = str(error) if isinstance(error, ShoalError) else f"could not be checked ({type(error).__name__})"
    checks.append(Check(what, not detail, detail))
    return not detail


def _internal(folder: Path, release: Opened, checks: list[Check], notes: list[str]) -> bool:
    if not (folder / "internal").is_dir():
        notes.append("the internal part is not here: its files were not checked")
        return True

    def whole() -> str:
        path = folder / "internal" / "manifest.json"
        stated = dict(read_json(path))
        if path.read_bytes() != canonical(stated).encode():
            return "the manifest was changed"
        found = manifest(folder)
        differing = sorted(name for name in {*stated, *found} if stated.get(name) != found.get(name))
        return f"changed, added or missing: {', '.join(differing)}" if differing else ""

    def config_matches() -> str:
        config = read_json(folder / "internal" / "config.json")
        if public_config_hash(config) != release.certificate.hashes.get("config"):
            return "the hash of the request differs"
        wrong = _unstated(config, release.certificate)
        return f"it asks otherwise about {' and '.join(wrong)}" if wrong else ""

    return _look(checks, "every file is the one that was written", whole) and _look(
        checks, "the request is the one the certificate states", config_matches
    )


def _unstated(config: Mapping[str, Any], certificate: Certificate) -> list[str]:
    """Return what a request asks for that changes what a certificate means, and that this one does not state."""
    asked = (bool(config.get("person")), bool(config.get("household")), set(config.get("masks", ())))
    stated = (certificate.people is not None, certificate.households is not None, set(certificate.masks))
    words = ("people", "households", "masks")
    return [word for word, one, other in zip(words, asked, stated, strict=True) if one != other]


def _cost(release: Opened, checks: list[Check]) -> bool:
    """Recompute the cost from the published cells and the codebook; return whether that suffices."""
    cost = release.certificate.cost
    try:
        value = recomputed_cost(release.shown["table"], release.certificate, release.codebook, release.sensitive_table)
    except Exception:  # whatever a forged file may provoke
        value = float("nan")
    if value is None:
        return False
    agrees = abs(value - cost) <= 1e-9 * max(1.0, abs(value))
    checks.append(
        Check("the cost is that of the published cells", agrees, "" if agrees else f"recomputed as {value:.6g}")
    )
    return True


def _with_original(
    folder: Path, release: Opened, original: Table, checks: list[Check], *, cost: bool
) -> tuple[Table, bool]:
    """Compare with the original; return it with its columns raised as a method saw it, and if the cost was looked at.

    `cost` says whether that is wanted, because the published files alone do not tell it.
    """
    from shoal.checking.centroid_cost import tells_centroid_cost  # loaded only where there is an original
    from shoal.checking.original_cost import tells_cost
    from shoal.release.original_check import OriginalCheck

    traced = OriginalCheck(folder, release, original)
    form = form_of(release.certificate.recoding)
    _look(checks, "the original is the table the release was made from", traced.identity_problem)
    raised = _look(checks, "columns raised beforehand are those of the original, raised", traced.raising_problem)
    _look(checks, COVERS if form.covers else BOTH if form.by_column else CENTROIDS, traced.cover_problem)
    told = tells_cost(release.certificate.cost.name, form) or tells_centroid_cost(release.codebook, form)
    computed = cost and told
    if computed:
        _look(checks, "the cost is that of the published cells over the original", traced.cost_problem)
    masked = " but for masks" if release.certificate.masks else ""
    if not form.two_tables:
        _look(checks, f"sensitive and other cells are unaltered{masked}", traced.alteration_problem)
    elif _look(checks, f"quasi-identifiers and other cells are unaltered{masked}", traced.alteration_problem):
        _look(checks, "every group has the sensitive values of its people", traced.count_problem)
    if release.certificate.rounded:
        _look(checks, "the record weights are those of the original, rounded", traced.rounding_problem)
    if release.certificate.masks:
        _look(checks, "the masked cells can come from their masks and the original", traced.mask_problem)
    if release.certificate.people is not None:
        _look(checks, "the people of the rows are those of the original", traced.people_problem)
    if release.certificate.households is not None:
        _look(checks, "the households of the rows are those of the original", traced.household_problem)
    if release.certificate.changed_cells is not None:
        _look(checks, "the number of changed cells is as stated", traced.change_problem)
    return traced.table if raised else traced.original, computed


def _proof(folder: Path, release: Opened, table: Table | None, checks: list[Check], notes: list[str]) -> Proved | None:
    """Work out anew what the prices prove, and say what of the lower bound they do not."""
    certificate, path = release.certificate, folder / "internal" / "proof.json"
    stated = certificate.lower_bound
    if not path.parent.is_dir() or (stated is None and certificate.proved is None):
        return None
    if certificate.proved is None and not path.exists():
        notes.append(f"the lower bound is {WORD}: there are no prices to prove it")
        return None
    if table is None:
        notes.append("whether the lower bound follows from the prices: the original is needed for that")
        return None
    found: list[float] = []

    def follows() -> str:
        claimed = read_json(path)
        if claimed["lower_bound"] != certificate.proved:
            return "the certificate states another lower bound"
        prices = read_rows(folder / "internal" / "prices.parquet")["price"].to_numpy()
        if certificate.format == FORMATS[0] and prices.min(initial=0) < 0:
            return f"a price is negative, and certificates of format {FORMATS[0]} have none"
        found.append(float(_price_bound(folder, release, table, prices, claimed["denominator"])))
        if found[0] < claimed["lower_bound"]:
            return f"the prices prove no more than {found[0]:.6g}"
        if stated is not None and stated > found[0] * (1 + 1e-9):
            notes.append(f"the prices prove {found[0]:,.6g}; the rest of the lower bound {stated:,.6g} is {WORD}")
        return "" if certificate.cost >= found[0] * (1 - 1e-9) else "the release costs less than that"

    if not _look(checks, "the lower bound follows from the prices", follows):
        return None
    return Proved(float(certificate.cost), certificate.cost.name, found[0], gap(certificate.cost, found[0]))


def _price_bound(folder: Path, release: Opened, table: Table, prices: Ints, denominator: int) -> Fraction:
    from shoal.checking.proof import price_bound  # loaded only where a proof is checked

    certificate, config = release.certificate, read_json(folder / "internal" / "config.json")
    return price_bound(
        table.frame,
        quasi=certificate.quasi,
        models=release.implied,
        hierarchies={name: as_builder(spec) for name, spec in config["hierarchies"].items()},
        recoding=certificate.recoding,
        cost=certificate.cost.name,
        weights=config["attribute_weights"],
        prices=prices,
        denominator=denominator,
        may_drop=int(Fraction(config["max_dropped"]) * table.rows),
    )
