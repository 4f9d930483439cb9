import gzip
import json
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from shoal.core.errors import HierarchyError, ParameterError
from shoal.hierarchies import Taxonomy

WORLD = {"Europe": {"North": ["Sweden", "Norway"], "South": ["Spain"]}, "Asia": {"East": ["Japan"]}}


def written(folder: Path, text: str, name: str = "h.csv") -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("name", ["h.csv", "h.csv.gz"])
def test_a_csv_with_any_separator(tmp_path: Path, separator: str, name: str) -> None:
    text = "a;x;*\r\n\r\nb;x;*\r\nc;y;*".replace(";", separator)
    hierarchy = Taxonomy.from_csv(written(tmp_path, text, name)).build(pl.Series(["a", "c", None]))
    assert hierarchy.labels == (("a", "c", None), ("x", "y", None), ("*",))
    assert [leaves.tolist() for leaves in hierarchy.leaves] == [[1, 1, 1], [2, 1, 1], [4]]


def test_quoted_labels_with_separators(tmp_path: Path) -> None:
    path = written(tmp_path, '1,"[0, 10[",*\n12,"[10, 20[",*\n')
    assert Taxonomy.from_csv(path).build(pl.Series([1, 12])).labels[1] == ("[0, 10[", "[10, 20[")


def test_the_root_may_have_any_name_or_be_left_out(tmp_path: Path) -> None:
    rows = [("a", "x"), ("b", "y")]
    for text in ("a;x;*\nb;y;*", "a;x;Any\nb;y;Any", "a;x\nb;y", "a;x;*;*\nb;y;*;*"):
        assert Taxonomy.from_csv(written(tmp_path, text)) == Taxonomy(rows)
    assert Taxonomy.from_csv(written(tmp_path, "a;*\nb;*")).build(pl.Series(["a", "b"])).height == 1


def test_a_tree_and_its_json(tmp_path: Path) -> None:
    tree = Taxonomy.from_tree(WORLD)
    assert tree.rows[0] == ("Sweden", "North", "Europe")
    for name in ("w.json", "w.json.gz"):
        assert Taxonomy.from_json(written(tmp_path, json.dumps(WORLD), name)) == tree
    assert Taxonomy.from_tree({"World": WORLD}) == tree
    assert hash(tree) == hash(Taxonomy.from_tree(WORLD))


def test_shallow_leaves_are_repeated_upward() -> None:
    tree = Taxonomy.from_tree([WORLD, "Antarctica", {"Oceania": "Fiji"}, "*"])
    assert tree.rows[-3:] == (
        ("Antarctica", "Antarctica", "Antarctica"),
        ("Fiji", "Fiji", "Oceania"),
        ("*", "\\*", "\\*"),
    )
    hierarchy = tree.build(pl.Series(["*", "Antarctica", "Fiji", "Spain"]))
    assert hierarchy.labels[1] == ("\\*", "Antarctica", "Fiji", "South")
    assert hierarchy.leaves[2].tolist() == [1, 1, 1, 3]


def test_leaves_that_do_not_occur_count() -> None:
    hierarchy = Taxonomy.from_tree(WORLD).build(pl.Series(["Sweden"]))
    assert [leaves.tolist() for leaves in hierarchy.leaves] == [[1], [2], [3], [4]]


def test_a_value_that_is_no_leaf_is_counted_and_not_shown() -> None:
    with pytest.raises(HierarchyError, match="2 of 3 values at level 0 are not among the 4 leaves") as caught:
        Taxonomy.from_tree(WORLD).build(pl.Series(["Atlantis", "Mu", "Spain", None]))
    assert "Atlantis" not in str(caught.value)


def test_values_match_by_their_text() -> None:
    taxonomy = Taxonomy([("1", "odd"), ("2.5", "half"), ("2024-03-07", "day"), ("true", "truth")])
    assert taxonomy.build(pl.Series([1])).labels[1] == ("odd",)
    assert taxonomy.build(pl.Series([1.0, 2.5])).labels[:2] == (("1.0", "2.5"), ("odd", "half"))
    assert taxonomy.build(pl.Series([date(2024, 3, 7)])).labels[1] == ("day",)
    assert taxonomy.build(pl.Series([True])).labels[1] == ("truth",)


