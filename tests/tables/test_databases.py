"""Databases: a query is a table, a release goes back as tables, all or none, and no password is anywhere."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import sqlite3
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep
from typing import Any

import polars as pl
import pytest
from tests.cli.command import shoal as command

import shoal
from shoal.core.errors import ParameterError, ReleaseError, TableError, Unsupported
from shoal.tables import databases
from shoal.tables.databases import PASSWORD, Address, System, read_database, write_tables
from shoal.tables.table import read

FRAME = pl.DataFrame(
    {
        "age": [30, None, 41],
        "town": ["Oslo", "", None],
        "pay": [1.5, None, 2.0],
        "well": [True, None, False],
        "born": [date(1980, 1, 2), None, date(2000, 1, 1)],
        "seen": [datetime(2024, 1, 2, 3, 4, 5), None, datetime(2024, 1, 2)],
        'odd "name"; drop': ["*", "'; --", "x"],
    }
)
PEOPLE = pl.DataFrame({"age": [20, 20, 30, 30], "illness": ["flu", "gout", "flu", "gout"]})


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def nobody(home: Path) -> dict[str, Any]:
    """Who runs a server: servers refuse to run as root, so then it is somebody else, whose the folder becomes."""
    if os.geteuid():
        return {}
    user = pwd.getpwnam("nobody")
    os.chown(home, user.pw_uid, user.pw_gid)
    return {"user": "nobody", "cwd": home}


@pytest.fixture
def sqlite(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/people.db"


@pytest.fixture
def duckdb(tmp_path: Path) -> str:
    pytest.importorskip("duckdb", reason="duckdb is not installed")
    return f"duckdb:///{tmp_path}/people.duckdb"


@pytest.fixture(scope="module")
def postgresql() -> Iterator[str]:
    """A server of its own, on a free port of this machine, gone afterwards."""
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    folder = Path(shutil.which("postgres") or "/nowhere/postgres").resolve().parent
    if not (folder / "initdb").is_file():
        pytest.skip("PostgreSQL is not installed")
    with TemporaryDirectory() as place:  # not below a folder that the server's account cannot enter
        home, port = Path(place), free_port()
        server = Server(folder, home, nobody(home))
        server.run("initdb", "-U", "shoal", "-A", "trust", "--no-sync")
        said = f"-c port={port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={home} -c fsync=off"
        server.run("pg_ctl", "-w", "-o", said, "-l", str(home / "log"), "start")
        try:
            yield f"postgresql://shoal@127.0.0.1:{port}/postgres"
        finally:
            server.run("pg_ctl", "-m", "immediate", "stop")


@dataclass(frozen=True)
class Server:
    """The programs of PostgreSQL, and whose data they work on."""

    programs: Path
    home: Path
    owner: Mapping[str, Any]

    def run(self, program: str, *said: str) -> None:
        """Run a program on the data, silently."""
        call = [str(self.programs / program), "-D", str(self.home / "data"), *said]
        subprocess.run(call, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **self.owner)


@pytest.fixture(scope="module")
def mysql() -> Iterator[str]:
    """A server of MariaDB of its own."""
    pymysql = pytest.importorskip("pymysql", reason="pymysql is not installed")
    install, server = shutil.which("mariadb-install-db"), shutil.which("mariadbd")
    if install is None or server is None:
        pytest.skip("MariaDB is not installed")
    with TemporaryDirectory() as place:
        home, port = Path(place), free_port()
        owner = nobody(home)
        common = ["--no-defaults", f"--datadir={home / 'data'}"]
        subprocess.run(
            [install, *common, "--auth-root-authentication-method=normal"], check=True, capture_output=True, **owner
        )
        said = [f"--port={port}", "--bind-address=127.0.0.1", f"--socket={home / 'socket'}"]
        with subprocess.Popen([server, *common, *said], stderr=subprocess.DEVNULL, **owner) as running:
            try:
                for _ in range(300):
                    with suppress(pymysql.err.OperationalError):
                        with closing(pymysql.connect(host="127.0.0.1", port=port, user="root")) as made:
                            made.cursor().execute("CREATE DATABASE shoal")
                        break
                    sleep(0.1)
                yield f"mysql://root@127.0.0.1:{port}/shoal"
            finally:
                running.terminate()


@pytest.fixture(params=["sqlite", "duckdb", "postgresql", "mysql"])
def url(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue(request.param))


def test_what_is_written_is_read_back(url: str) -> None:
    kinds = FRAME
    if url.startswith(("sqlite", "mysql")):  # which have no truth values
        kinds = FRAME.with_columns(pl.col("well").cast(pl.Int64))
    assert write_tables(f"{url}#types", {"table": FRAME, "sensitive": PEOPLE}) == ["types", "types_sensitive"]
    assert read_database(url, "types").frame.equals(kinds)
    assert read(url, query="types_sensitive").frame.equals(PEOPLE)
    assert read_database(url, "select age from types where town = 'Oslo'").frame.rows() == [(30,)]


def test_a_table_that_is_there_is_replaced_only_if_that_is_said(url: str) -> None:
    write_tables(f"{url}#again", {"table": FRAME})
    with pytest.raises(ReleaseError, match="has a table 'again' already; name another after #, or add --overwrite"):
        write_tables(f"{url}#again", {"table": PEOPLE})
    write_tables(f"{url}#again", {"table": PEOPLE}, overwrite=True)
    assert read_database(url, "again").frame.equals(PEOPLE)


def test_all_tables_are_written_or_none(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    write_tables(f"{url}#whole", {"table": PEOPLE})
    put = databases._put

    def fails_later(cursor: Any, system: System, name: str, frame: pl.DataFrame) -> None:
        put(cursor, system, name, frame)
        if "sensitive" in name:
            raise RuntimeError("the server is gone, and PASSWORD is said")

    monkeypatch.setattr(databases, "_put", fails_later)
    with pytest.raises(ReleaseError, match=r"could not be written to \(RuntimeError\); nothing was changed") as caught:
        write_tables(f"{url}#whole", {"table": FRAME, "sensitive": FRAME}, overwrite=True)
    assert "PASSWORD" not in str(caught.value)
    assert read_database(url, "whole").frame.equals(PEOPLE)
    with pytest.raises(TableError):
        read_database(url, "whole_sensitive")


def test_a_query_changes_nothing(url: str) -> None:
    write_tables(f"{url}#kept", {"table": PEOPLE})
    with pytest.raises(TableError):
        read_database(url, "delete from kept where age = 20")
    assert read_database(url, "kept").rows == 4


def test_a_release_of_a_query_is_verified_and_goes_back_as_tables(url: str, tmp_path: Path) -> None:
    write_tables(f"{url}#people", {"table": pl.concat([PEOPLE] * 3)})
    table = read(url, query="people")
    release = shoal.anonymize(table, quasi=["age"], sensitive=["illness"], require="l(illness)=2", method="anatomy")
    folder = release.save(tmp_path / "out")
    assert shoal.verify(folder, original=read(url, query="people")).failures == []
    assert release.to_database(f"{url}#open") == ["open", "open_sensitive"]
    back = read_database(url, "open").frame
    assert back.sort(back.columns).equals(release.table.sort(back.columns))


def test_numbers_and_codes_of_drivers_are_plain_types(sqlite: str) -> None:
    with closing(sqlite3.connect(sqlite.removeprefix("sqlite:///"))) as made, made:
        made.execute("create table odd (whole, mixed, none)")
        made.executemany("insert into odd values (?, ?, ?)", [(1, 1, None), (2.5, "x", None)])
    assert read_database(sqlite, "odd").frame.rows() == [(1.0, "1", None), (2.5, "x", None)]
    with pytest.raises(TableError, match="columns of the same name"):
        read_database(sqlite, "select whole, whole from odd")


@pytest.mark.parametrize(
    "given", ["postgresql://me:hunter2@host/db", "mssql://host/db?pwd=hunter2", "mysql://me:@host/db"]
)
def test_a_password_in_a_url_is_refused_and_not_repeated(given: str) -> None:
    with pytest.raises(ParameterError, match=f"holds a password; leave it out, and set {PASSWORD}") as caught:
        read(given, query="people")
    assert "hunter2" not in str(caught.value)


def test_the_password_is_that_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}

    class Driver:
        def connect(self, **said: Any) -> Any:
            asked.update(said)
            raise OSError("hunter2 was wrong")

    monkeypatch.setenv(PASSWORD, "hunter2")
    monkeypatch.setattr(System, "driver", lambda self: Driver())
    with pytest.raises(TableError) as caught:
        read("postgresql://me@host:5433/people", query="t")
    assert asked == {"dbname": "people", "host": "host", "port": 5433, "user": "me", "password": "hunter2"}
    assert "hunter2" not in str(caught.value)


def test_addresses_are_read_as_others_write_them() -> None:
    assert Address.of("sqlite:///a/b.db#t") == Address("sqlite", "a/b.db", table="t")
    assert Address.of("duckdb:////a/b.duckdb").place == "/a/b.duckdb"
    assert Address.of("MariaDB://me@host:33/name#x%20y") == Address("mariadb", "name", "host", 33, "me", "x y")
    with pytest.raises(ParameterError, match=r"not the URL of a database; expected sqlite:///people\.db or"):
        Address.of("nonsense")


def test_what_has_to_be_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "import_module", _nothing)
    with pytest.raises(Unsupported, match=r"MySQL needs pymysql, .*; pip install 'shoal\[databases\]'"):
        read("mysql://host/name", query="people")


def _nothing(name: str) -> Any:
    raise ImportError(name)


def test_a_query_is_for_databases_and_needed_there(tmp_path: Path, sqlite: str) -> None:
    (tmp_path / "people.csv").write_text("age\n1\n")
    with pytest.raises(ParameterError, match="it has no query; leave query out, or give the URL of a database"):
        read(tmp_path / "people.csv", query="people")
    with pytest.raises(ParameterError, match="no query is given"):
        read(sqlite)


def test_the_command_line_reads_and_writes_databases(
    tmp_path: Path, sqlite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_tables(f"{sqlite}#people", {"table": PEOPLE})
    asked = ("--query=people", "--quasi=age", "--sensitive=illness", "--require=k=2", "-o", "out")
    done = command("anonymize", f"--from={sqlite}", *asked, f"--to={sqlite}#open")
    assert done.code == 0, done.err
    assert read_database(sqlite, "open").rows == 4
    assert command("verify", "out", f"--original={sqlite}", "--query=people").code == 0
    assert command("anonymize", "people.csv", f"--from={sqlite}", *asked).code == 2
    wrong = command("anonymize", f"--from={sqlite}", *asked, "--overwrite", "--to=postgresql://me:hunter2@host/db")
    assert (wrong.code, "hunter2" in wrong.err, "password" in wrong.err) == (2, False, True)
    written = "".join(path.read_text(errors="replace") for path in Path("out").rglob("*.json"))
    assert "sqlite" not in written.lower().replace("read from a sqlite database by a query", "")
