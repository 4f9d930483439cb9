"""Relations, against the sparse matrices of scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from shoal.core.arrays import Bools
from shoal.core.relation import Relation


def related(dense: Bools) -> Relation:
    first, second = np.argwhere(dense).T
    return Relation.of(first, second, (len(dense), dense.shape[1]))


@pytest.mark.parametrize("seed", range(60))
def test_relations_are_sparse_matrices_of_ones(seed: int) -> None:
    draw = np.random.default_rng(seed)
    rows, middle, columns = draw.integers(0, 9, 3)
    first, second = draw.random((rows, middle)) < 0.4, draw.random((middle, columns)) < 0.4
    a, b = related(first), related(second)
    found, ways = a.then(b)
    product = csr_array(first.astype(np.int64)) @ csr_array(second.astype(np.int64))
    dense = np.zeros((rows, columns), dtype=np.int64)
    dense[found.owners, found.others] = ways
    assert dense.tolist() == product.toarray().tolist()
    assert (ways > 0).all()
    values = draw.integers(-5, 5, middle)
    assert a.sums(values).tolist() == (first @ values).tolist()
    assert a.degrees.tolist() == first.sum(axis=1).tolist()
    kept_rows, kept_pairs = draw.random(rows) < 0.5, draw.random(len(a.others)) < 0.5
    assert a.lines(kept_rows).sums(values).tolist() == (first[kept_rows] @ values).tolist()
    assert len(a.pairs(kept_pairs).others) == kept_pairs.sum()
    assert a.inverse.inverse.others.tolist() == a.others.tolist()


def test_everything_is_related_to_itself() -> None:
    found, ways = Relation.identity(3).then(Relation.of(np.array([0, 2]), np.array([1, 0]), (3, 2)))
    assert (found.starts.tolist(), found.others.tolist(), ways.tolist()) == ([0, 1, 1, 2], [1, 0], [1, 1])
