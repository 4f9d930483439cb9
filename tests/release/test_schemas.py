"""The JSON schemas of the documentation hold for certificates and codebooks of every recoding."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import shoal

FOLDER = Path(__file__).parents[2] / "docs" / "reference"
VISITS: dict[str, list[Any]] = {
    "who": [1, 1, 2, 3, 4, 5, 6, 6],
    "age": [23, 23, 25, 27, 61, 64, 68, 68],
    "town": ["Oslo", "Oslo", None, "Oslo", "Bergen", "Bergen", "Bergen", "Molde"],
    "illness": ["flu", "gout", "asthma", "flu", "gout", "", "*", "flu"],
}
REQUESTS: dict[str, dict[str, Any]] = {
    **{name: {"recoding": name} for name in ("suppress", "generalize", "full-domain", "range", "centroid")},
    "anatomy": {"recoding": "anatomy", "require": "l(illness)=2"},
    "people": {"person": ["who"], "recoding": "range"},
    "linked": {"person": ["who"], "pseudonym": "number", "recoding": "suppress"},
    "several numbers": {"require": "recursive-l(illness)=(3,2)", "recoding": "suppress"},
}


@pytest.mark.parametrize("name", REQUESTS)
def test_certificate_and_codebook_match_their_schema(name: str, tmp_path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    asked = {"require": "k=2", **REQUESTS[name]}
    left_out = [] if "person" in asked else ["who"]
    release = shoal.anonymize(VISITS, quasi=["age", "town"], sensitive=["illness"], leave_out=left_out, **asked)
    public = release.save(tmp_path / "release") / "public"
    for file in ("certificate", "codebook"):
        schema = json.loads((FOLDER / f"{file}.schema.json").read_text(encoding="utf-8"))
        jsonschema.validate(json.loads((public / f"{file}.json").read_text(encoding="utf-8")), schema)
