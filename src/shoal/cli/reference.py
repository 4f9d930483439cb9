"""The commands `methods`, `models` and `costs`: what there is to choose from."""

from __future__ import annotations

import json
from typing import Any

from shoal.cli import show
from shoal.cli.options import Json
from shoal.studies.reference import cost_rows, method_rows, model_rows


def methods(as_json: Json = False) -> None:
    """List the methods: guarantee, running time, paper, models."""
    _print(method_rows(), as_json)


def models(as_json: Json = False) -> None:
    """List the privacy models and how they are written in --require."""
    _print(model_rows(), as_json)


def costs(as_json: Json = False) -> None:
    """List the costs that can be minimized."""
    _print(cost_rows(), as_json)


def _print(rows: list[dict[str, Any]], as_json: bool) -> None:
    print(json.dumps(rows, indent=2, ensure_ascii=False)) if as_json else show.rows(rows)
