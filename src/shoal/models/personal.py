"""Personalised privacy (Xiao and Tao 2006): everybody says what must not be learnt about them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Bools, Floats, Ints
from shoal.core.errors import ParameterError
from shoal.core.parameters import Number, Numeral
from shoal.core.sorting import distinct_rows
from shoal.microdata.histogram import Attributes, Classes, Values
from shoal.models.base import AttributeModel, ratio_at_least
from shoal.tables.star_marks import cell_text


@dataclass(frozen=True)
class Personal(AttributeModel):
    """Guarantees that nobody's guarding node is believed of them with a probability above `p`.

    The guarding node of a person is a value of the sensitive attribute or a block of its hierarchy that holds their own
    value: nobody shall learn with more than probability p that it is one of those. `*` is the root, which p = 1 alone
    allows; a missing one protects nothing. Nodes are in a column of their own, named after the bar. With the sensitive
    values published as they are, the probability is the share of the rows of the person's class whose values lie under
    the node: the level of a class is the largest over its people.

    Merging two classes can break it: one may have many rows with values that somebody of the other guards.

    >>> str(Personal("1/2", "disease", "guard"))
    'personal(disease|guard)=0.5'
    """

    name: ClassVar[str] = "personal"
    title: ClassVar[str] = "personalised privacy"
    meaning: ClassVar[str] = "values under a person's guarding node fill at most a share p of their class"
    parameters: ClassVar[tuple[Number, ...]] = (Number("p", "largest share under a guarding node", 0, 1),)
    monotone: ClassVar[bool] = False
    larger_is_stricter: ClassVar[bool] = False
    measured_unasked: ClassVar[bool] = False
    needs_guards: ClassVar[bool] = True

    p: Numeral
    attribute: str | Attributes
    others: str | Attributes = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.attributes) != 1 or len(self.given) != 1:
            raise ParameterError(
                f"{self.name} reads {'+'.join(self.attributes)} guarded by {'|'.join(self.given) or 'no column'}",
                expected="a sensitive attribute, a bar, and the column of guarding nodes: personal(disease|guard)=0.5",
            )

    @classmethod
    def grammar(cls) -> str:
        """Return how the requirement is written."""
        return f"{cls.name}(ATTRIBUTE|GUARD)=P"

    def level(self, classes: Classes) -> Floats:
        """Return the largest share of a class that lies under the guarding node of one of its people."""
        return self._largest(classes) / classes.sizes

    def admits(self, classes: Classes) -> Bools:
        """Decide in integers."""
        largest = self._largest(classes)
        return ratio_at_least(classes.sizes, largest, 1 / self.limit) if self.limit else largest == 0

    def reached(self, classes: Classes) -> float:
        """Return the largest share."""
        pairs = zip(self._largest(classes).tolist(), classes.sizes.tolist(), strict=True)
        return float(max(Fraction(rows, size) for rows, size in pairs))

    def _largest(self, classes: Classes) -> Ints:
        """Return, for each class, the most rows that lie under a guarding node of one of its people."""
        values, guards = (classes.attributes[names] for names in (self.attributes, self.given))
        under = self._under(values, guards)
        histogram = classes.histogram(self.attributes)
        sizes = [classes.number, len(guards.totals)]
        _, first, _ = distinct_rows([classes.class_of_row, guards.codes], sizes)
        owner, node = classes.class_of_row[first], guards.codes[first]
        largest = np.zeros(classes.number, dtype=np.int64)
        for one in np.unique(node).tolist():
            inside = np.where(under[one, histogram.codes], histogram.counts, 0)
            rows = np.bincount(histogram.slice_of_entry, inside, classes.number).astype(np.int64)
            here = owner[node == one]
            largest[here] = np.maximum(largest[here], rows[here])
        return largest

    def _under(self, values: Values, guards: Values) -> Bools:
        """Return which values lie under which guarding nodes; refuse nodes that do not hold their person's value."""
        nodes = _nodes(values)
        nothing = np.zeros(len(values.totals), dtype=bool)
        labels = guards.domain.to_list()
        under = np.array([nothing if label is None else nodes.get(str(label), nothing) for label in labels])
        guarded = np.array([label is not None for label in labels])[guards.codes]
        wrong = int((guarded & ~under[guards.codes, values.codes]).sum())
        if wrong:
            raise ParameterError(
                f"the guarding nodes of {wrong:,} rows do not hold the rows' own value of {self.attributes[0]!r}",
                expected="a value, a block of its hierarchy, or * in the column, or nothing",
                hint=f"give the hierarchy of {self.attributes[0]!r}, or correct {self.given[0]!r}",
            )
        return under


def _nodes(values: Values) -> dict[str, Bools]:
    """Return the values under each node of the hierarchy, by its label; without one, of the values and the root."""
    leaves = np.arange(len(values.totals))
    nodes: dict[str, Bools] = {"*": np.ones(len(leaves), dtype=bool)}
    if values.tree is not None:
        for up, labels in zip(values.tree.up, values.tree.labels, strict=True):
            nodes |= {label: up == block for block, label in enumerate(labels) if label is not None}
    texts = cell_text(values.domain).to_list()
    return nodes | {text: leaves == leaf for leaf, text in enumerate(texts) if text is not None}
