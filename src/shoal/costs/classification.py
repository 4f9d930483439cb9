"""Classification metric (Iyengar 2002): rows that a class would tell wrong."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shoal.core.arrays import AnyInts
from shoal.costs.base import Cost
from shoal.recoding import Recoding
from shoal.recoding.recode import Published


class Classification(Cost):
    """Averages over rows and sensitive columns whether a row's value is not the commonest one of its class.

    It is the error of whoever guesses the commonest value of each class. A dropped row counts as told wrong. The finer
    the classes, the less it is: it pulls against l-diversity and t-closeness, and is for tables whose sensitive column
    is what a model is to learn. Without a sensitive column nothing is told wrong, and it is 0 unless rows are dropped.
    """

    name: ClassVar[str] = "classification"
    reads_sensitive: ClassVar[bool] = True
    title: ClassVar[str] = "classification metric"
    meaning: ClassVar[str] = "share of the rows whose sensitive value is not the commonest of their class"

    @classmethod
    def measures(cls, recoding: type[Recoding]) -> bool:
        """Whether rows have classes that show their values: not two tables."""
        return not recoding.two_tables

    def of(self, published: Published) -> float:
        """Measure a release."""
        partition, columns = published.partition, published.microdata.sensitive
        rows, kept = len(partition.class_of_row), partition.kept
        label = partition.class_of_row[kept].astype(np.int64)
        wrong = [len(label) - _right(label, column.codes[kept], column.size, len(partition)) for column in columns]
        return (float(np.mean(wrong)) if wrong else 0.0) / rows + partition.dropped / rows


def _right(label: AnyInts, codes: AnyInts, size: int, classes: int) -> int:
    """Return how many rows have the commonest value of their class."""
    pairs, counts = np.unique(label * size + codes, return_counts=True)
    most = np.zeros(classes, dtype=np.int64)
    np.maximum.at(most, pairs // size, counts)
    return int(most.sum())
