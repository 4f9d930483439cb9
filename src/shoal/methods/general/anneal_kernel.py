"""Annealing of classes: rows move, change places, open new classes and leave classes that are dissolved (compiled).

Rows and distinct tuples lie in the order of a kd tree. `space` says what tuples are, what unions of them cost, and
which tuples are near each other; `rules` what a class must have; `state` which class each row is in. A step is taken if
it adds no more than a random limit to the cost of all rows and leaves every class that it touches admitted. What a
union is, `unions_kernel` says: nothing here knows the recoding.

A class is a line of words: the union of its rows, its first row, the number of its rows, what they pay. Rows of a class
are a list: `links` has the row before and the row after each.
"""

from __future__ import annotations

import numpy as np

from shoal.core.compiler import njit
from shoal.methods.general.requirements_kernel import shortfall
from shoal.methods.general.unions_kernel import clear, exchange_costs, join, union_cost

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator, assignment"

FIRST, SIZE, COST = -3, -2, -1
"""The words of a class after its union."""
LARGE = 256
"""Rows beyond which a class is not looked through row by row; its own rows are looked at the less often."""
SMALL = 32
"""Rows up to which a class is dissolved, whatever is asked."""
OFTEN = 32768
"""Of 65,536 rows, those for which a class is opened or dissolved at most."""
CHAINS = 3
"""A mask of random bits: one step in four is an ejection chain. On Adult that saves 0.1 to 3 % in the same time."""
NOBODY = np.int64(-1)
FIRST_UNION = np.int64(0)


