"""A release traced back to its original, row by row: each question is answered by what is wrong, or by nothing."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.checking.centroid_check import wrong_centroids
from shoal.checking.centroid_cost import COSTS, centroid_cost
from shoal.checking.changed_cells import changed_cells
from shoal.checking.original_cost import original_cost
from shoal.checking.rounded_weights import wrongly_rounded
from shoal.checking.two_tables import miscounted_groups
from shoal.checking.withheld_values import withheld_rows
from shoal.core.arrays import Ints
from shoal.core.number_format import counted
from shoal.hierarchies.cell_forms import form_of, form_of_column
from shoal.hierarchies.cell_reader import uncovered_rows
from shoal.hierarchies.raising import as_raised, raised_table
from shoal.microdata import row_fingerprints
from shoal.microdata.histogram import household_of, person_of
from shoal.release.files import HOUSEHOLDS, PEOPLE, keyed_hash, read_json, read_rows
from shoal.release.release_reader import Opened
from shoal.tables.encoded_column import Coded
from shoal.tables.star_marks import escape_stars
from shoal.tables.table import Table


@dataclass(frozen=True, eq=False)
class OriginalCheck:
    """A release folder, read back, and the table that it is said to be made from."""

    folder: Path
    release: Opened
    original: Table

    @cached_property
    def config(self) -> dict[str, Any]:
        """The request, as it was understood."""
        return dict(read_json(self.folder / "internal" / "config.json"))

    @cached_property
    def rows(self) -> pl.Series:
        """Which row of the original each published row stands for."""
        kept = read_rows(self.folder / "internal" / "rows.parquet")["row"]
        return pl.Series("row", np.argsort(self._traces, kind="stable")).gather(kept) if self._by_traces else kept

    @cached_property
    def _stated(self) -> dict[str, str]:
        """What was kept to know the original by."""
        return dict(read_json(self.folder / "internal" / "original.json"))

    @property
    def _by_traces(self) -> bool:
        """Whether rows are known by their traces, in the order of which they are numbered."""
        return self._stated["algorithm"] == row_fingerprints.ALGORITHM

    @cached_property
    def _traces(self) -> Ints:
        names = self.release.table.columns
        return row_fingerprints.row_traces({name: self.original.frame[name] for name in names}, self._stated["key"])

    @cached_property
    def table(self) -> Table:
        """The original as a method saw it: with columns raised, where some were, and masked where that is no draw."""
        return raised_table(
            self.original.with_columns(self._worked_out.values()), as_raised(self.config.get("coarsen", {}))
        )[0]

    @cached_property
    def _worked_out(self) -> dict[str, pl.Series]:
        """The masked columns whose cells follow from the values they hide, worked out anew."""
        masks = self.config.get("masks", {})
        if not masks:
            return {}
        from shoal.checking.masked_columns import expected  # loaded only where a release has masks

        made = {name: expected(self.original[name], mask) for name, mask in masks.items()}
        return {name: column for name, column in made.items() if column is not None}

    @cached_property
    def source(self) -> pl.DataFrame:
        """The rows of the original in the order of the published ones."""
        return self.table.frame[self.rows]

    def identity_problem(self) -> str:
        """Say if the original is not the one whose keyed hash was kept."""
        stated = self._stated
        if self._by_traces:
            found = row_fingerprints.digest_of(self._traces, stated["key"])
        else:
            found = keyed_hash(self.original, stated["key"], stated["algorithm"])
        return "" if hmac.compare_digest(found["digest"], stated["digest"]) else "the keyed hash differs"

    def raising_problem(self) -> str:
        """Raise the columns again that were raised before all else; an error says that it cannot be done."""
        return "" if self.table.rows == self.original.rows else "rows were lost"

    def cover_problem(self) -> str:
        """Say how many rows do not cover, or average, the rows they stand for."""
        release, rows = self.release, self.rows
        if rows.n_unique() != release.table.height or len(rows) + release.certificate.dropped != self.table.rows:
            return "rows of the original are published twice or not at all"
        told, quasi = (release.table, self.table.frame, rows), release.certificate.quasi
        covering = [name for name in quasi if form_of_column(release.codebook, name).covers]
        wrong = wrong_centroids(*told, quasi, [name for name in quasi if name not in covering])
        if wrong:
            return f"{wrong:,} rows show no centroid of the rows of their class"
        missed = uncovered_rows(*told, covering, self.config["hierarchies"], release.codebook)
        return f"{missed:,} rows do not cover the row they stand for" if missed else ""

    def cost_problem(self) -> str:
        """Say if the cost is not that of the cells over the original."""
        certificate, book = self.release.certificate, self.release.codebook
        told = (self.release.table, self.table.frame)
        if book["cost"]["name"] in COSTS:
            found = centroid_cost(*told, self.rows, book, certificate.dropped)
        else:
            found = original_cost(
                *told,
                quasi=certificate.quasi,
                hierarchies=self.config["hierarchies"],
                codebook=book,
                dropped=certificate.dropped,
            )
        agrees = abs(found - certificate.cost) <= 1e-9 * max(1.0, abs(found))
        return "" if agrees else f"recomputed as {found:.6g}"

    def alteration_problem(self) -> str:
        """Say which columns are altered that should not be."""
        shown, certificate = self.release.table, self.release.certificate
        covering = () if form_of(certificate.recoding).two_tables else certificate.quasi
        added = (self.release.names.get("group"), certificate.pseudonym)
        altered = (*certificate.rounded, *(name for name in certificate.masks if name not in self._worked_out))
        rest = [name for name in shown.columns if name not in (*covering, *added, *altered)]
        source = self._as_withheld(self.source)
        changed = [name for name in rest if not shown[name].cast(pl.String).equals(_as_text(source[name]))]
        return f"columns {', '.join(map(repr, changed))} were altered" if changed else ""

    def _as_withheld(self, source: pl.DataFrame) -> pl.DataFrame:
        """Return rows of the original without the sensitive values of suppressed rows, where none is published."""
        certificate = self.release.certificate
        if not self.release.codebook.get("withheld"):
            return source
        hidden = pl.Series(withheld_rows(self.release.table, certificate.quasi, certificate.sensitive))
        return source.with_columns(
            pl.when(hidden).then(None).otherwise(pl.col(name)).alias(name) for name in certificate.sensitive
        )

    def mask_problem(self) -> str:
        """Say which columns show cells that masks of random draws do not give."""
        from shoal.checking.masked_columns import draw_problem, public  # loaded only where a release has masks

        masks, shown = self.config.get("masks", {}), self.release.table
        if {name: public(mask) for name, mask in masks.items()} != self.release.certificate.masks:
            return "the masks of the request are not those of the certificate"
        whom = self.config.get("person")
        person = person_of(self.original, whom).codes.astype(np.int64) if whom else None
        rows, drawn = self.rows.to_numpy().astype(np.int64), [name for name in masks if name not in self._worked_out]
        found = (draw_problem(shown[name], self.original[name], rows, masks[name], person) for name in drawn)
        return "; ".join(said for said in found if said)

    def rounding_problem(self) -> str:
        """Say how many published record weights are not those of the original, rounded to the stated multiples."""
        shown, source = self.release.table, self.source
        stated = self.release.certificate.rounded
        wrong = sum(wrongly_rounded(shown[name], source[name], multiple) for name, multiple in stated.items())
        return f"{counted(wrong, 'weight is', 'weights are')} not rounded as stated" if wrong else ""

    def change_problem(self) -> str:
        """Say in which columns other cells than stated show the value of the original."""
        stated, shown = self.release.certificate.changed_cells or {}, Table(self.release.table)
        found = changed_cells(shown, self.original, self.rows.to_numpy(), self.release.certificate.quasi)
        wrong = sorted({name for name, cells in found.items() if stated.get(name) != cells} | (stated.keys() - found))
        return f"the number of changed cells is not as stated in {', '.join(map(repr, wrong))}" if wrong else ""

    def people_problem(self) -> str:
        """Say if the numbers kept for people are not one for each person of the original."""
        stated = self.release.people
        if stated is None:
            return f"internal/{PEOPLE} is missing"
        same = self._numbers_alike(stated, person_of(self.original, self.config["person"]))
        return "" if same else "rows of one person have several numbers, or people share one"

    def household_problem(self) -> str:
        """Say if the numbers kept for households are not one for each household of the original."""
        stated = self.release.households
        if stated is None:
            return f"internal/{HOUSEHOLDS} is missing"
        same = self._numbers_alike(stated, household_of(self.original, self.config["household"]))
        return "" if same else "rows of one household have several numbers, or households share one"

    def _numbers_alike(self, stated: pl.Series, original: Coded) -> bool:
        """Whether numbers kept for published rows tell the same rows apart as those of the original's rows."""
        pairs = pl.DataFrame({"stated": stated, "found": original.codes[self.rows.to_numpy()]}).unique()
        return pairs.height == pairs["stated"].n_unique() == pairs["found"].n_unique()

    def count_problem(self) -> str:
        """Say how many groups of two tables have other values than their people."""
        release = self.release
        assert release.sensitive_table is not None
        secrets = self.source.select(_as_text(self.source[name]) for name in release.certificate.sensitive)
        people = secrets.with_columns(release.table[release.names["group"]])
        stated = release.sensitive_table.with_columns(pl.col(release.certificate.sensitive).cast(pl.String))
        wrong = miscounted_groups(people, stated, **release.names)
        return f"{wrong:,} groups do not have the values of their people" if wrong else ""


def _as_text(original: pl.Series) -> pl.Series:
    """Return the text of cells as they are published where nothing is altered."""
    return (escape_stars(original) if original.dtype == pl.String else original).cast(pl.String)
