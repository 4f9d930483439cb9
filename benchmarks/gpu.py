"""Would a graphics processor help? Two kernels on one, beside numpy: group-bys over a cube of patterns, neighbours.

`python benchmarks/gpu.py` needs torch and a GPU, and nothing of shoal: it runs where shoal is not installed. Invented
codes: 7 attributes of the sizes of the census. Times include bringing codes there and results back. The measurements
of the docs say what was seen, and why shoal has no such kernel.
"""

from __future__ import annotations

import itertools
import platform
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

SIZES = (79, 2, 9, 6, 56, 17, 9)
TYPES = 560_000
ROWS = 1_000_000
ASKED = 20_000
"""Rows of which neighbours are looked for; all of them take `ROWS / ASKED` times as long."""


def invented(rows: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Skewed codes, attribute by row."""
    draw = np.random.default_rng(0)
    return np.stack([np.minimum(draw.geometric(min(3 / size, 0.5), rows), size) - 1 for size in SIZES]).astype(np.int64)


def nodes() -> list[tuple[int, ...]]:
    """Every set of attributes that a pattern of stars keeps."""
    return [some for size in range(len(SIZES) + 1) for some in itertools.combinations(range(len(SIZES)), size)]


def grouped_by_numpy(codes: np.ndarray[Any, np.dtype[np.int64]]) -> int:
    """Group the rows by every set of attributes; return how many groups there are in all."""
    found = 0
    for some in nodes():
        key = np.zeros(codes.shape[1], dtype=np.int64)
        for axis in some:
            key = key * SIZES[axis] + codes[axis]
        found += len(np.unique(key, return_inverse=True)[0])
    return found


def grouped_by_gpu(torch: Any, codes: np.ndarray[Any, np.dtype[np.int64]]) -> int:
    """Do the same on the GPU; the group of every row at every node comes back, as a method needs it."""
    there, found = torch.from_numpy(codes).cuda(), 0
    for some in nodes():
        key = torch.zeros(codes.shape[1], dtype=torch.int64, device="cuda")
        for axis in some:
            key = key * SIZES[axis] + there[axis]
        keys, group = torch.unique(key, return_inverse=True)
        group.to(torch.int32).cpu()
        found += len(keys)
    return found


def nearest_by_gpu(torch: Any, codes: np.ndarray[Any, np.dtype[np.int64]], asked: int, k: int = 5) -> int:
    """Find the k nearest rows of some, by the number of attributes in which they differ; return how far in all."""
    there, total = torch.from_numpy(codes.astype(np.uint8)).cuda(), 0
    for begin in range(0, asked, 512):
        end = min(begin + 512, asked)
        apart = torch.zeros((end - begin, codes.shape[1]), dtype=torch.uint8, device="cuda")
        for column in there:
            apart += column[begin:end, None] != column[None, :]
        near = torch.topk(apart, k + 1, dim=1, largest=False)
        near.indices.to(torch.int32).cpu()
        total += int(near.values.long().sum())
    return total


def nearest_by_numpy(codes: np.ndarray[Any, np.dtype[np.int64]], asked: int, k: int = 5) -> int:
    """Do the same with numpy."""
    short, total = codes.astype(np.uint8), 0
    for one in range(asked):
        apart = np.zeros(codes.shape[1], dtype=np.uint8)
        for column in short:
            apart += column != column[one]
        total += int(np.partition(apart, k)[: k + 1].sum())
    return total


def timed(what: str, call: Callable[[], int]) -> None:
    call()
    began = time.perf_counter()
    found = call()
    print(f"{what}: {time.perf_counter() - began:.3f} s ({found:,})", flush=True)


def main() -> None:
    try:
        import torch
    except ImportError:
        sys.exit("torch is not installed here")
    if not torch.cuda.is_available():
        sys.exit("there is no GPU here")
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, {platform.machine()}, numpy {np.__version__}")
    types, rows = invented(TYPES), invented(ROWS)
    timed(f"group-bys of {len(nodes())} nodes, {TYPES:,} types, GPU", lambda: grouped_by_gpu(torch, types))
    timed("the same, numpy, one core", lambda: grouped_by_numpy(types))
    timed(f"neighbours of {ASKED:,} of {ROWS:,} rows, GPU", lambda: nearest_by_gpu(torch, rows, ASKED))
    timed(f"neighbours of {ASKED // 200:,} of {ROWS:,} rows, numpy", lambda: nearest_by_numpy(rows, ASKED // 200))


if __name__ == "__main__":
    main()
