"""Group-bys of tuples at the levels of a node (compiled)."""

from __future__ import annotations

import numpy as np

from shoal.core.compiler import njit

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"


@njit(cache=True, nogil=True)
def merge_classes(codes, ups, offsets, strides, first):
    """Return which class at some levels each tuple of `first` is in, and one tuple of each class.

    `codes[j]` are the values of attribute j; `ups[offsets[j] + value]` is the block of a value at the level of the
    node. Blocks are packed into whole numbers, `strides[w, j]` saying what a block of j counts in the w-th. Classes
    are numbered as they come up.
    """
    (words, attributes), number = strides.shape, len(first)
    size = 16
    while size < 2 * number:
        size *= 2
    slots = np.full(size, -1, np.int32)
    keys = np.empty((number, words), np.int64)
    labels = np.empty(number, np.int32)
    found = np.empty(number, np.int32)
    key = np.empty(words, np.int64)
    classes = 0
    for place in range(number):
        one = first[place]
        mixed = np.uint64(0)
        for word in range(words):
            packed = np.int64(0)
            for j in range(attributes):
                packed += strides[word, j] * ups[offsets[j] + codes[j, one]]
            key[word] = packed
            mixed = (mixed ^ np.uint64(packed)) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(32)
        slot = np.int64(mixed & np.uint64(size - 1))
        label = slots[slot]
        while label >= 0:
            word = 0
            while word < words and keys[label, word] == key[word]:
                word += 1
            if word == words:
                break
            slot = (slot + 1) & (size - 1)
            label = slots[slot]
        if label < 0:
            label = classes
            slots[slot] = label
            keys[label] = key
            found[label] = one
            classes += 1
        labels[place] = label
    return labels, found[:classes].copy()


@njit(cache=True, nogil=True)
def merge_entries(label, owner, secret, counts, width):
    """Return the entries (class, sensitive values, rows) of classes that were merged into those of `label`."""
    number = len(owner)
    size = 16
    while size < 2 * number:
        size *= 2
    slots = np.full(size, -1, np.int32)
    owners, secrets, sums = np.empty(number, np.int32), np.empty(number, np.int32), np.empty(number, np.int64)
    entries = 0
    for place in range(number):
        mine, value = label[owner[place]], secret[place]
        mixed = np.uint64(mine * width + value) * np.uint64(0x9E3779B97F4A7C15)
        slot = np.int64((mixed ^ (mixed >> np.uint64(32))) & np.uint64(size - 1))
        while True:
            entry = slots[slot]
            if entry < 0:
                slots[slot] = entries
                owners[entries], secrets[entries], sums[entries] = mine, value, counts[place]
                entries += 1
                break
            if owners[entry] == mine and secrets[entry] == value:
                sums[entry] += counts[place]
                break
            slot = (slot + 1) & (size - 1)
    return owners[:entries].copy(), secrets[:entries].copy(), sums[:entries].copy()


@njit(cache=True, nogil=True)
def count_rows(labels, sizes, classes):
    """Return how many rows each class has that classes of `sizes` rows were merged into."""
    rows = np.zeros(classes, np.int64)
    for place in range(len(labels)):
        rows[labels[place]] += sizes[place]
    return rows


@njit(cache=True, nogil=True)
def class_sizes(codes, ups, starts, widths, heights, strides, counts, one):
    """Return how many rows the class of a tuple has, at every node of the lattice.

    Two tuples come together in an attribute at the lowest level at which their values lie in one block. Count the rows
    that come exactly at each node; then add up along every attribute.
    """
    nodes = 1
    for j in range(len(heights)):
        nodes *= heights[j] + 1
    rows = np.zeros(nodes, np.int64)
    number = codes.shape[1]
    node = np.zeros(number, np.int32)
    table = np.empty(widths.max(), np.int32)
    for j in range(len(codes)):
        value, width = codes[j, one], widths[j]
        for other in range(width):
            level = 0
            at = starts[j]
            while ups[at + other] != ups[at + value]:
                level += 1
                at += width
            table[other] = level * strides[j]
        column = codes[j]
        for v in range(number):
            node[v] += table[column[v]]
    for v in range(number):
        rows[node[v]] += counts[v]
    for j in range(len(heights)):
        stride, span = strides[j], strides[j] * (heights[j] + 1)
        for start in range(0, nodes, span):
            for place in range(start + stride, start + span):
                rows[place] += rows[place - stride]
    return rows


@njit(cache=True, nogil=True)
def summed(codes, values, offsets, first, sizes, chosen):
    """Return the sum over the rows of chosen classes of `values[offsets[j] + value of attribute j]` over all j."""
    total = 0.0
    for place in range(len(first)):
        if chosen[place]:
            one = first[place]
            row = 0.0
            for j in range(len(offsets)):
                row += values[offsets[j] + codes[j, one]]
            total += sizes[place] * row
    return total
