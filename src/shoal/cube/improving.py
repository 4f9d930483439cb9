"""Local search among open patterns: rows move to cheaper classes, classes are dissolved (compiled).

Every move keeps every class admitted as far as the loops know the models (see `admit`).
"""

from __future__ import annotations

import numpy as np

from shoal.cube.admit import admits
from shoal.cube.compiled import njit
from shoal.cube.kernels import find_slot, slots_for

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"


@njit(cache=True, nogil=True)
def move_rows(
    lefts,
    rights,
    widths,
    left_losses,
    right_losses,
    nodes,
    type_of_row,
    class_of_row,
    node_of_class,
    rows_needed,
    codes,
    totals,
    checks,
    edges,
    weights,
    rounds,
    stop,
):
    """Move rows to cheaper open patterns and dissolve classes, in rounds, while that saves; `class_of_row` is changed.

    Returns what was saved.
    """
    classes, number = len(node_of_class), len(type_of_row)
    width = totals.shape[1]
    shares = np.zeros((len(codes), width))
    for a in range(len(codes)):
        shares[a] = totals[a] / totals[a].sum()
    size = np.zeros(classes, np.int64)
    cost = np.zeros(classes, np.int64)
    counted = np.zeros((classes, len(codes), width), np.int64)
    for r in range(number):
        c, t = class_of_row[r], type_of_row[r]
        size[c] += 1
        a, b = nodes[node_of_class[c]]
        cost[c] = left_losses[a, t] + right_losses[b, t]
        for d in range(len(codes)):
            counted[c, d, codes[d, t]] += 1
    used = np.unique(node_of_class)
    keys, owner = _open(lefts, rights, widths, nodes, type_of_row, class_of_row, node_of_class)
    saved = np.int64(0)
    found = np.empty(len(used), np.int64)
    for _ in range(rounds):
        before = saved
        for r in range(number):
            if stop[0]:
                return saved
            here = class_of_row[r]
            if cost[here] == 0:
                continue
            t = type_of_row[r]
            if not _may_leave(here, t, size, counted, codes, shares, checks, edges, weights, rows_needed):
                continue
            many = _matching(t, lefts, rights, widths, nodes, used, keys, owner, found)
            best = here
            for i in range(many):
                c = found[i]
                if size[c] and cost[c] < cost[best] and c != here:
                    if _may_join(c, t, counted, codes, shares, checks, edges, weights):
                        best = c
            if best != here:
                saved += cost[here] - cost[best]
                _move(r, t, here, best, class_of_row, size, counted, codes)
        saved += _dissolve(
            lefts,
            rights,
            widths,
            nodes,
            used,
            keys,
            owner,
            found,
            type_of_row,
            class_of_row,
            size,
            cost,
            counted,
            codes,
            shares,
            checks,
            edges,
            weights,
            stop,
        )
        if saved == before:
            break
    return saved


@njit(cache=True)
def _open(lefts, rights, widths, nodes, type_of_row, class_of_row, node_of_class):
    """Return a hash table from the key of an open pattern to its class."""
    keys = np.full(slots_for(len(node_of_class)) * 2, -1, np.int64)
    owner = np.zeros(len(keys), np.int64)
    mask = np.uint64(len(keys) - 1)
    for r in range(len(type_of_row)):
        c, t = class_of_row[r], type_of_row[r]
        a, b = nodes[node_of_class[c]]
        key = (lefts[a, t] * widths[b] + rights[b, t]) * len(nodes) + node_of_class[c]
        slot = find_slot(key, keys, mask)
        keys[slot] = key
        owner[slot] = c
    return keys, owner


@njit(cache=True)
def _matching(t, lefts, rights, widths, nodes, used, keys, owner, found):
    """Gather the classes whose pattern a type matches; return how many there are."""
    mask = np.uint64(len(keys) - 1)
    many = 0
    for index in used:
        a, b = nodes[index]
        key = (lefts[a, t] * widths[b] + rights[b, t]) * len(nodes) + index
        slot = find_slot(key, keys, mask)
        if keys[slot] == key:
            found[many] = owner[slot]
            many += 1
    return many


@njit(cache=True)
def _may_leave(here, t, size, counted, codes, shares, checks, edges, weights, rows_needed):
    if size[here] <= rows_needed:
        return False
    for d in range(len(checks)):
        a = int(checks[d, 1])
        counted[here, a, codes[a, t]] -= 1
        ok = admits(int(checks[d, 0]), counted[here, a], checks[d, 2], checks[d, 3], shares[a], edges[d], weights[d])
        counted[here, a, codes[a, t]] += 1
        if not ok:
            return False
    return True


