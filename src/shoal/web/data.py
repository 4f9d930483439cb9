"""The step Data: which table, how it is read, what it holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.core.errors import ShoalError
from shoal.tables.readers.base import readable, reader_named, titles
from shoal.web.desk import Desk, queries
from shoal.web.desk.desk import Refused
from shoal.web.language import figure, known, percent, t, whole
from shoal.web.page import Page, Picks, Step
from shoal.web.parts import button, chosen, dropped, grid, heading, message, number, part, text, written
from shoal.web.traffic import LOAD, UPLOAD

LARGEST = 1 << 20
"""Bytes of a `shoal.toml` at most."""
MOST = 50
"""Files of the folder that are proposed."""
SEPARATORS = {"": t("detected"), ",": t("comma ,"), ";": t("semicolon ;"), "\t": t("tab"), "|": t("bar |")}
ENCODINGS = {
    "": t("detected"),
    "utf-8": "UTF-8",
    "latin-1": t("Western European (Latin-1)"),
    "cp1252": "Windows-1252",
}
DECIMALS = {"": t("detected"), ".": t("point: 1.5"), ",": t("comma: 1,5")}
CONTROLS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "separator": (t("Columns are separated by"), SEPARATORS),
    "encoding": (t("Character encoding"), ENCODINGS),
    "decimal": (t("Decimal sign"), DECIMALS),
    "sheet": (t("Sheet, by name or number"), {}),
    "header_row": (t("Row that names the columns"), {}),
}
"""How a file is written, by the name of the option: what is asked, and what may be chosen, or nothing for any text."""


@dataclass(frozen=True)
class DataView:
    """What the step shows; `preview` only where it was asked for."""

    files: tuple[str, ...]
    inspected: Mapping[str, Any] | None = None
    """None while a worker looks at a large table."""
    preview: Any = None
    refused: str = ""
    """Why the table cannot be read any more: an upload is gone when shoal ends, a file may be moved."""


def look(desk: Desk, picks: Picks) -> DataView:
    """Look at the table, if there is one."""
    files = _files(desk.root)
    if desk.draft.file is None:
        return DataView(files)
    try:
        shown = queries.preview(desk.draft) if picks.get("rows") else None
        return DataView(files, desk.look("inspection"), shown)
    except ShoalError as error:
        return DataView(files, refused=str(error))


def draw(page: Page, found: DataView) -> None:
    """Show where to drop a file; then what the table is."""
    if page.desk.refused is not None:
        _refused(page, page.desk.refused)
    if found.refused:
        message(found.refused, "bad")
    if found.refused or page.draft.file is None:
        _choose(page, found)
        _load(page)
        return
    _holds(page, found)
    with part("details"):
        part("summary", t("Choose another table"), data_key="another")
        _choose(page, found)
    _load(page)


def said(desk: Desk) -> str:
    """Return the table's name."""
    return desk.draft.name


def _files(root: Path | None) -> tuple[str, ...]:
    """Return the tables that lie in the chosen folder, by name."""
    if root is None:
        return ()
    return tuple(sorted(path.name for path in root.iterdir() if path.name.lower().endswith(readable())))[:MOST]


def _refused(page: Page, refused: Refused) -> None:
    """Say why a file could not be read, and let it be read in another way."""
    reader = reader_named(refused.path)
    with part(
        "div", class_="card refused", role="group", aria_label=t("{name} could not be read", name=refused.path.name)
    ):
        part("h3", t("{name} could not be read", name=refused.path.name))
        message(refused.said, "bad")
        text(t("Say how the file is written to read it again:"), "faint")
        _reading(page, () if reader is None else reader.options, refused.reading, "refused-")
        button(t("Discard it"), lambda: page.attempt(page.desk.give_up), key="give-up", kind="small")


def _choose(page: Page, found: DataView) -> None:
    said = t("or click to choose a file: {titles}; one row for each person", titles=titles())
    heard = lambda refused: _sent(page, refused)  # noqa: E731
    dropped(
        t("Drop a table here"),
        said,
        UPLOAD,
        heard,
        key="file",
        limit=page.desk.uploads.limit,
        accept=",".join(readable()),
    )
    text(t("The file stays on this machine, and is deleted here when shoal ends."), "faint")
    if page.desk.root is not None:
        _by_path(page, found.files)


