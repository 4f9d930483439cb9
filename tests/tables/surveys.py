"""A small survey with labels, written by the formats' own library."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pyreadstat

ROWS = 24
VALUES: dict[str, dict[Any, str]] = {
    "sex": {1: "man", 2: "woman", -8: "refused"},
    "school": {1: "primary", 2: "secondary", 3: "university"},
    "mood": {0: "worst", 10: "best"},
}
LABELS = {
    "person": "Number of the interview",
    "sex": "Sex of the respondent",
    "age": "Age in years",
    "school": "Highest school",
    "mood": "How are you, 0 to 10",
    "town": "Town – where people live",
    "born": "Day of birth",
    "seen": "Time of the interview",
    "pay": "Income",
}
FRAME = pl.DataFrame(
    {
        "person": [1000 + row for row in range(ROWS)],
        "sex": [(1, 2, -8)[row % 3] for row in range(ROWS)],
        "age": [20 + row // 6 for row in range(ROWS)],
        "school": [1 + row % 3 for row in range(ROWS)],
        "mood": [row % 11 for row in range(ROWS)],
        "town": [("Oslo", "Rome", "Århus")[row % 3] for row in range(ROWS)],
        "born": [date(1980, 1, 1 + row) for row in range(ROWS)],
        "seen": [datetime(2024, 5, 6, 7, 8, row) for row in range(ROWS)],
        "pay": [None if row == 5 else 100.25 + row for row in range(ROWS)],
    }
)
WORDS = FRAME.with_columns(
    pl.col(name).replace_strict(VALUES[name], return_dtype=pl.String) for name in ("sex", "school")
)
"""The cells as they are read, where no code is declared as missing."""
ROLES: dict[str, Any] = {
    "quasi": ["age", "sex", "school"],
    "sensitive": ["mood"],
    "identifiers": ["person"],
    "other": ["town", "born", "seen", "pay"],
    "allow": ["born", "seen", "pay", "town"],
}


def write_survey(path: Path) -> Path:
    """Write the survey with all that its format can say of it."""
    said: dict[str, Any] = {"file_label": "A survey", "column_labels": LABELS}
    numbers = [name for name, kind in FRAME.schema.items() if kind == pl.Int64]
    frame = FRAME.with_columns(pl.col(numbers).cast(pl.Int32))
    if path.suffix in (".sav", ".zsav"):
        pyreadstat.write_sav(
            frame,
            path,
            **said,
            compress=path.suffix == ".zsav",
            note=["made for a test"],
            variable_value_labels=VALUES,
            missing_ranges={"sex": [-8], "mood": [{"lo": 97, "hi": 99}]},
            variable_measure={"school": "ordinal", "sex": "nominal", "age": "scale"},
            variable_format={"age": "F3.0", "mood": "F2.0", "born": "EDATE10", "pay": "DOLLAR9.2"},
            variable_display_width={"town": 20, "mood": 12},
        )
    elif path.suffix == ".dta":
        formats = {"pay": "%9.2f", "mood": "%8.0g", "born": "%tdD_m_Y"}
        pyreadstat.write_dta(frame, path, **said, version=14, variable_value_labels=VALUES, variable_format=formats)
    elif path.suffix == ".xpt":
        pyreadstat.write_xport(frame, path, **said, variable_format={"pay": "DOLLAR9.2", "born": "YYMMDD10."})
    else:
        pyreadstat.write_por(frame.drop("town", "seen"), path)
    return path
