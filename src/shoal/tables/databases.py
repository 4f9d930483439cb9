"""Tables of databases: a table or the rows of a query is read, and published tables are written, all or none.

A database is named by a URL without a password. The password is taken from the environment, and is in no message.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import polars as pl

from shoal.core.errors import ParameterError, ReleaseError, ShoalError, TableError, Unsupported
from shoal.tables.column_types import check_names, tidy
from shoal.tables.columns import Held
from shoal.tables.readers.base import names_file
from shoal.tables.spelling import infer_dates, spelling_notes
from shoal.tables.table import Table

PASSWORD = "SHOAL_DATABASE_PASSWORD"
"""The variable of the environment that holds the password; drivers also look where they always do."""
EXTRA = "shoal[databases]"
NAME = "release"
"""What the published table is called where the URL names none."""
PARTIAL = "_partial"
"""How the name of a table ends that is not whole yet, where one is made before it gets its name."""
PART = 10_000
"""Rows that are written together."""
TYPES: tuple[tuple[Callable[[pl.DataType], bool], str], ...] = (
    (lambda kind: kind.is_integer(), "BIGINT"),
    (lambda kind: kind.is_numeric(), "DOUBLE PRECISION"),
    (lambda kind: kind == pl.Boolean, "BOOLEAN"),
    (lambda kind: kind == pl.Date, "DATE"),
    (lambda kind: isinstance(kind, pl.Datetime), "TIMESTAMP"),
    (lambda kind: True, "TEXT"),
)


@dataclass(frozen=True)
class System:
    """A kind of database: what speaks to it, and where it differs from the others."""

    title: str
    module: str
    connect: Callable[[Any, Address, bool], Any]
    """Opens a connection, for reading alone if that is wanted."""
    mark: str = "%s"
    """How a value is left open in a statement."""
    quote: str = '""'
    """The signs around a name."""
    types: Mapping[str, str] | None = None
    """Types that it calls otherwise."""
    renames: bool = False
    """Whether tables are made under other names and renamed in one step, because making one ends a transaction."""

    def driver(self) -> Any:
        """Return what speaks to it, or say what installs that."""
        try:
            return import_module(self.module)  # an optional extra
        except ImportError:
            raise Unsupported(
                f"{self.title} needs {self.module}, which is not installed", hint=f"pip install {EXTRA!r}"
            ) from None

    def named(self, name: str) -> str:
        """Return a name as a statement has it."""
        last = self.quote[1]
        return f"{self.quote[0]}{name.replace(last, last * 2)}{last}"


@dataclass(frozen=True)
class Address:
    """Where a database is: everything but the password."""

    scheme: str
    place: str
    """The name of the database, or its file."""
    host: str | None = None
    port: int | None = None
    user: str | None = None
    table: str = NAME
    """The table that is written: what follows # in the URL."""

    @classmethod
    def of(cls, url: str) -> Address:
        """Read a URL; one that is none, or that holds a password, is refused without repeating it."""
        scheme, _, rest = url.partition(":")
        if scheme.lower() not in SYSTEMS or not rest:
            raise ParameterError("this is not the URL of a database", expected=" or ".join(EXAMPLES))
        parts = urlsplit(f"x://{rest.lstrip('/')}" if scheme.lower() not in FILES else f"x:///{rest}")
        if parts.password is not None or re.search(r"(?i)\b(password|pwd)=", url):
            raise ParameterError(
                "the URL of the database holds a password", hint=f"leave it out, and set {PASSWORD} in the environment"
            )
        table = unquote(parts.fragment) or NAME
        if scheme.lower() in FILES:
            return cls(scheme.lower(), _file(rest.partition("#")[0]), table=table)
        place = unquote(parts.path).strip("/")
        return cls(scheme.lower(), place, parts.hostname, parts.port, parts.username, table)

    @property
    def system(self) -> System:
        """The kind of database."""
        return SYSTEMS[self.scheme]

    @contextmanager
    def opened(self, *, read_only: bool) -> Iterator[Any]:
        """Connect; what fails is said without the words of the driver, which may repeat cells or passwords."""
        driver, doing = self.system.driver(), "read from" if read_only else "written to"
        try:
            with closing(self.system.connect(driver, self, read_only)) as connection:
                yield connection
        except ShoalError:
            raise
        except Exception as error:  # each driver has errors of its own
            kind = TableError if read_only else ReleaseError
            raise kind(
                f"the {self.system.title} database {Path(self.place).name!r} could not be {doing} "
                f"({type(error).__name__})",
                hint="try the same in the database's own program" if read_only else "nothing was changed in it",
            ) from None