def _load(page: Page) -> None:
    """Offer to take what was decided from a `shoal.toml`."""
    with part("details"):
        part("summary", t("Take all decisions from a shoal.toml"), data_key="load")
        said = t("or click to choose it: the step Run, every release and shoal start write one")
        limit = min(page.desk.uploads.limit, LARGEST)
        heard = lambda refused: _sent(page, refused)  # noqa: E731
        dropped(t("Drop a shoal.toml here"), said, LOAD, heard, key="config", limit=limit, accept=".toml")
        text(
            t(
                "If it names a table in the chosen folder, that table is opened. Otherwise the decisions apply to "
                "this table."
            ),
            "faint",
        )


async def _sent(page: Page, refused: str) -> None:
    page.quiet()
    if refused and page.desk.refused is None:
        page.alert(refused)
    await page.refresh()


def _by_path(page: Page, files: tuple[str, ...]) -> None:
    """Offer the files of the chosen folder."""

    async def open_file(name: str) -> None:
        if name.strip():
            await page.attempt(page.desk.open, name.strip())
            if page.desk.refused is not None:
                page.quiet()  # it is said where the file can be read in another way

    help = t("Inside {root}. Nothing is copied.", root=page.desk.root)
    written(
        t("Or name a file in the chosen folder"),
        "",
        open_file,
        key="path",
        help=help,
        list="files",
        placeholder="people.csv",
    )
    with part("datalist", id="files"):
        for name in files:
            part("option", value=name)


def _holds(page: Page, found: DataView) -> None:
    """Show the size, the columns, and the first rows where asked for."""
    if found.inspected is None:
        part("p", t("shoal is reading the table …"), "waiting", role="status")
        page.live(lambda: page.desk.look("inspection") is not None, page.come)
    else:
        _columns(found.inspected)
    heading(t("First rows"))
    if found.preview is None:
        text(t("Rows of the original are shown only if you ask for them."), "faint")
        button(t("Show the first 20 rows"), lambda: page.pick(rows="20"), key="rows")
    else:
        grid(found.preview.columns, _cells(found.preview.rows), about=t("The first rows of the table")).classes("cells")
        button(t("Hide them"), lambda: page.pick(rows=""), key="rows")
    reader = reader_named(Path(str(page.draft.file)))
    if reader is not None and reader.options and page.desk.refused is None:
        with part("details"):
            part("summary", t("Does it look wrong? Say how the file is written"), data_key="reading")
            _reading(page, reader.options, page.draft.reading)


def _columns(found: Mapping[str, Any]) -> None:
    with part("div", class_="cards figures"):
        number(whole(found["rows"]), t("rows: people, if one row is one person"))
        number(whole(len(found["columns"])), t("columns"))
        number(_size(found["bytes"]), t("size of the file"))
    heading(t("Columns"))
    rows = [
        [one["name"], known(one["type"]), whole(one["distinct"]), percent(one["missing"])] for one in found["columns"]
    ]
    grid(
        (t("column"), t("holds"), t("different values"), t("missing")),
        rows,
        numbers=(2, 3),
        about=t("The columns of the table"),
    )


def _size(many: int) -> str:
    """Write a number of bytes.

    >>> _size(193_000), _size(2_500_000)
    ('193 kB', '2.5 MB')
    """
    return figure(f"{many / 1e6:,.3g} MB" if many >= 1e6 else f"{many / 1e3:,.0f} kB")


def _cells(rows: Iterable[Sequence[str | None]]) -> list[list[str]]:
    return [[t("(missing)") if cell is None else cell for cell in row] for row in rows]


def _reading(page: Page, taken: Sequence[str], reading: Mapping[str, str | None], key: str = "") -> None:
    """Offer what may be said of how the file is written; the file is then read anew."""
    for name in (name for name in CONTROLS if name in taken):
        label, options = CONTROLS[name]

        async def heard(value: str, name: str = name) -> None:
            await page.attempt(page.desk.read_anew, **{name: value or None})

        said = str(reading.get(name) or "")
        if options:
            chosen(label, options, said, heard, key=f"{key}{name}")
        else:
            written(label, said, heard, key=f"{key}{name}")


STEP = Step(
    "data",
    t("Data"),
    t("Which table do you want to publish?"),
    t("A table about people, one row for each person. It is read on this machine and sent nowhere."),
    look,
    draw,
    said,
    valid=lambda desk: desk.draft.file is not None and Path(desk.draft.file).is_file(),
)