@njit(cache=True)
def _may_join(there, t, counted, codes, shares, checks, edges, weights):
    for d in range(len(checks)):
        a = int(checks[d, 1])
        counted[there, a, codes[a, t]] += 1
        ok = admits(int(checks[d, 0]), counted[there, a], checks[d, 2], checks[d, 3], shares[a], edges[d], weights[d])
        counted[there, a, codes[a, t]] -= 1
        if not ok:
            return False
    return True


@njit(cache=True)
def _move(r, t, here, there, class_of_row, size, counted, codes):
    class_of_row[r] = there
    size[here] -= 1
    size[there] += 1
    for d in range(len(codes)):
        counted[here, d, codes[d, t]] -= 1
        counted[there, d, codes[d, t]] += 1


@njit(cache=True)
def _dissolve(
    lefts,
    rights,
    widths,
    nodes,
    used,
    keys,
    owner,
    found,
    type_of_row,
    class_of_row,
    size,
    cost,
    counted,
    codes,
    shares,
    checks,
    edges,
    weights,
    stop,
):
    """Spread the rows of a class over other open classes wherever that costs less than the class."""
    order = np.argsort(class_of_row)
    starts = np.searchsorted(class_of_row[order], np.arange(len(size) + 1))
    saved = np.int64(0)
    for c in range(len(size)):
        if stop[0]:
            return saved
        if size[c] == 0 or cost[c] == 0 or starts[c + 1] - starts[c] != size[c]:
            continue
        mine = order[starts[c] : starts[c + 1]]
        if (class_of_row[mine] != c).any():
            continue
        budget = size[c] * cost[c]
        placed = 0
        for r in mine:
            t = type_of_row[r]
            best = -1
            many = _matching(t, lefts, rights, widths, nodes, used, keys, owner, found)
            for i in range(many):
                d = found[i]
                if d != c and size[d] and cost[d] < budget and (best < 0 or cost[d] < cost[best]):
                    if _may_join(d, t, counted, codes, shares, checks, edges, weights):
                        best = d
            if best < 0:
                budget = -1
                break
            budget -= cost[best]
            _move(r, t, c, best, class_of_row, size, counted, codes)
            placed += 1
            if budget <= 0:
                break
        if budget > 0 and placed == len(mine):
            saved += budget
        else:
            for i in range(placed):
                r = mine[i]
                _move(r, type_of_row[r], class_of_row[r], c, class_of_row, size, counted, codes)
    return saved


