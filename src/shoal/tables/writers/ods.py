"""OpenDocument spreadsheets, with one sheet."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar
from xml.sax.saxutils import escape, quoteattr

import polars as pl

from shoal.tables.labels import Labels
from shoal.tables.writers.base import LabelWriter, storable

KIND = "application/vnd.oasis.opendocument.spreadsheet"
SPACE = "urn:oasis:names:tc:opendocument:xmlns"
MANIFEST = (
    f'<manifest:manifest xmlns:manifest="{SPACE}:manifest:1.0" manifest:version="1.2">'
    f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{KIND}"/>'
    '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>'
)
BEGIN = (
    f'<?xml version="1.0" encoding="UTF-8"?><office:document-content xmlns:office="{SPACE}:office:1.0" '
    f'xmlns:table="{SPACE}:table:1.0" xmlns:text="{SPACE}:text:1.0" office:version="1.2"><office:body>'
    "<office:spreadsheet>"
)
END = "</table:table></office:spreadsheet></office:body></office:document-content>"


class Ods(LabelWriter):
    """Writes texts as texts: no cell is a formula. Nothing in the file says when."""

    name: ClassVar[str] = "ods"
    title: ClassVar[str] = "OpenDocument"
    suffixes: ClassVar[tuple[str, ...]] = (".ods",)
    needs: ClassVar[str] = "fastexcel"
    extra: ClassVar[str] = "shoal[files]"

    def put(self, frame: pl.DataFrame, path: Path, labels: Labels) -> None:
        """Write a frame as the only sheet."""
        columns = [storable(frame[name]) for name in labels.in_order(frame.columns)]
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(zipfile.ZipInfo("mimetype"), KIND)
            archive.writestr(_packed("META-INF/manifest.xml"), MANIFEST)
            with archive.open(_packed("content.xml"), "w", force_zip64=True) as file:
                for text in _texts(pl.DataFrame(columns), labels.title or "Sheet1"):
                    file.write(text.encode())


def _packed(name: str) -> zipfile.ZipInfo:
    made = zipfile.ZipInfo(name)
    made.compress_type = zipfile.ZIP_DEFLATED
    return made


def _texts(frame: pl.DataFrame, sheet: str) -> Iterator[str]:
    """Yield the text of a sheet, row by row."""
    yield f"{BEGIN}<table:table table:name={quoteattr(sheet)}>"
    yield _row(frame.columns)
    for row in frame.iter_rows():
        yield _row(row)
    yield END


def _row(cells: Any) -> str:
    return f"<table:table-row>{''.join(map(_cell, cells))}</table:table-row>"


def _cell(value: Any) -> str:
    """Return a cell; a missing value is an empty one.

    >>> _cell(1.5), _cell(None)
    ('<table:table-cell office:value-type="float" office:value="1.5"/>', '<table:table-cell/>')
    """
    if value is None:
        return "<table:table-cell/>"
    if isinstance(value, str):
        lines = "".join(f"<text:p>{_text(line)}</text:p>" for line in value.split("\n"))
        return f'<table:table-cell office:value-type="string">{lines}</table:table-cell>'
    if isinstance(value, bool):
        return f'<table:table-cell office:value-type="boolean" office:boolean-value="{str(value).lower()}"/>'
    if isinstance(value, int | float):
        return f'<table:table-cell office:value-type="float" office:value="{value!r}"/>'
    return f'<table:table-cell office:value-type="date" office:date-value="{value.isoformat()}"/>'


def _text(line: str) -> str:
    """Return a line of text in which no space is lost: programs take several as one."""
    return re.sub(r"^ | $| {2,}", lambda spaces: f'<text:s text:c="{len(spaces[0])}"/>', escape(line))
