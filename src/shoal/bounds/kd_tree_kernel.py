"""A kd tree of distinct tuples: their order, and the nearest tuples of each (compiled)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.bounds.boxes_kernel import bits_in, clear, join, joined_cost, least_distance
from shoal.core.arrays import Ints
from shoal.core.compiler import njit

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

BUCKET = 8
"""Tuples up to which a node is not cut."""


class Nodes(NamedTuple):
    """The nodes of the tree: where the tuples of each begin and end, and its first child, -1 for a leaf."""

    begin: Ints
    end: Ints
    child: Ints


@njit(cache=True)
def _widest(boxes, columns, head, pieces, numbers):
    """Return the column in which the first box is widest; -1 where it is one point."""
    widest, most, low, high = -1, np.int64(0), head[0], head[0] + len(numbers)
    for c in range(len(columns) - 1):
        width, q = np.int64(0), columns[c, 0]
        if q >= 0:
            width = -boxes[0, low + q] - boxes[0, high + q]
            if width >= 0 and boxes[0, numbers[q, 0]] & numbers[q, 1]:
                width += numbers[q, 2]
        else:
            for p in range(columns[c, 1], columns[c + 1, 1]):
                width += bits_in(boxes[0, pieces[p, 0]] & pieces[p, 1]) * pieces[p, 2]
            width -= pieces[columns[c, 1], 2]
        if width > most:
            widest, most = c, width
    return widest


@njit(cache=True)
def _boundary(keys, counted):
    """Return the least key of the upper part: of as many cuts as there is room to count, the nearest to the middle."""
    least, most, half = keys.min(), keys.max(), len(keys) / 2
    width = (most - least) // len(counted) + 1
    last = (most - least) // width
    counted[: last + 1] = 0
    for key in keys:
        counted[(key - least) // width] += 1
    below, best, cut = 0, np.inf, 1
    for place in range(last):
        below += counted[place]
        if abs(below - half) < best:
            best, cut = abs(below - half), place + 1
    return least + cut * width


@njit(cache=True, nogil=True)
def kd_tree(points, codes, columns, shape, stop):
    """Return the tuples in the order of the tree, and its nodes; codes say where tuples lie along each column.

    `columns` has for each column which number it is, -1 for a set, and its first piece.
    """
    head, pieces, numbers = shape
    number = len(points)
    order, spare = np.arange(number), np.empty(number, np.int64)
    nodes = Nodes(np.zeros(2 * number, np.int64), np.zeros(2 * number, np.int64), np.full(2 * number, -1, np.int64))
    nodes.end[0] = number
    made, boxes, counted = 1, np.zeros((1, points.shape[1]), np.int64), np.zeros(4 * number + 64, np.int64)
    waiting = np.zeros(number + 2, np.int64)
    many = 1
    while many and not stop[0]:
        many -= 1
        node = waiting[many]
        begin, end = nodes.begin[node], nodes.end[node]
        if end - begin <= BUCKET:
            continue
        clear(boxes, 0, head)
        for i in range(begin, end):
            join(boxes, 0, points, order[i], head)
        c = _widest(boxes, columns, head, pieces, numbers)
        if c < 0:  # columns of no weight may keep tuples apart
            continue
        keys = np.empty(end - begin, np.int64)
        for i in range(begin, end):
            keys[i - begin] = codes[order[i], c]
        cut = _boundary(keys, counted[: 4 * (end - begin) + 64])
        low, high = begin, 0
        for i in range(begin, end):
            if keys[i - begin] < cut:
                order[low] = order[i]
                low += 1
            else:
                spare[high] = order[i]
                high += 1
        order[low:end] = spare[:high]
        nodes.child[node] = made
        nodes.begin[made], nodes.end[made], nodes.begin[made + 1], nodes.end[made + 1] = begin, low, low, end
        waiting[many], waiting[many + 1] = made + 1, made
        made, many = made + 2, many + 2
    return order, Nodes(nodes.begin[:made].copy(), nodes.end[:made].copy(), nodes.child[:made].copy())


@njit(cache=True)
def node_boxes(points, nodes, head):
    """Return the box of every node; the points lie in the order of the tree."""
    boxes = np.zeros((len(nodes.child), points.shape[1]), np.int64)
    for node in range(len(boxes) - 1, -1, -1):
        clear(boxes, node, head)
        child = nodes.child[node]
        if child >= 0:
            join(boxes, node, boxes, child, head)
            join(boxes, node, boxes, child + 1, head)
        else:
            for i in range(nodes.begin[node], nodes.end[node]):
                join(boxes, node, points, i, head)
    return boxes


@njit(cache=True, nogil=True)
def nearest(points, nodes, boxes, shape, most, looked, stop):
    """Return the nearest other points of each, nearest first, -1 where there are no more.

    Where that takes longer, they are the nearest of `looked` points or a few more.
    """
    head, pieces, numbers = shape
    number = len(points)
    near, far = np.full((number, most), -1, np.int32), np.zeros(most, np.int64)
    waiting, bounds = np.zeros(len(nodes.child) + 1, np.int64), np.zeros(len(nodes.child) + 1, np.int64)
    for i in range(number):
        if stop[0]:
            break
        many, kept, seen = 1, 0, 0
        waiting[0], bounds[0] = 0, 0
        while many and seen < looked:
            many -= 1
            node = waiting[many]
            if kept == most and bounds[many] >= far[most - 1]:
                continue
            child = nodes.child[node]
            if child < 0:
                seen += nodes.end[node] - nodes.begin[node]
                for j in range(nodes.begin[node], nodes.end[node]):
                    if j != i:
                        apart = joined_cost(points, i, points, j, head, pieces, numbers)
                        kept = _placed(near[i], far, kept, j, apart)
                continue
            left = least_distance(points, i, boxes, child, head, pieces, numbers)
            right = least_distance(points, i, boxes, child + 1, head, pieces, numbers)
            inside = nodes.begin[child] <= i < nodes.end[child]
            nearer = 0 if left < right or (left == right and inside) else 1
            waiting[many], bounds[many] = child + 1 - nearer, max(left, right)
            waiting[many + 1], bounds[many + 1] = child + nearer, min(left, right)
            many += 2
    return near


@njit(cache=True)
def _placed(near, far, kept, j, apart):
    """Put a point among the nearest, in order; return how many there are then."""
    most = len(near)
    if kept == most and apart >= far[most - 1]:
        return kept
    at = min(kept, most - 1)
    while at > 0 and far[at - 1] > apart:
        far[at], near[at] = far[at - 1], near[at - 1]
        at -= 1
    far[at], near[at] = apart, j
    return min(kept + 1, most)


@njit(cache=True)
def distances(points, near, shape):
    """Return how far each point is from each of those that are near it."""
    head, pieces, numbers = shape
    far = np.zeros(near.shape, np.int64)
    for i in range(len(near)):
        for place in range(near.shape[1]):
            far[i, place] = joined_cost(points, i, points, near[i, place], head, pieces, numbers)
    return far
