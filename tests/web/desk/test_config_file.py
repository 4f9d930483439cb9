"""A `shoal.toml` becomes what is decided on the page, and what is decided becomes one again."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.core.errors import ParameterError, RoleError, ShoalError
from shoal.web.desk import Desk
from shoal.web.desk.config_file import parts_of

TABLE = "age,town,illness,note\n" + "".join(f"{20 + n},{'ab'[n % 2]},{'xyz'[n % 3]},{n % 4}\n" for n in range(12))
CONFIG = """
[data]
file = "people.csv"

[roles]
quasi = ["age", "town"]
sensitive = ["illness"]
leave_out = ["rest"]

[privacy]
require = "k=3 l(illness)=2"
max_dropped = 0.1

[hierarchies]
age = "intervals:width=5,10"

[method]
seed = 7
coarsen = "age=1"
memory_limit = "2GiB"

[attribute_weights]
age = 2

[output]
folder = "somewhere"
star = "null"
"""


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A desk of a folder with a table and its configuration."""
    (tmp_path / "people.csv").write_text(TABLE)
    (tmp_path / "shoal.toml").write_text(CONFIG)
    return Desk(tmp_path / "desk", root=tmp_path)


def test_everything_that_a_configuration_says_is_decided_at_once_and_undone_at_once(desk: Desk, tmp_path: Path) -> None:
    draft = desk.load(tmp_path / "shoal.toml")
    assert draft.file == str(tmp_path / "people.csv")
    assert draft.roles == {"age": "quasi", "town": "quasi", "illness": "sensitive", "note": "leave_out"}
    assert draft.require == ("k=3", "l(illness)=2")
    assert (draft.max_dropped, draft.seed, draft.coarsen, draft.star) == ("0.1", 7, "age=1", "null")
    assert (draft.memory_limit, dict(draft.attribute_weights)) == ("2GiB", {"age": 2})
    assert desk.ready() == []
    assert desk.undo().file is None


def test_what_is_written_is_read_as_the_same(desk: Desk, tmp_path: Path) -> None:
    draft = desk.load(tmp_path / "shoal.toml")
    (tmp_path / "again.toml").write_text(desk.portable(draft).toml(file=draft.name))
    assert desk.load(tmp_path / "again.toml") == draft


def test_without_its_table_a_configuration_is_about_the_table_at_hand(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "shoal.toml").write_text(CONFIG.replace("people.csv", "elsewhere.csv"))
    with pytest.raises(ShoalError, match="is not here"):
        desk.load(tmp_path / "shoal.toml")
    desk.open("people.csv")
    assert desk.load(tmp_path / "shoal.toml").require == ("k=3", "l(illness)=2")


@pytest.mark.parametrize(
    ("changed", "to", "said"),
    [
        ('["age", "town"]', '["age", "twon"]', "no column 'twon'"),
        ("seed = 7", 'engine = "spark"', "does not support engine"),
        ("k=3 ", "k=nothing ", "nothing"),
        ('"age=1"', '"everything"', "coarsen"),
        ('"2GiB"', '"much"', "memory_limit"),
        ("age = 2", "age = -2", "weight"),
    ],
)
def test_what_cannot_be_meant_is_refused_and_changes_nothing(
    desk: Desk, tmp_path: Path, changed: str, to: str, said: str
) -> None:
    assert changed in CONFIG
    (tmp_path / "shoal.toml").write_text(CONFIG.replace(changed, to))
    before = desk.draft
    with pytest.raises(ShoalError, match=said):
        desk.load(tmp_path / "shoal.toml")
    assert desk.draft == before


def test_what_the_page_does_itself_is_left_out_and_what_it_cannot_do_refused() -> None:
    assert parts_of({"folder": "/a", "report": True, "quasi": ["a"]}, ["a"]) == {"require": [], "roles": {"a": "quasi"}}
    with pytest.raises(ParameterError, match="spark_master"):
        parts_of({"spark_master": "local[2]"}, ["a"])
    with pytest.raises(RoleError):
        parts_of({"quasi": "b"}, ["a"])
