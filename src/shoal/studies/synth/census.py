"""A seeded synthetic census: nobody in it exists, but its columns are correlated and skewed like real ones.

Every row has a latent normal score. Each attribute mixes the latent, the row's age score and fresh noise into
a normal score of its own, and cuts that at quantiles that make some values common and others rare. The recipe
is the table `ATTRIBUTES`; the words are in `shoal.studies.synth.words`. The associations are invented and say nothing
about real groups.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.core.arrays import Floats
from shoal.core.parameters import Number
from shoal.hierarchies.base import Builder
from shoal.hierarchies.intervals import Intervals
from shoal.hierarchies.stars import StarsOnly
from shoal.hierarchies.taxonomy import Taxonomy
from shoal.studies.synth import words

Scores: TypeAlias = npt.NDArray[np.float32]
Tree: TypeAlias = Mapping[str, "Tree"] | Sequence[str]

QUASI: Final = ("age", "gender", "race", "marital", "birthplace", "education", "workclass")
SENSITIVE: Final = ("income", "occupation")

ROWS: Final = Number("rows", "how many people", 1, whole=True)
SEED: Final = Number("seed", "where the random numbers start", 0, whole=True)
AGE_CORRELATION: Final = 0.5


def leaves(tree: Tree) -> Iterator[str]:
    """Yield the values of a tree from first to last.

    >>> list(leaves({"fruit": ["apple", "pear"], "nut": {"hard": ["hazel"]}}))
    ['apple', 'pear', 'hazel']
    """
    if isinstance(tree, Mapping):
        for branch in tree.values():
            yield from leaves(branch)
    else:
        yield from tree


@dataclass(frozen=True)
class Attribute:
    """The recipe of one column: its values in the order of the latent, and how they are drawn.

    `skew` 1 makes all values equally common; the larger it is, the more people have the `common` value (the
    first one unless said) and those next to it. `correlation` is that of the column's score with the latent;
    `ageing` is how much of the score comes from age directly.
    """

    name: str
    values: tuple[str, ...] | tuple[int, ...]
    skew: float
    correlation: float
    common: str | int | None = None
    ageing: float = 0.0

    def shares(self) -> Floats:
        """Return the expected share of every value; they sum to one.

        >>> Attribute("size", ("S", "M", "L"), 2, 0.5, common="M").shares().round(2).tolist()
        [0.24, 0.58, 0.18]
        """
        count = len(self.values)
        middle = 0 if self.common is None else list(self.values).index(self.common)
        outwards = np.argsort(np.abs(np.arange(count) - middle), kind="stable")
        shares = np.empty(count)
        shares[outwards] = np.diff(np.linspace(0, 1, count + 1) ** (1 / self.skew))
        return shares

    def cuts(self) -> Scores:
        """Return the scores at which one value ends and the next begins."""
        normal = NormalDist()
        return np.array([normal.inv_cdf(share) for share in self.shares().cumsum()[:-1]], dtype=np.float32)

    def weights(self) -> tuple[float, float, float]:
        """Return the weights of latent, age and noise that give variance 1 and the declared correlation.

        >>> Attribute("size", ("S", "L"), 1, 0.6).weights()
        (0.6, 0.0, 0.8)
        """
        latent = self.correlation - self.ageing * AGE_CORRELATION
        noise = 1 - latent**2 - self.ageing**2 - 2 * latent * self.ageing * AGE_CORRELATION
        return latent, self.ageing, sqrt(noise)

    def score(self, latent: Scores, age: Scores | None, rng: np.random.Generator) -> Scores:
        """Return a standard normal score for every row."""
        from_latent, from_age, from_noise = map(np.float32, self.weights())
        score = rng.standard_normal(len(latent), dtype=np.float32)
        score *= from_noise
        score += from_latent * latent
        if age is not None and from_age:
            score += from_age * age
        return score

    def column(self, score: Scores) -> pl.Series:
        """Return the values the scores fall on."""
        codes = np.searchsorted(self.cuts(), score).astype(np.uint8)
        return pl.Series(self.name, self.values).gather(pl.Series(codes))


AGE: Final = Attribute("age", tuple(range(17, 96)), 1, AGE_CORRELATION)

ATTRIBUTES: Final = (
    AGE,
    Attribute("gender", words.GENDER, 1, 0.5),
    Attribute("race", tuple(leaves(words.RACE)), 5, 0.5),
    Attribute("marital", tuple(leaves(words.MARITAL)), 2, 0.5, "Living with spouse", ageing=0.6),
    Attribute("birthplace", tuple(leaves(words.BIRTHPLACE)), 6, 0.5, "California"),
    Attribute("education", tuple(leaves(words.EDUCATION)), 3, 0.5, "High school diploma", ageing=0.2),
    Attribute("workclass", tuple(leaves(words.WORKCLASS)), 3, 0.5, "Private company"),
    Attribute("income", tuple(range(0, 250, 5)), 2, 0.6, 30, ageing=0.3),
    Attribute("occupation", tuple(leaves(words.OCCUPATION)), 1.5, 0.6, "Retail salesperson"),
)


def census(rows: int, seed: int = 0, attributes: Sequence[Attribute] = ATTRIBUTES) -> pl.DataFrame:
    """Return `rows` invented people; the same rows and seed give the same table on every run.

    The columns are `QUASI`, then `SENSITIVE`. Income is the lower end of a bracket, in thousands. Large
    tables have every declared value, small ones may miss rare ones. The latent is what is drawn first. `attributes`
    are other recipes: age, and any columns besides.

    >>> census(3, seed=1).select("age", "gender", "marital", "income").rows()
    [(95, 'Female', 'Widowed', 155), (37, 'Male', 'Never married', 30), (80, 'Male', 'Divorced', 120)]
    """
    count = int(ROWS.read(rows, "census"))
    rng = np.random.default_rng(int(SEED.read(seed, "census")))
    latent = rng.standard_normal(count, dtype=np.float32)
    age = AGE.score(latent, None, rng)
    others = (one.column(one.score(latent, age, rng)) for one in attributes if one is not AGE)
    return pl.DataFrame([AGE.column(age), *others])


def census_hierarchies() -> dict[str, Builder]:
    """Return a hierarchy builder for every column; each covers every declared value, not only those drawn.

    >>> census_hierarchies()["gender"]
    StarsOnly()
    """
    return {
        "age": Intervals(width=(5, 10, 20)),
        "gender": StarsOnly(),
        "race": Taxonomy.from_tree(words.RACE),
        "marital": Taxonomy.from_tree(words.MARITAL),
        "birthplace": Taxonomy.from_tree(words.BIRTHPLACE),
        "education": Taxonomy.from_tree(words.EDUCATION),
        "workclass": Taxonomy.from_tree(words.WORKCLASS),
        "income": Intervals(width=(10, 50, 100)),
        "occupation": Taxonomy.from_tree(words.OCCUPATION),
    }
