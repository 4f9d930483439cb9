"""Publisher's payout (Wan et al. 2015): what generalization and attacks take from the benefit of publishing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from shoal.core.arrays import Floats, Ints
from shoal.core.parameters import Number, Numeral
from shoal.costs.base import ClassCost
from shoal.costs.uniform_entropy import UniformEntropy
from shoal.recoding.cells import Cells


@dataclass(frozen=True)
class PublisherPayout(ClassCost):
    """Adds up `benefit * loss + penalty / g` over the rows, the second part only where `gain / g > cost`: attacks pay.

    g are the rows of the class: an attacker who knows that a person is in the table finds their row with probability
    1 / g, wins `gain` and has paid `cost`; the publisher pays the `penalty`. The loss of a row is the share of its bits
    that its cells leave open (`uniform-entropy`). A dropped row brings nothing: it costs the benefit. So it is the
    benefit of all rows less the publisher's payout, in the currency of the numbers. It speaks of money and protects
    nobody; ask for `no-attack` beside it where no attack may pay. The defaults are those of ARX.
    """

    name: ClassVar[str] = "publisher-payout"
    title: ClassVar[str] = "publisher's payout"
    meaning: ClassVar[str] = "what generalization and attacks that pay take from the benefit of publishing all rows"
    parameters: ClassVar[tuple[Number, ...]] = (
        Number("gain", "what the right row of a person is worth to an attacker", 0),
        Number("cost", "what an attempt costs the attacker", 0),
        Number("benefit", "what a row published as it is brings", 0, above=True),
        Number("penalty", "what the publisher pays for a person who is found", 0),
    )

    gain: Numeral = 300
    cost: Numeral = 4
    benefit: Numeral = 1200
    penalty: Numeral = 300

    def class_losses(self, cells: Sequence[Cells], sizes: Ints) -> Floats:
        """Return what each group of rows takes from the benefit."""
        attacked = sizes * float(self.cost) < float(self.gain)
        lost: Floats = sizes * float(self.benefit) * UniformEntropy().row_losses(cells) + attacked * float(self.penalty)
        return lost

    def drop_loss(self, cells: Sequence[Cells], rows: int) -> float:
        """Return the benefit."""
        return float(self.benefit)
