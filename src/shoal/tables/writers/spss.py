"""SPSS files, plain or compressed."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from shoal.tables.labels import Code, Labels
from shoal.tables.statistical import StatisticalWriter

CREATED = 92
"""Where the header has the date and time of writing."""


class Sav(StatisticalWriter):
    """Writes labels, codes declared as missing, formats and measures with the cells."""

    name: ClassVar[str] = "sav"
    title: ClassVar[str] = "SPSS"
    suffixes: ClassVar[tuple[str, ...]] = (".sav",)
    family: ClassVar[str] = "spss"
    function: ClassVar[str] = "write_sav"
    longest: ClassVar[int] = 120
    labels_text: ClassVar[bool] = True
    plain_number: ClassVar[str] = "F8.0"
    compress: ClassVar[bool] = False

    def options(self, labels: Labels, values: dict[str, dict[Code, str]]) -> dict[str, Any]:
        """Return what is said of the columns besides their labels."""
        missing = {name: [_range(*one) for one in variable.missing] for name, variable in labels.variables.items()}
        return {
            **super().options(labels, values),
            "variable_value_labels": values,
            "missing_ranges": {name: ranges for name, ranges in missing.items() if ranges},
            "variable_measure": {name: one.measure for name, one in labels.variables.items() if one.measure},
            "variable_display_width": {name: one.width for name, one in labels.variables.items() if one.width > 0},
            "compress": self.compress,
        }

    def undate(self, path: Path) -> None:
        """Set the date of writing to the first of 1970."""
        with path.open("r+b") as file:
            file.seek(CREATED)
            file.write(b"01 Jan 7000:00:00")


class Zsav(Sav):
    """Writes the same, compressed."""

    name: ClassVar[str] = "zsav"
    title: ClassVar[str] = "SPSS (compressed)"
    suffixes: ClassVar[tuple[str, ...]] = (".zsav",)
    compress: ClassVar[bool] = True


def _range(low: Any, high: Any) -> Any:
    return low if low == high else {"lo": low, "hi": high}
