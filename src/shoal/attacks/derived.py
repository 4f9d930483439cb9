"""Derived: published columns reveal the quasi-identifiers that cells hide, or of a sensitive attribute."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import polars as pl

from shoal.attacks.base import LINKABILITY, Attack, Figure, Outcome
from shoal.attacks.scene import Scene
from shoal.core.arrays import Ints
from shoal.core.sorting import distinct_rows
from shoal.inspection.dependence import Dependence, dependences, published_dependences, tellers_of
from shoal.inspection.sampled_column import BEHIND
from shoal.tables.encoded_column import Coded
from shoal.tables.star_marks import STAR
from shoal.tables.table import Table

NOT_LEARNT = (
    "Which columns reveal others was found from the published cells alone: with the original, more may be found."
)


@dataclass(frozen=True)
class Derived(Attack):
    """Guarantees that `after` counts the people with one candidate, for who also knows the columns that tell.

    Columns that reveal a quasi-identifier, such as the age group beside the age, are taken to be known like the
    quasi-identifier itself. Which do is learnt from the original; without it from the published cells that are not
    stars, and then `after` counts the rows that are unique in the published quasi-identifiers and these columns. For
    each sensitive attribute that other columns reveal, another outcome counts the people whose value is certain.

    Figures: the columns that tell, and why; of the published rows, how many are unique in the quasi-identifiers alone
    (`unique_alone`), with each of these columns (`unique_with`) and with all of them (`unique`), and how many are then
    in groups of fewer than k; the highest chance that a guess within a group is right; and the quasi-identifiers whose
    cells are stars but for a few, of which nothing is learnt without the original (`not_learnt`).
    """

    name: ClassVar[str] = "derived"
    meaning: ClassVar[str] = "exactly one row can be the person's, by columns that reveal quasi-identifiers"
    knows: ClassVar[str] = "all quasi-identifiers, and the published columns that reveal them"
    excluded_by: ClassVar[str] = "no model; leave these columns out, or make them quasi-identifiers"
    criterion: ClassVar[str] = LINKABILITY
    needs_original: ClassVar[bool] = False
    gains: ClassVar[str] = "finds {found} of {people} for certain"

    k: int = 5

    def run(self, scene: Scene) -> Iterator[Outcome]:
        """Find the columns that tell; count people with one candidate, then those whose sensitive value is certain."""
        found = _found(scene)
        yield self._linked(scene, found)
        for name in scene.sensitive:
            tellers = tellers_of(found, [name])
            if tellers and (scene.has_original or not scene.shown.is_two):
                yield self._certain(scene, name, tellers)

    def _linked(self, scene: Scene, found: Sequence[Dependence]) -> Outcome:
        quasi, k = scene.shown.quasi, scene.shown.models.rows_asked or self.k
        tellers = tellers_of(found, quasi)
        sizes = np.bincount(_groups(scene, (*quasi, *tellers)))
        figures: dict[str, Figure] = {
            "columns": list(tellers),
            "reasons": [one.reason for one in found if set(one.tells) & set(quasi)],
            "k": k,
            "unique_alone": _unique(scene, quasi),
            "unique_with": [[name, _unique(scene, (*quasi, name))] for name in tellers],
            "unique": int((sizes == 1).sum()),
            "below_k": int(sizes[sizes < k].sum()),
            "highest_chance": 1 / int(sizes.min()),
            "not_learnt": [] if scene.has_original else [name for name in quasi if _hidden(scene, name)],
        }
        said = f"all quasi-identifiers, and {' and '.join(tellers)}" if tellers else "all quasi-identifiers"
        if not scene.has_original:
            return self._told(scene, None, int((sizes == 1).sum()), "own class", said, figures)
        crowds = scene.crowds_knowing(tellers)
        before, after = (crowd.view.hits((crowd.size == 1) & crowd.is_right) for crowd in crowds)
        return self._told(scene, before, after, crowds[1].way, said, figures)

    def _certain(self, scene: Scene, name: str, tellers: Sequence[str]) -> Outcome:
        said = f"all quasi-identifiers, and {' and '.join(tellers)}"
        figures: dict[str, Figure] = {"columns": list(tellers)}
        if not scene.has_original:
            groups = _groups(scene, (*scene.shown.quasi, *tellers))
            with_value = _groups(scene, (*scene.shown.quasi, *tellers, name))
            values = np.bincount(groups[np.unique(with_value, return_index=True)[1]])
            after = int((values == 1)[groups].sum())
            return self._told(scene, None, after, "own class", said, figures, name)
        crowds = scene.crowds_knowing(tellers)
        before, after = (crowd.view.hits(crowd.secret(name).is_certain) for crowd in crowds)
        return self._told(scene, before, after, crowds[1].way, said, figures, name)

    def _told(
        self,
        scene: Scene,
        before: int | None,
        after: int,
        way: str,
        knows: str,
        figures: Mapping[str, Figure],
        attribute: str | None = None,
    ) -> Outcome:
        """Return an outcome; without the original it is not complete."""
        return self.outcome(
            scene,
            before,
            after,
            way,
            attribute=attribute,
            knows=knows,
            words={"found": attribute or "the record"},
            figures=figures,
            at_most=None if scene.has_original else Fraction(1),
            left_out="" if scene.has_original else NOT_LEARNT,
        )


def _found(scene: Scene) -> tuple[Dependence, ...]:
    """Return the published columns that tell, as the original or the published cells show."""
    shown = scene.shown
    if not scene.has_original:
        return published_dependences(Table(shown.frame), shown.quasi, shown.sensitive)
    seen = [name for name in shown.frame.columns if name in scene.original.columns and name not in shown.quasi]
    published = [name for name in seen if name not in shown.drawn]
    return dependences(Table(scene.original), (*shown.quasi, *scene.sensitive), published)


def _groups(scene: Scene, columns: Sequence[str]) -> Ints:
    """Return the group of each published row: rows with the same cells in some columns."""
    coded = [Coded.of(scene.shown.frame[name]) for name in columns]
    return distinct_rows([one.codes for one in coded], [one.size for one in coded])[0]


def _unique(scene: Scene, columns: Sequence[str]) -> int:
    """Return how many published rows are unique in some columns."""
    return int((np.bincount(_groups(scene, columns)) == 1).sum())


def _hidden(scene: Scene, name: str) -> bool:
    """Whether too few cells of a quasi-identifier are published to learn anything from them."""
    shown = scene.shown.frame[name].drop_nulls()
    return len(shown) - int((shown.cast(pl.String) == STAR).sum()) < 2 * BEHIND
