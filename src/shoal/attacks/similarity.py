"""Similarity (Li et al. 2007): the candidates have different values that mean the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from shoal.attacks.base import Attack, Figure, Outcome
from shoal.attacks.crowds import Crowd
from shoal.attacks.scene import Scene
from shoal.core.arrays import Codes, Floats
from shoal.core.parameters import Number, Numeral
from shoal.tables.encoded_column import Coded
from shoal.tables.spelling import infer

WIDTH = Number("width", "share of the range", 0, 1)


@dataclass(frozen=True)
class Similarity(Attack):
    """Guarantees that `after` counts the people whose value is known but for a little.

    A number (or a date): all candidates lie within `width` of the column's range, the person too. With a hierarchy: all
    candidates lie in the person's own block of the lowest level above the values. Other attributes are left out.
    """

    name: ClassVar[str] = "similarity"
    meaning: ClassVar[str] = "all candidates have nearly the same value, or values of one block of the hierarchy"
    knows: ClassVar[str] = "all quasi-identifiers"
    excluded_by: ClassVar[str] = "e > width * range; t with numeric, ordered or hierarchical distance, if small enough"
    gains: ClassVar[str] = "learns {attribute} of {people} to within {width}"

    width: Numeral = "0.1"

    def untried(self, scene: Scene) -> Mapping[str | None, str]:
        """Leave out words without a hierarchy."""
        words = (name for name in scene.sensitive if not _on_a_line(scene, name) and not _has_blocks(scene, name))
        reason = "it has neither numbers nor dates, and no hierarchy was given for it"
        return {**super().untried(scene), **dict.fromkeys(words, reason)}

    def run(self, scene: Scene) -> Iterator[Outcome]:
        """Count people whose candidates are alike."""
        width = float(WIDTH.read(self.width, self.name))
        for name in scene.sensitive:
            if _on_a_line(scene, name):
                places = _places(infer(scene.domains[name]))
                before, after = (_near(crowd, name, places, width) for crowd in scene.crowds())
                figures: dict[str, Figure] = {"by": "range", "width": width}
                words = {"width": f"{width:g} of its range"}
                yield self.outcome(scene, before, after, scene.way, attribute=name, words=words, figures=figures)
            if _has_blocks(scene, name):
                tree = scene.tree(name)
                assert tree is not None
                before, after = (_in_one_block(crowd, name, tree.up[1]) for crowd in scene.crowds())
                words, figures = {"width": "a block of its hierarchy"}, {"by": "hierarchy"}
                yield self.outcome(scene, before, after, scene.way, attribute=name, words=words, figures=figures)


def _on_a_line(scene: Scene, name: str) -> bool:
    """Whether the values of an attribute are numbers or dates."""
    kind = infer(scene.domains[name]).dtype
    return kind.is_numeric() or kind.is_temporal()


def _has_blocks(scene: Scene, name: str) -> bool:
    """Whether a hierarchy puts values of an attribute together below the root."""
    tree = scene.tree(name)
    return tree is not None and tree.height > 1


def _near(crowd: Crowd, name: str, places: Floats, width: float) -> int:
    found = crowd.secret(name)
    apart = places[found.high] - places[found.low]  # NaN where a value is missing: then nothing is near
    near = (apart <= width * (1 + 1e-12)) & (found.own > 0)
    return crowd.view.hits(near | (found.is_certain & ~np.isnan(apart)))


def _places(domain: pl.Series) -> Floats:
    """Return where each value lies in the range of its column, from 0 to 1; a missing one is nowhere (NaN)."""
    at = Coded(domain, np.zeros(0, dtype=np.int32)).positions
    span = float(np.nanmax(at) - np.nanmin(at)) if np.isfinite(at).any() else 0.0
    return (at - np.nanmin(at)) / span if span else at * 0.0


def _in_one_block(crowd: Crowd, name: str, block_of: Codes) -> int:
    blocks = block_of.astype(np.int64)
    found = crowd.spread(blocks[crowd.view.secrets[name]], blocks[crowd.view.own_secrets[name]], cap=2)
    return crowd.view.hits(found.is_certain)
