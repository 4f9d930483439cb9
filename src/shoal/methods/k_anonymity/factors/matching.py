"""The heaviest matching of a graph, by rustworkx (after Galil 1986)."""

from __future__ import annotations

import numpy as np

from shoal.core.arrays import Ints


def heaviest_matching(vertices: int, ends: Ints, weights: Ints, *, largest: bool = False) -> Ints:
    """Return the pairs of a matching of the largest weight, the smaller vertex first, in order.

    `ends` holds the two vertices of each edge, no two edges alike. With `largest`, of the matchings of most edges.

    >>> import numpy as np
    >>> path = np.array([[0, 1], [1, 2], [2, 3]])
    >>> heaviest_matching(4, path, np.array([1, 3, 1])).tolist()
    [[1, 2]]
    >>> heaviest_matching(4, path, np.array([1, 3, 1]), largest=True).tolist()
    [[0, 1], [2, 3]]
    """
    import rustworkx  # loaded only where a matching is looked for

    graph = rustworkx.PyGraph(multigraph=False, node_count_hint=vertices, edge_count_hint=len(ends))
    graph.add_nodes_from(range(vertices))
    graph.extend_from_weighted_edge_list(list(zip(*ends.T.tolist(), weights.tolist(), strict=True)))
    found = rustworkx.max_weight_matching(graph, max_cardinality=largest, weight_fn=int)
    pairs = np.sort(np.array(list(found), dtype=np.int64).reshape(-1, 2), axis=1)
    return pairs[np.argsort(pairs[:, 0])]