def is_database(path: object) -> bool:
    """Whether a text is the URL of a database and not the name of a file."""
    scheme, colon, _ = str(path).partition(":")
    return bool(colon) and scheme.lower() in SYSTEMS and not names_file(str(path))


def read_database(url: str, query: str | None) -> Table:
    """Return the rows of a query, or of a table by its name."""
    address = Address.of(url)
    if not query or not query.strip():
        raise ParameterError("no query is given", expected='the name of a table, or "select ..."', hint="add --query")
    statement = query.strip() if re.search(r"\s", query.strip()) else f"select * from {_parts(address.system, query)}"
    with address.opened(read_only=True) as connection:
        if address.scheme == "duckdb":
            frame = pl.DataFrame(connection.sql(statement))
        else:
            cursor = _cursor(connection, address)
            cursor.execute(statement)
            names, rows = [one[0] for one in cursor.description or ()], cursor.fetchall()
            columns = [_column(name, [row[at] for row in rows]) for at, name in enumerate(names)]
            check_names(names)
            frame = pl.DataFrame(map(infer_dates, columns) if address.scheme == "sqlite" else columns)
    notes = (f"read from a {address.system.title} database by a query",)
    return Table(Held(tidy(frame), spelling_notes(frame.iter_columns())), notes)


def write_tables(url: str, tables: Mapping[str, pl.DataFrame], *, overwrite: bool = False) -> list[str]:
    """Write published tables into a database, all or none, and return what they are called there.

    The first is called as the URL says after #, else `release`; the others have their own names after it.
    """
    address = Address.of(url)
    names = [address.table if not at else f"{address.table}_{name}" for at, name in enumerate(tables)]
    with address.opened(read_only=False) as connection:
        cursor = _cursor(connection, address)
        there = [name for name in names if _exists(connection, cursor, address.system.named(name))]
        if there and not overwrite:
            raise ReleaseError(
                f"the database has a table {there[0]!r} already", hint="name another after #, or add --overwrite"
            )
        _begin(cursor, address)
        try:
            _put_all(cursor, address.system, dict(zip(names, tables.values(), strict=True)), there)
            connection.commit()
        except BaseException:
            with suppress(Exception):
                connection.rollback()
                for name in names if address.system.renames else ():
                    cursor.execute(f"DROP TABLE IF EXISTS {address.system.named(f'{name}{PARTIAL}')}")
            raise
    return names


def _begin(cursor: Any, address: Address) -> None:
    if address.scheme in FILES:  # the other drivers begin by themselves
        cursor.execute("BEGIN")


def _put_all(cursor: Any, system: System, tables: Mapping[str, pl.DataFrame], there: Sequence[str]) -> None:
    """Make and fill tables in the place of those that are there."""
    under = {name: f"{name}{PARTIAL}" if system.renames else name for name in tables}
    for name in () if system.renames else there:
        cursor.execute(f"DROP TABLE {system.named(name)}")
    for name, frame in tables.items():
        if system.renames:
            cursor.execute(f"DROP TABLE IF EXISTS {system.named(under[name])}")
        _put(cursor, system, under[name], frame)
    if system.renames:
        old = {name: f"{name}_old" for name in there}
        moves = [*old.items(), *((under[name], name) for name in tables)]
        cursor.execute(
            "RENAME TABLE " + ", ".join(f"{system.named(one)} TO {system.named(other)}" for one, other in moves)
        )
        for aside in old.values():
            cursor.execute(f"DROP TABLE {system.named(aside)}")


def _put(cursor: Any, system: System, name: str, frame: pl.DataFrame) -> None:
    """Make a table and fill it."""
    kinds = {column: _type(system, kind) for column, kind in frame.schema.items()}
    columns = ", ".join(f"{system.named(column)} {kind}" for column, kind in kinds.items())
    cursor.execute(f"CREATE TABLE {system.named(name)} ({columns})")
    insert = f"INSERT INTO {system.named(name)} VALUES ({', '.join([system.mark] * frame.width)})"
    plain = frame.with_columns(pl.col(column).cast(pl.String) for column, kind in kinds.items() if kind == "TEXT")
    for part in plain.iter_slices(PART):
        cursor.executemany(insert, part.rows())


def _type(system: System, kind: pl.DataType) -> str:
    """Return what a database calls a type."""
    plain = next(name for fits, name in TYPES if fits(kind))
    return (system.types or {}).get(plain, plain)


def _cursor(connection: Any, address: Address) -> Any:
    """Return what runs statements in the transaction of a connection: a cursor of DuckDB has one of its own."""
    return connection if address.scheme == "duckdb" else connection.cursor()


