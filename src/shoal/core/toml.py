"""Values as TOML writes them; `tomllib` of the standard library only reads."""

from __future__ import annotations

import json
from collections.abc import Mapping


def toml_value(value: object) -> str:
    r"""Return a value as TOML: texts as in JSON, with every sign escaped that TOML forbids; tables in one line.

    >>> print(toml_value({"say": ['"hi"\n\x7f', 2.5, True]}))
    {"say" = ["\"hi\"\n\u007f", 2.5, true]}
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{toml_value(key)} = {toml_value(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
