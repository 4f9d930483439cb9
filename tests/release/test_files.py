"""The seals of files and of the original, against their definitions in plain Python."""

from __future__ import annotations

import hashlib
import hmac
import random
from pathlib import Path

import polars as pl
import pytest

from shoal.core.errors import ReleaseError
from shoal.release.certificate import canonical
from shoal.release.files import (
    AS_CODES,
    AS_CSV,
    MANIFEST,
    file_hash,
    keyed_hash,
    manifest,
    public_config_hash,
    ranked,
    read_json,
)
from shoal.tables.encoded_column import Coded
from shoal.tables.table import Table

KEY = "0a" * 32


def defined(columns: dict[str, list[str | None]]) -> str:
    """The keyed hash of columns of words as its name describes it: names, distinct texts in order, numbers of these."""
    digest = hmac.new(bytes.fromhex(KEY), digestmod=hashlib.sha256)
    for name, cells in columns.items():
        words = sorted({cell for cell in cells if cell is not None})
        distinct = [*words, None] if None in cells else words
        text = "".join(f"{line or ''}\n" for line in (name, *distinct)).encode()
        digest.update(canonical([name, len(cells), len(text)]).encode())
        digest.update(text)
        size = 1 if len(distinct) <= 256 else 2 if len(distinct) <= 65_536 else 4
        place = {word: number for number, word in enumerate(distinct)}
        digest.update(b"".join(place[cell].to_bytes(size, "little") for cell in cells))
    return digest.hexdigest()


@pytest.mark.parametrize("different", [1, 2, 255, 256, 257, 65_535, 65_536, 65_537])
@pytest.mark.parametrize("missing", [False, True])
def test_the_original_is_known_by_its_distinct_texts_and_their_numbers(different: int, missing: bool) -> None:
    draw = random.Random(different)
    cells: list[str | None] = [f"w{number}" for number in range(different - missing)]
    cells += [None] * missing
    draw.shuffle(cells)
    columns = {"a": cells, "b": [draw.choice(["x", "y", None]) for _ in cells]}
    table = Table(pl.DataFrame(columns, schema={"a": pl.String, "b": pl.String}))
    found = keyed_hash(table, KEY)
    assert found == {"algorithm": AS_CODES, "key": KEY, "digest": defined(columns)}


def test_earlier_releases_know_the_original_by_its_text_as_csv() -> None:
    table = pl.DataFrame({"a": [1, None, 3], "b": ["x", "y,z", None]})
    digest = hmac.new(bytes.fromhex(KEY), b'a,b\n1,x\n,"y,z"\n3,\n', hashlib.sha256).hexdigest()
    assert keyed_hash(Table(table), KEY, AS_CSV) == {"algorithm": AS_CSV, "key": KEY, "digest": digest}


def test_another_key_name_order_or_cell_gives_another_hash() -> None:
    table = pl.DataFrame({"a": ["x", "y", None], "b": ["x", "x", "y"]})
    others = [table.reverse(), table.rename({"a": "c"}), table.select("b", "a"), table.head(2), table.fill_null("y")]
    found = [keyed_hash(Table(one), KEY)["digest"] for one in (table, *others)]
    found.append(keyed_hash(Table(table), "0b" * 32)["digest"])
    assert len(set(found)) == len(others) + 2


@pytest.mark.parametrize(
    ("cells", "ranks", "different"),
    [
        ([3, 1, 2, 1], [2, 0, 1, 0], 3),
        ([None, 5, None, 4], [2, 1, 2, 0], 3),
        ([7, 7], [0, 0], 1),
        ([None, None], [0, 0], 1),
        ([], [], 1),
    ],
)
def test_cells_are_numbered_in_order_a_missing_value_last(
    cells: list[int | None], ranks: list[int], different: int
) -> None:
    found, number = ranked(Coded.of(pl.Series("a", cells, dtype=pl.Int64)))
    assert found.tolist() == ranks
    assert number == different


def test_a_manifest_has_every_file_but_itself(tmp_path: Path) -> None:
    for name in ("public/a", "internal/b", "internal/deep/c", MANIFEST):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    found = manifest(tmp_path)
    assert found == {name: hashlib.sha256(name.encode()).hexdigest() for name in list(found)}
    assert list(found) == ["internal/b", "internal/deep/c", "public/a"]
    assert file_hash(tmp_path) == hashlib.sha256(canonical(found).encode()).hexdigest()


def test_a_request_is_the_same_with_another_seed_and_with_nothing_else_changed() -> None:
    asked = {"seed": 1, "require": "k=2", "quasi": ["a"]}
    without = canonical({"require": "k=2", "quasi": ["a"]})
    assert public_config_hash(asked) == hashlib.sha256(without.encode()).hexdigest()
    assert public_config_hash({**asked, "seed": 2}) == public_config_hash(asked)
    assert public_config_hash({**asked, "require": "k=3"}) != public_config_hash(asked)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "\udce4"], ids=["empty", "open", "deep", "bytes"])
def test_a_file_of_json_that_cannot_be_read_is_named(text: str, tmp_path: Path) -> None:
    path = tmp_path / "public" / "codebook.json"
    path.parent.mkdir()
    with pytest.raises(ReleaseError, match=r"public/codebook.json is missing or cannot be read"):
        read_json(path)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ReleaseError, match=r"public/codebook.json is missing or cannot be read"):
        read_json(path)
    path.write_text('{"a": ["\u00e4"]}', encoding="utf-8")
    assert read_json(path) == {"a": ["\u00e4"]}