def test_the_missing_value_may_have_a_row(tmp_path: Path) -> None:
    path = written(tmp_path, 'a;known;all;*\nb;known;all;*\n;;unknown;*\n"";none;unknown;*\n')
    taxonomy = Taxonomy.from_csv(path)
    assert taxonomy.missing == ("", "unknown")
    hierarchy = taxonomy.build(pl.Series(["", "a", None]))
    assert hierarchy.labels == (("", "a", None), ("none", "known", None), ("unknown", "all"), ("*",))
    assert hierarchy.up[2].tolist() == [0, 1, 0]
    assert [leaves.tolist() for leaves in hierarchy.leaves] == [[1, 1, 1], [1, 2, 1], [2, 2], [4]]
    assert taxonomy.build(pl.Series(["a"])).leaves[-1].tolist() == [4]


def test_the_empty_text_may_stay_whole(tmp_path: Path) -> None:
    taxonomy = Taxonomy.from_csv(written(tmp_path, '"";"";*\n;;*\nab;a*;*\n'))
    assert taxonomy.build(pl.Series(["", "ab", None])).labels == (("", "ab", None), ("", "a*", None), ("*",))


def test_the_missing_value_in_a_tree() -> None:
    taxonomy = Taxonomy.from_tree({"known": ["a"], "unknown": ["?", None]})
    assert taxonomy.build(pl.Series(["?", "a", None])).labels[1] == ("unknown", "known")
    assert taxonomy.build(pl.Series([None], dtype=pl.String)).labels == ((None,), ("unknown",), ("*",))


def test_rows_that_agree_are_one_and_rows_that_disagree_are_refused(tmp_path: Path) -> None:
    assert len(Taxonomy.from_csv(written(tmp_path, "a;x;*\na;x;*\nb;y;*")).rows) == 2
    with pytest.raises(HierarchyError, match="row 2 gives an earlier row's leaf other labels"):
        Taxonomy.from_csv(written(tmp_path, "a;x;*\na;y;*"))
    with pytest.raises(HierarchyError, match="two rows for the missing value disagree"):
        Taxonomy.from_csv(written(tmp_path, "a;x;*\n;x;*\n;y;*"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no leaves"),
        (";x;*", "no leaves"),
        ("a;x;*\n\nb;*\n", "'h.csv', line 3 has 2 cells, the first row has 3"),
        ("a;x;*\nb;;*\n", "'h.csv', line 2 has no label at level 1"),
        ("a;x;*;*\nb;y;z;*", "level 2 labels 1 of 2 leaves '\\*'.*give the group a name"),
        ("a;n;x;*\nb;n;y;*", "level 2 splits 1 groups of level 1.*different names"),
        ("a;b;*\nb;b;*\nc;c;*", "level 1 has a label that means a different set"),
        ("a;b;*\nb;a;*", "level 1 has a label that means a different set"),
    ],
)
def test_refused_files(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(HierarchyError, match=message):
        Taxonomy.from_csv(written(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": ["b"],\n', "'w.json', line 2 is not JSON"),
        ('{"a": ["b"], "a": ["c"]}', "names a group twice"),
        ('{"a": ["b"], "c": []}', "a group at depth 1 is empty"),
        ("[]", "a group at depth 0 is empty"),
        ('{"a": {"n": ["b"]}, "c": {"n": ["d"]}}', "splits 1 groups"),
    ],
)
def test_refused_trees(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(HierarchyError, match=message):
        Taxonomy.from_json(written(tmp_path, text, "w.json"))


def test_files_that_are_not_there_or_damaged(tmp_path: Path) -> None:
    with pytest.raises(HierarchyError, match=r"there is no file 'nowhere\.csv'"):
        Taxonomy.from_csv(tmp_path / "nowhere.csv")
    whole = gzip.compress(b"a;*\nb;*\n" * 100)
    for content in (whole[:-20], b"\x1f\x8b\x08broken", whole[:12] + b"\xff" * 9 + whole[21:]):
        (tmp_path / "cut.csv.gz").write_bytes(content)
        with pytest.raises(HierarchyError, match="is damaged"):
            Taxonomy.from_csv(tmp_path / "cut.csv.gz")


def test_rows_given_by_hand() -> None:
    with pytest.raises(ParameterError, match="rows are given as text"):
        Taxonomy("countries")
    with pytest.raises(HierarchyError, match="row 2 is empty"):
        Taxonomy([("a",), ()])
    with pytest.raises(HierarchyError, match="different numbers of labels"):
        Taxonomy([("a", "x"), ("b",)])
    with pytest.raises(HierarchyError, match="different numbers of labels"):
        Taxonomy([("a", "x")], missing=("x", "y"))