@njit(cache=True, makes_arrays=False)
def _drawn(random):
    """Return 32 random bits."""
    random[0] += np.uint64(0x9E3779B97F4A7C15)
    z = random[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64((z ^ (z >> np.uint64(31))) >> np.uint64(32))


# Classes as lists of rows


@njit(cache=True, makes_arrays=False)
def _leave(r, class_of_row, links, classes):
    """Take a row out of the list of its class."""
    c, before, after = np.int64(class_of_row[r]), links[r, 0], links[r, 1]
    if before >= 0:
        links[before, 1] = after
    else:
        classes[c, FIRST] = after
    if after >= 0:
        links[after, 0] = before
    classes[c, SIZE] -= 1


@njit(cache=True, makes_arrays=False)
def _enter(r, c, class_of_row, links, classes):
    """Put a row at the head of the list of a class."""
    head = classes[c, FIRST]
    links[r, 0], links[r, 1] = NOBODY, head
    if head >= 0:
        links[head, 0] = r
    classes[c, FIRST] = r
    class_of_row[r] = c
    classes[c, SIZE] += 1


@njit(cache=True, makes_arrays=False)
def _union_without(r, whole, unions, i, c, points, tuple_of_row, shape, links, classes):
    """Lay out union i of some as that of a class without a row, or all rows equal to it; NOBODY is no row.

    Returns how many rows are left out.
    """
    head, nodes = shape.head, shape.nodes
    clear(unions, i, head)
    out, x, t = np.int64(0), classes[c, FIRST], np.int64(tuple_of_row[r]) if r >= 0 else NOBODY
    while x >= 0:
        row = np.uintp(x)
        u = np.int64(tuple_of_row[row])
        if x == r or (whole and u == t):
            out += 1
        else:
            join(unions, i, points, u, head, nodes)
        x = np.int64(links[row, 1])
    return out


@njit(cache=True, makes_arrays=False)
def _measure(c, points, tuple_of_row, shape, links, classes):
    """Work out the union and the cost of a class from its rows."""
    _union_without(NOBODY, False, classes, c, c, points, tuple_of_row, shape, links, classes)
    classes[c, COST] = _alone(classes, c, classes[c, SIZE], points, shape) if classes[c, SIZE] else 0


@njit(cache=True, makes_arrays=False, forceinline=True)
def _alone(unions, i, size, points, shape):
    """Return what `size` rows pay for union i of some: the last of the points is no row."""
    return union_cost(unions, i, points, len(points) - 1, size, shape)


@njit(cache=True, makes_arrays=False)
def _send(r, there, space, state):
    """Move a row to another class, whose union and cost are kept; that of the class it leaves is not."""
    shape, classes = space.shape, state.classes
    _leave(r, state.class_of_row, state.links, classes)
    if classes[there, SIZE] == 0:
        clear(classes, there, shape.head)
    _enter(r, there, state.class_of_row, state.links, classes)
    join(classes, there, space.points, np.int64(space.tuple_of_row[r]), shape.head, shape.nodes)
    classes[there, COST] = _alone(classes, there, classes[there, SIZE], space.points, shape)


@njit(cache=True)
def cut_up(class_of_row, sizes, k):
    """Cut classes in the order of their rows into parts of k to 2k - 1, numbered: none pays more than all together."""
    parts = np.maximum(sizes // k, 1)
    first, seen = np.cumsum(parts) - parts, np.zeros_like(sizes)
    for r in range(len(class_of_row)):
        c = class_of_row[r]
        class_of_row[r] = first[c] + min(seen[c] // k, parts[c] - 1)
        seen[c] += 1


@njit(cache=True, makes_arrays=False)
def laid_out(space, state):
    """Make the lists, unions and costs of all classes from the class of each row; classes without rows are free."""
    classes = state.classes
    classes[:, FIRST] = NOBODY
    classes[:, SIZE] = 0
    for r in range(len(state.class_of_row) - 1, -1, -1):
        _enter(np.int64(r), np.int64(state.class_of_row[r]), state.class_of_row, state.links, classes)
    state.free_classes[0] = 0
    for c in range(len(classes) - 1, -1, -1):
        if classes[c, SIZE]:
            _measure(c, space.points, space.tuple_of_row, space.shape, state.links, classes)
        else:
            _release(c, state)


@njit(cache=True, makes_arrays=False)
def _release(c, state):
    """Take note of a class without rows."""
    state.classes[c, COST] = 0
    state.free[state.free_classes[0]] = c
    state.free_classes[0] += 1


@njit(cache=True, makes_arrays=False)
def total_cost(classes):
    """Return what all rows pay."""
    total = np.int64(0)
    for c in range(len(classes)):
        total += classes[c, COST]
    return total


# Requirements


@njit(cache=True, makes_arrays=False)
def _is_met(c, without, extra, rules, links, classes):
    """Whether a class would be admitted without a row, and with another; NOBODY is no row."""
    if classes[c, SIZE] - (without != NOBODY) + (extra != NOBODY) < rules.rows:
        return False
    return not len(rules.lines) or _has_values(c, without, extra, rules, links, classes)


@njit(cache=True, makes_arrays=False)
def _has_values(c, without, extra, rules, links, classes):
    """Whether a class would have the values that are asked for."""
    many = _list_rest(c, without, rules.members, links, classes)
    if extra != NOBODY:
        rules.members[many] = extra
        many += 1
    return shortfall(rules.members, many, rules) == 0.0


@njit(cache=True, makes_arrays=False)
def _may_swap(a, r, b, x, rules, links, classes):
    """Whether two classes would be admitted with row r of a and row x of b exchanged.

    Rows with the same values are exchanged freely; for other values it is decided once for each row r.
    """
    kind, look = rules.alike[x], rules.looks[0]
    if kind == rules.alike[r]:
        return True
    if abs(rules.decided[kind]) != look:
        good = _is_met(a, r, x, rules, links, classes) and _is_met(b, x, r, rules, links, classes)
        rules.decided[kind] = look if good else -look
    return rules.decided[kind] > 0


@njit(cache=True, makes_arrays=False)
def _may_go(a, r, b, x, whole, tuple_of_row, rules, links, classes):
    """Whether two classes would be admitted with row r of a and row x of b exchanged; x may be NOBODY.

    If `whole`, with all rows equal to them.
    """
    if not len(rules.lines):
        return True
    if not whole:
        return _is_met(a, r, x, rules, links, classes) and _is_met(b, x, r, rules, links, classes)
    t, u = np.int64(tuple_of_row[r]), np.int64(tuple_of_row[x]) if x >= 0 else NOBODY
    for here, there, leaving, coming in ((a, b, t, u), (b, a, u, t)):
        many, members, y = 0, rules.members, classes[here, FIRST]
        while y >= 0:
            if tuple_of_row[y] != leaving:
                members[many] = y
                many += 1
            y = np.int64(links[y, 1])
        y = classes[there, FIRST] if coming >= 0 else NOBODY
        while y >= 0:
            if tuple_of_row[y] == coming:
                members[many] = y
                many += 1
            y = np.int64(links[y, 1])
        if shortfall(members, many, rules) > 0.0:
            return False
    return True


@njit(cache=True, makes_arrays=False)
def _list_rest(c, without, members, links, classes):
    """List the rows of a class but one; NOBODY is no row. Returns how many."""
    many, r = 0, classes[c, FIRST]
    while r >= 0:
        if r != without:
            members[many] = r
            many += 1
        r = np.int64(links[r, 1])
    return many


# Steps


@njit(cache=True, makes_arrays=False, forceinline=True)
def _near_row(t, near, first_row, random):
    """Return a row of a tuple or of a near one, of nearer ones the likelier; NOBODY if there is none."""
    drawn = _drawn(random)
    if first_row[t + 1] - first_row[t] == 1 or drawn & 7:
        u = drawn >> 16
        t = np.int64(near[t, (u * u * near.shape[1]) >> 32])
        if t < 0:
            return NOBODY
    return np.int64(first_row[t] + _drawn(random) % (first_row[t + 1] - first_row[t]))


@njit(cache=True, makes_arrays=False, forceinline=True)
def _list_steps(b, whole, tuple_of_row, links, classes, listed, copies):
    """List the rows of a class, of equal rows one if all of them go together, and how many each stands for."""
    many, r = 0, classes[b, FIRST]
    while r >= 0:
        at = many
        if whole:
            at = 0
            while at < many and tuple_of_row[listed[at]] != tuple_of_row[r]:
                at += 1
        if at == many:
            listed[many], copies[many] = r, 0
            many += 1
        copies[at] += 1
        r = np.int64(links[r, 1])
    return many


@njit(cache=True, makes_arrays=False, forceinline=True)
def _best_step(
    a, r, b, whole, limit, points, tuple_of_row, shape, rules, links, classes, unions, listed, copies, costs
):
    """Return the cheapest admitted step of a row to another class: the row it is exchanged for, or NOBODY.

    -2 where every step adds more than the limit. If `whole`, a row stands for all equal ones of its class. In a range
    a row without which its class would pay no less is not exchanged: where that saves, it is the other row's step.
    """
    t, in_a, in_b = np.int64(tuple_of_row[r]), classes[a, SIZE], classes[b, SIZE]
    before, best, chosen = classes[a, COST] + classes[b, COST], limit, -2
    out = _union_without(r, whole, unions, FIRST_UNION, a, points, tuple_of_row, shape, links, classes)
    kept = _alone(unions, FIRST_UNION, in_a - out, points, shape)
    if in_a - out >= rules.rows and in_b + out <= rules.most:
        added = union_cost(classes, b, points, t, in_b + out, shape) + kept - before
        if added <= best and _may_go(a, r, b, NOBODY, whole, tuple_of_row, rules, links, classes):
            best, chosen = added, NOBODY
    if in_b > LARGE or (not len(shape.nodes) and in_a > out and kept // (in_a - out) == classes[a, COST] // in_a):
        return chosen
    many = _list_steps(b, whole, tuple_of_row, links, classes, listed, copies)
    for i in range(many):
        copies[i] = in_b + out - copies[i]
    exchange_costs(listed, many, points, tuple_of_row, t, copies, unions, shape, costs)
    rules.looks[0] += 1
    for i in range(many):
        x, then_b, added = listed[i], copies[i], costs[i] - before
        then_a, u = in_a + in_b - then_b, np.int64(tuple_of_row[x])
        if added + kept > best or u == t:
            continue
        if min(then_a, then_b) < rules.rows or max(then_a, then_b) > max(rules.most, in_a, in_b):
            continue
        added += union_cost(unions, FIRST_UNION, points, u, then_a, shape)
        if added > best:
            continue
        if out > 1 or in_b + out - then_b > 1:
            good = _may_go(a, r, b, x, whole, tuple_of_row, rules, links, classes)
        else:
            good = _may_swap(a, r, b, x, rules, links, classes)
        if good:
            best, chosen = added, x
    return chosen


@njit(cache=True, makes_arrays=False)
def _cheapest_class(r, space, rules, state):
    """Return the class of a near row that takes in a row for least; NOBODY if none may."""
    shape = space.shape
    classes, near, first_row = state.classes, space.near, space.first_row
    t, here, best, chosen = np.int64(space.tuple_of_row[r]), state.class_of_row[r], np.int64(1) << 60, NOBODY
    for i in range(-1, near.shape[1]):
        u = t if i < 0 else near[t, i]
        if u < 0:
            break
        b = np.int64(state.class_of_row[first_row[u] + _drawn(state.random) % (first_row[u + 1] - first_row[u])])
        if b == here or classes[b, SIZE] >= rules.most:
            continue
        added = union_cost(classes, b, space.points, t, classes[b, SIZE] + 1, shape) - classes[b, COST]
        if added < best and _is_met(b, NOBODY, r, rules, state.links, classes):
            best, chosen = added, b
    return chosen


@njit(cache=True, makes_arrays=False)
def _undo(many, space, state):
    """Send the last rows that went to other classes back to where they came from."""
    journal = state.journal
    for i in range(many - 1, -1, -1):
        there = np.int64(state.class_of_row[journal[i, 0]])
        _leave(journal[i, 0], state.class_of_row, state.links, state.classes)
        _enter(journal[i, 0], journal[i, 1], state.class_of_row, state.links, state.classes)
        journal[i, 0] = there
    for i in range(many):
        for c in journal[i]:
            _measure(c, space.points, space.tuple_of_row, space.shape, state.links, state.classes)


@njit(cache=True, makes_arrays=False)
def _dissolve(a, limit, space, rules, state):
    """Send the rows of a class to other classes, if that adds no more than the limit."""
    classes, listed = state.classes, state.listed
    size, added, r = classes[a, SIZE], -classes[a, COST], classes[a, FIRST]
    if size > max(SMALL, 2 * rules.rows):
        return
    for i in range(size):
        listed[i] = r
        r = np.int64(state.links[r, 1])
    for i in range(size):
        b = _cheapest_class(listed[i], space, rules, state) if added <= limit else NOBODY
        if b == NOBODY:
            _undo(i, space, state)
            return
        added -= classes[b, COST]
        _send(listed[i], b, space, state)
        added += classes[b, COST]
        state.journal[i, 0], state.journal[i, 1] = listed[i], a
    if added <= limit:
        _release(a, state)
    else:
        _undo(size, space, state)


@njit(cache=True, makes_arrays=False)
def _pool(r, space, state):
    """List rows that a new class around a row may be made of: of near tuples, and of its own class."""
    t, many, listed, first_row = space.tuple_of_row[r], 0, state.listed, space.first_row
    for i in range(-1, space.near.shape[1]):
        u = t if i < 0 else space.near[t, i]
        if u < 0:
            break
        for x in range(first_row[u], min(first_row[u] + 3, first_row[u + 1])):
            if x != r and many < len(listed):
                listed[many] = x
                many += 1
    x = state.classes[state.class_of_row[r], FIRST]
    while x >= 0 and many < len(listed):
        if x != r:
            listed[many] = x
            many += 1
        x = np.int64(state.links[x, 1])
    return many


@njit(cache=True, makes_arrays=False)
def _next_row(new, many, lacking, space, rules, state):
    """Return the place in the pool of the row that a new class takes next; NOBODY if there is none."""
    shape = space.shape
    classes, best, chosen = state.classes, np.int64(1) << 60, NOBODY
    size = classes[new, SIZE]
    rules.looks[0] += 1
    for i in range(many):
        x = state.listed[i]
        if x == NOBODY or state.class_of_row[x] == new or classes[state.class_of_row[x], SIZE] <= rules.rows:
            continue
        cost = union_cost(classes, new, space.points, np.int64(space.tuple_of_row[x]), size + 1, shape)
        if cost >= best:
            continue
        if not len(rules.lines) or _helps(x, size, lacking, rules):
            best, chosen = cost, i
    return chosen


@njit(cache=True, makes_arrays=False)
def _helps(x, size, lacking, rules):
    """Whether a new class of so many rows lacks less with a row more, or nothing; once for rows of the same values."""
    kind, look = rules.alike[x], rules.looks[0]
    if abs(rules.decided[kind]) != look:
        rules.opened[size] = x
        after = shortfall(rules.opened, size + 1, rules)
        rules.decided[kind] = look if after == 0.0 or after < lacking else -look
    return rules.decided[kind] > 0


@njit(cache=True, makes_arrays=False)
def _spared(new, many, lacking, space, rules, state):
    """Return the next row that a new class takes and the class of the row can spare; NOBODY if there is none."""
    while True:
        i = _next_row(new, many, lacking, space, rules, state)
        if i == NOBODY:
            return NOBODY
        x = state.listed[i]
        state.listed[i] = NOBODY
        if _is_met(np.int64(state.class_of_row[x]), x, NOBODY, rules, state.links, state.classes):
            return x


@njit(cache=True, makes_arrays=False)
def _open(r, limit, space, rules, state):
    """Make a new class of a row and near rows that their classes can spare, if that adds no more than the limit."""
    classes = state.classes
    if state.free_classes[0] == 0 or not _is_met(
        np.int64(state.class_of_row[r]), r, NOBODY, rules, state.links, classes
    ):
        return
    many, most = _pool(r, space, state), limit + classes[np.int64(state.class_of_row[r]), COST]
    state.free_classes[0] -= 1
    new, taken, x, added, lacking = np.int64(state.free[state.free_classes[0]]), 0, r, np.int64(0), 1.0
    while x != NOBODY:
        here = np.int64(state.class_of_row[x])
        state.journal[taken, 0], state.journal[taken, 1], rules.opened[taken] = x, here, x
        added -= classes[here, COST] + classes[new, COST]
        _send(x, new, space, state)
        _measure(here, space.points, space.tuple_of_row, space.shape, state.links, classes)
        added += classes[here, COST] + classes[new, COST]
        taken += 1
        lacking = shortfall(rules.opened, taken, rules) if len(rules.lines) else 0.0
        if (taken >= rules.rows and lacking == 0.0) or taken == rules.pool or classes[new, COST] > most:
            break
        x = _spared(new, many, lacking, space, rules, state)
    if taken < rules.rows or lacking > 0.0 or added > limit:
        _undo(taken, space, state)
        _release(new, state)


@njit(cache=True, makes_arrays=False)
def _eject(a, r, b, limit, space, rules, state):
    """Move a row to another class, which ejects another row to a third one, if that adds no more than the limit."""
    shape, points, tuple_of_row = space.shape, space.points, space.tuple_of_row
    links, classes, unions = state.links, state.classes, state.working
    listed, copies, costs = state.listed, state.copies, state.costs
    t, in_a, in_b = np.int64(tuple_of_row[r]), classes[a, SIZE], classes[b, SIZE]
    if in_a <= rules.rows or in_b > LARGE:
        return
    _union_without(r, False, unions, FIRST_UNION, a, points, tuple_of_row, shape, links, classes)
    added = _alone(unions, FIRST_UNION, in_a - 1, points, shape) - classes[a, COST] - classes[b, COST]
    many = _list_steps(b, False, tuple_of_row, links, classes, listed, copies)
    for i in range(many):
        copies[i] = in_b
    exchange_costs(listed, many, points, tuple_of_row, t, copies, unions, shape, costs)
    out = 0
    for i in range(1, many):
        if costs[i] < costs[out]:
            out = i
    x, added = np.int64(listed[out]), added + costs[out]
    if added > limit or tuple_of_row[x] == t:
        return
    c = _cheapest_class(x, space, rules, state)
    if c in (NOBODY, a):
        return
    added += union_cost(classes, c, points, np.int64(tuple_of_row[x]), classes[c, SIZE] + 1, shape) - classes[c, COST]
    if added > limit or not (_is_met(a, r, NOBODY, rules, links, classes) and _is_met(b, x, r, rules, links, classes)):
        return
    _take_step(b, x, c, NOBODY, False, points, tuple_of_row, shape, state.class_of_row, links, classes)
    _take_step(a, r, b, NOBODY, False, points, tuple_of_row, shape, state.class_of_row, links, classes)


@njit(cache=True, nogil=True, makes_arrays=False)
def sweep(space, rules, state, temperature, quantiles, stop):
    """Look at every row once; steps may add to the cost, the more so the higher the temperature."""
    shape, points, near, tuple_of_row, first_row = space
    class_of_row, links, classes, random = state.class_of_row, state.links, state.classes, state.random
    unions, listed, copies, costs = state.working, state.listed, state.copies, state.costs
    for r in range(np.int64(len(class_of_row))):
        if stop[0]:
            return
        a = np.int64(class_of_row[r])
        if classes[a, COST] == 0 or (classes[a, SIZE] > LARGE and _drawn(random) % classes[a, SIZE] >= LARGE):
            continue
        drawn = _drawn(random)
        limit = np.int64(temperature * quantiles[drawn & (len(quantiles) - 1)])
        size = classes[a, SIZE]
        if drawn >> 16 >= min(rules.rare * (1 + size // rules.usual), OFTEN):
            other = _near_row(np.int64(tuple_of_row[r]), near, first_row, random)
            if other == NOBODY or class_of_row[other] == a:
                continue
            b = np.int64(class_of_row[other])
            if _drawn(random) & CHAINS == 0:
                _eject(a, r, b, limit, space, rules, state)
                continue
            whole = not len(shape.spreads) and _drawn(random) & 1
            x = _best_step(
                a, r, b, whole, limit, points, tuple_of_row, shape, rules, links, classes, unions, listed, copies, costs
            )
            if x >= NOBODY:
                _take_step(a, r, b, x, whole, points, tuple_of_row, shape, class_of_row, links, classes)
        elif size > max(SMALL, 2 * rules.rows) or (size > rules.rows and drawn & 1024):
            _open(r, limit, space, rules, state)
        else:
            _dissolve(a, limit, space, rules, state)


@njit(cache=True, makes_arrays=False)
def _take_step(a, r, b, x, whole, points, tuple_of_row, shape, class_of_row, links, classes):
    """Move a row from class a to class b, and the row x from there to here; NOBODY is no row.

    If `whole`, all rows equal to them in the same class go with them.
    """
    if x != NOBODY:
        _carry(x, b, a, whole, tuple_of_row, class_of_row, links, classes)
    _carry(r, a, b, whole, tuple_of_row, class_of_row, links, classes)
    _measure(a, points, tuple_of_row, shape, links, classes)
    _measure(b, points, tuple_of_row, shape, links, classes)


@njit(cache=True, makes_arrays=False)
def _carry(r, a, b, whole, tuple_of_row, class_of_row, links, classes):
    """Move a row from class a to class b; if `whole`, all rows equal to it."""
    t, y = tuple_of_row[r], classes[a, FIRST] if whole else r
    while y >= 0:
        after = np.int64(links[y, 1]) if whole else NOBODY
        if tuple_of_row[y] == t:
            _leave(y, class_of_row, links, classes)
            _enter(y, b, class_of_row, links, classes)
        y = after
