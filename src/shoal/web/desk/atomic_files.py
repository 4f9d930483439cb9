"""Files of the desk: private, and written so that a crash leaves the old content or the new, never a half of one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from shoal.core.atomic_files import put_text, replacing
from shoal.core.errors import ShoalError, cannot_write


@contextmanager
def written(path: Path) -> Iterator[None]:
    """Say in words what keeps a file or a folder from being written."""
    try:
        yield
    except OSError as error:
        raise cannot_write(path, error) from error


def private_folder(path: Path) -> Path:
    """Make a folder that only its owner can look into, where there is none yet."""
    with written(path):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.chmod(0o700)
    return path


def put_json(path: Path, content: object) -> None:
    """Write a file in one step: beside its place, to the disk, then over what was there."""
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
    with written(path), replacing(path) as beside:
        put_text(beside, text)


def plain(value: object) -> Any:
    """Return a value as JSON holds it: values of dataclasses by name, numbers that are none as null.

    >>> plain({"a": (1, float("inf")), "b": Path("c")})
    {'a': [1, None], 'b': 'c'}
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value) if one.repr}
    if isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, float):
        return float(value) if isfinite(value) else None
    return value if value is None or isinstance(value, bool | int) else str(value)


def get_json(path: Path) -> Any:
    """Read a file of the desk; None where there is none."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise ShoalError(f"{path.name!r} of the desk cannot be read", hint="remove it to start again") from error