@njit(cache=True, nogil=True)
def open_patterns(
    lefts,
    rights,
    widths,
    left_losses,
    right_losses,
    nodes,
    type_of_row,
    class_of_row,
    node_of_class,
    donors,
    rows_needed,
    codes,
    totals,
    checks,
    edges,
    weights,
    stop,
):
    """Open patterns for rows of dear classes, pulling rows that other classes can spare, wherever that saves.

    `donors` are the classes to relieve, dearest first. `class_of_row` is changed; returns what was saved and the nodes
    of the classes that were opened.
    """
    classes, number = len(node_of_class), len(type_of_row)
    width = totals.shape[1]
    room = classes + number // max(rows_needed, 1) + 1
    shares = np.zeros((len(codes), width))
    for a in range(len(codes)):
        shares[a] = totals[a] / totals[a].sum()
    size = np.zeros(room, np.int64)
    cost = np.zeros(room, np.int64)
    counted = np.zeros((room, len(codes), width), np.int64)
    for r in range(number):
        c, t = class_of_row[r], type_of_row[r]
        size[c] += 1
        a, b = nodes[node_of_class[c]]
        cost[c] = left_losses[a, t] + right_losses[b, t]
        for d in range(len(codes)):
            counted[c, d, codes[d, t]] += 1
    opened = np.empty(room, np.int64)
    fresh = 0
    saved = np.int64(0)
    keys = np.empty(slots_for(number), np.int64)
    ids = np.empty(len(keys), np.int64)
    for donor in donors:
        mask = np.uint64(slots_for(size[donor]) - 1)
        for index in range(len(nodes)):
            if stop[0] or size[donor] == 0:
                break
            a, b = nodes[index]
            keys[: mask + 1] = -1
            groups = 0
            for r in range(number):
                t = type_of_row[r]
                if class_of_row[r] == donor and left_losses[a, t] + right_losses[b, t] < cost[donor]:
                    key = lefts[a, t] * widths[b] + rights[b, t]
                    slot = find_slot(key, keys, mask)
                    if keys[slot] < 0:
                        keys[slot] = key
                        ids[slot] = groups
                        groups += 1
            if groups == 0:
                continue
            group = np.full(number, -1, np.int64)
            start = np.zeros(groups + 1, np.int64)
            for r in range(number):
                t = type_of_row[r]
                key = lefts[a, t] * widths[b] + rights[b, t]
                slot = find_slot(key, keys, mask)
                if keys[slot] == key:
                    group[r] = ids[slot]
                    start[ids[slot] + 1] += 1
            for g in range(groups):
                start[g + 1] += start[g]
            members = np.empty(start[groups], np.int64)
            fill = start[:-1].copy()
            for r in range(number):
                if group[r] >= 0:
                    members[fill[group[r]]] = r
                    fill[group[r]] += 1
            for g in range(groups):
                if classes + fresh >= room:
                    break
                there = classes + fresh
                mine = members[start[g] : start[g + 1]]
                t = type_of_row[mine[0]]
                cost[there] = left_losses[a, t] + right_losses[b, t]
                gain = _gather(
                    mine,
                    donor,
                    there,
                    type_of_row,
                    class_of_row,
                    size,
                    cost,
                    counted,
                    codes,
                    shares,
                    checks,
                    edges,
                    weights,
                    rows_needed,
                )
                if gain > 0:
                    saved += gain
                    opened[fresh] = index
                    fresh += 1
    return saved, opened[:fresh]


@njit(cache=True)
def _gather(
    mine,
    donor,
    there,
    type_of_row,
    class_of_row,
    size,
    cost,
    counted,
    codes,
    shares,
    checks,
    edges,
    weights,
    rows_needed,
):
    """Try to make a class of the donor's rows among these and of rows that others can spare; return what it saves.

    Where it saves nothing, everything is put back.
    """
    moved = np.empty(len(mine), np.int64)
    came = np.empty(len(mine), np.int64)
    many = 0
    gain = np.int64(0)
    for r in mine:
        if class_of_row[r] == donor:
            gain += cost[donor] - cost[there]
            moved[many], came[many] = r, donor
            many += 1
            _move(r, type_of_row[r], donor, there, class_of_row, size, counted, codes)
    own = many
    good = size[there] >= rows_needed and _admitted(there, counted, codes, shares, checks, edges, weights)
    considered = mine[: min(len(mine), 500)]
    while not good and gain > 0 and many < 4 * own + rows_needed:
        best, which = -np.inf, -1
        for r in considered:
            c = class_of_row[r]
            if c == there or c == donor or cost[c] > cost[there] + cost[donor]:
                continue
            t = type_of_row[r]
            score = -(cost[there] - cost[c]) / (cost[donor] + 1.0)
            for d in range(len(checks)):
                x = int(checks[d, 1])
                v = codes[x, t]
                score += (size[there] * shares[x, v] if checks[d, 0] >= 4 else 0.0) - counted[there, x, v]
            if score > best and _may_leave(c, t, size, counted, codes, shares, checks, edges, weights, rows_needed):
                best, which = score, r
        if which < 0:
            break
        moved[many], came[many] = which, class_of_row[which]
        gain -= cost[there] - cost[came[many]]
        _move(which, type_of_row[which], came[many], there, class_of_row, size, counted, codes)
        many += 1
        good = size[there] >= rows_needed and _admitted(there, counted, codes, shares, checks, edges, weights)
    if size[donor] > 0:
        good = good and size[donor] >= rows_needed and _admitted(donor, counted, codes, shares, checks, edges, weights)
    if good and gain > 0:
        return gain
    for i in range(many - 1, -1, -1):
        _move(moved[i], type_of_row[moved[i]], there, came[i], class_of_row, size, counted, codes)
    return np.int64(0)


@njit(cache=True)
def _admitted(c, counted, codes, shares, checks, edges, weights):
    for d in range(len(checks)):
        a = int(checks[d, 1])
        if not admits(int(checks[d, 0]), counted[c, a], checks[d, 2], checks[d, 3], shares[a], edges[d], weights[d]):
            return False
    return True