def _exists(connection: Any, cursor: Any, name: str) -> bool:
    """Whether there is a table of that name that can be read."""
    try:
        cursor.execute(f"SELECT 1 FROM {name} WHERE 1 = 0")
        cursor.fetchall()
    except Exception:  # each driver has an error of its own for that
        with suppress(Exception):
            connection.rollback()
        return False
    return True


def _parts(system: System, name: str) -> str:
    """Return the name of a table, which may have that of a schema before it, as a statement has it."""
    return ".".join(system.named(part) for part in name.strip().split("."))


def _column(name: str, cells: list[Any]) -> pl.Series:
    """Return a column of what a driver gave; values of several types are texts."""
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds == {Decimal}:
        whole = all(cell is None or cell == cell.to_integral_value() for cell in cells)
        cells = [None if cell is None else int(cell) if whole else float(cell) for cell in cells]
    elif kinds == {int, float}:
        cells = [None if cell is None else float(cell) for cell in cells]
    elif len(kinds) > 1 or any(kind.__module__ == "uuid" for kind in kinds):
        cells = [None if cell is None else str(cell) for cell in cells]
    return pl.Series(name, cells, dtype=None if kinds else pl.String)


def _file(rest: str) -> str:
    """Return the file of a database: relative after three slashes, absolute after four, as SQLAlchemy has it.

    >>> _file("///people.db"), _file("////data/people.db"), _file("people.db")
    ('people.db', '/data/people.db', 'people.db')
    """
    slashes = len(rest) - len(rest.lstrip("/"))
    plain = unquote(rest.lstrip("/"))
    absolute = slashes == 4 or (slashes == 1 and not Path(plain).exists())
    return f"/{plain}" if absolute else plain


def _sqlite(driver: Any, address: Address, read_only: bool) -> Any:
    if address.place == ":memory:":
        return driver.connect(address.place, isolation_level=None)
    mode = "ro" if read_only else "rwc"
    return driver.connect(f"{Path(address.place).absolute().as_uri()}?mode={mode}", uri=True, isolation_level=None)


def _duckdb(driver: Any, address: Address, read_only: bool) -> Any:
    return driver.connect(address.place, read_only=read_only)


def _server(address: Address, **names: str) -> dict[str, Any]:
    """Return the parts of an address that are given, by the names that a driver has for them."""
    parts = {"host": address.host, "port": address.port, "user": address.user, "password": os.environ.get(PASSWORD)}
    return {names.get(part, part): said for part, said in parts.items() if said is not None}


def _postgresql(driver: Any, address: Address, read_only: bool) -> Any:
    connection = driver.connect(dbname=address.place, **_server(address))
    connection.read_only = read_only
    return connection


def _mysql(driver: Any, address: Address, read_only: bool) -> Any:
    connection = driver.connect(database=address.place, charset="utf8mb4", **_server(address))
    if read_only:
        connection.cursor().execute("SET SESSION TRANSACTION READ ONLY")
    return connection


def _sql_server(driver: Any, address: Address, read_only: bool) -> Any:
    where = f"{address.host or 'localhost'},{address.port or 1433}"
    said = {"DRIVER": "{ODBC Driver 18 for SQL Server}", "SERVER": where, "DATABASE": address.place}
    password = os.environ.get(PASSWORD, "").replace("}", "}}")
    said |= {"UID": address.user, "PWD": f"{{{password}}}"} if address.user else {"Trusted_Connection": "yes"}
    return driver.connect(";".join(f"{key}={value}" for key, value in said.items()), readonly=read_only)


FILES = ("sqlite", "duckdb")
"""Schemes of databases that are files."""
_POSTGRESQL = System("PostgreSQL", "psycopg", _postgresql)
_MYSQL = System(
    "MySQL", "pymysql", _mysql, quote="``", types={"TIMESTAMP": "DATETIME(6)", "TEXT": "LONGTEXT"}, renames=True
)
SYSTEMS: Mapping[str, System] = {
    "sqlite": System("SQLite", "sqlite3", _sqlite, mark="?", types={"DATE": "TEXT", "TIMESTAMP": "TEXT"}),
    "duckdb": System("DuckDB", "duckdb", _duckdb, mark="?"),
    "postgresql": _POSTGRESQL,
    "postgres": _POSTGRESQL,
    "mysql": _MYSQL,
    "mariadb": _MYSQL,
    "mssql": System(
        "SQL Server",
        "pyodbc",
        _sql_server,
        mark="?",
        quote="[]",
        types={"BOOLEAN": "BIT", "TIMESTAMP": "DATETIME2", "TEXT": "NVARCHAR(MAX)", "DOUBLE PRECISION": "FLOAT"},
    ),
}
EXAMPLES = (
    "sqlite:///people.db",
    "duckdb:///people.duckdb",
    "postgresql://user@host/name",
    "mysql://...",
    "mssql://...",
)
