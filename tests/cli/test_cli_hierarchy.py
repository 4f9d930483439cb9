"""`shoal hierarchy`: every command on a small table, what it prints, writes, refuses and gives away."""

import json
import tomllib
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from shoal.cli.app import app
from shoal.cli.hierarchy.binding import words_of
from shoal.core.errors import HierarchyError, ParameterError, RoleError, ShoalError
from shoal.hierarchies import Taxonomy, as_builder

TOWNS = "Oslo;Norway;*\nBergen;Norway;*\nLund;Sweden;*\nMalmö;Sweden;*\n"


@pytest.fixture
def people(tmp_path: Path) -> str:
    path = tmp_path / "people.csv"
    towns = ["Oslo", "Bergen", "Lund", None]
    frame = pl.DataFrame(
        {
            "age": range(20, 60),
            "zip": [f"{number:05d}" for number in range(1000, 1040)],
            "town": [towns[number % 4] for number in range(40)],
            "born": [f"19{60 + number}-03-07" for number in range(40)],
            "note": ["", "*", '"', "a;b"] * 10,
        }
    )
    frame.write_csv(path)
    return str(path)


@pytest.fixture
def towns(tmp_path: Path) -> str:
    path = tmp_path / "towns.csv"
    path.write_text(TOWNS, encoding="utf-8")
    return str(path)


def ran(*words: str, code: int = 0) -> Result:
    result = CliRunner().invoke(app, ["hierarchy", *words], env={"COLUMNS": "300"})
    if isinstance(result.exception, ShoalError):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


@pytest.mark.parametrize("words", ["intervals:width=5,10,20", "intervals:bins=4,2", "prefixes", "auto", "stars"])
@pytest.mark.parametrize("name", ["h.csv", "h.json", "h.csv.gz"])
def test_what_is_built_reads_back_as_what_was_meant(people: str, tmp_path: Path, words: str, name: str) -> None:
    path = tmp_path / name
    ran("build", people, words, "--column", "age", "-o", str(path))
    values = pl.Series(range(20, 60))
    assert as_builder(path).build(values).labels == as_builder(words).build(values).labels


def test_an_arx_file(people: str, tmp_path: Path) -> None:
    path = tmp_path / "born.csv"
    result = ran("build", people, "dates:month,year", "--column", "born", "-o", str(path))
    assert path.read_text(encoding="utf-8").startswith("1960-03-07;1960-03;1960;*\n1961-03-07;1961-03;1961;*\n")
    assert "40 leaves, 3 levels" in result.output
    assert "chose" not in result.output
    ran("build", people, "stars", "--column", "note", "-o", str(tmp_path / "note.csv"))
    assert (tmp_path / "note.csv").read_text(encoding="utf-8") == '"";*\n"""";*\n*;*\n"a;b";*\n'


@pytest.mark.parametrize(
    ("column", "chosen"),
    [("age", "intervals:width=5,10"), ("zip", "prefixes:lengths=4"), ("town", "stars"), ("born", "dates")],
)
def test_auto_says_what_it_chose(people: str, tmp_path: Path, column: str, chosen: str) -> None:
    path = str(tmp_path / "h.csv")
    assert f"auto chose {chosen}\n" in ran("build", people, "auto", "--column", column, "-o", path).output
    told = json.loads(ran("build", people, "auto", "--column", column, "-o", path, "--overwrite", "--json").stdout)
    assert as_builder(told["builder"]) == as_builder(chosen)
    assert told["chosen"] is True
    assert told["levels"][0]["blocks"] == (4 if column == "town" else 40)


@pytest.mark.parametrize(
    "words", ["intervals:width=0.5,5,origin=3", "dates:month,year", "prefixes:lengths=3,1", "intervals:bins=8,2"]
)
def test_words_read_back(words: str) -> None:
    assert as_builder(words_of(as_builder(words))) == as_builder(words)


def test_an_existing_output_is_refused(people: str, tmp_path: Path) -> None:
    path = tmp_path / "h.csv"
    path.write_text("mine", encoding="utf-8")
    for words in (["build", people, "auto"], ["export", "auto", "--table", people]):
        with pytest.raises(HierarchyError, match=r"exists already.*--overwrite"):
            ran(*words, "--column", "age", "-o", str(path))
        assert path.read_text(encoding="utf-8") == "mine"
    ran("build", people, "auto", "--column", "age", "-o", str(path), "--overwrite")
    assert path.read_text(encoding="utf-8") != "mine"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["h.csv", "people.csv"]


def test_the_table_is_never_the_output(people: str) -> None:
    before = Path(people).read_bytes()
    with pytest.raises(HierarchyError, match="is the table itself"):
        ran("build", people, "auto", "--column", "age", "-o", people, "--overwrite")
    assert Path(people).read_bytes() == before


def test_a_builder_that_does_not_fit_leaves_nothing(people: str, tmp_path: Path) -> None:
    path = tmp_path / "h.csv"
    with pytest.raises(HierarchyError, match="3 of 3 values are not dates") as caught:
        ran("build", people, "dates", "--column", "town", "-o", str(path))
    assert "Oslo" not in str(caught.value)
    with pytest.raises(RoleError, match="did you mean 'town'"):
        ran("build", people, "stars", "--column", "twon", "-o", str(path))
    with pytest.raises(ParameterError, match=r"ends in one of \.csv"):
        ran("build", people, "stars", "--column", "town", "-o", str(tmp_path / "h.xlsx"))
    assert not path.exists()


def test_show_prints_levels_blocks_and_leaves(people: str) -> None:
    output = ran("show", "intervals:width=10,20", "--table", people, "--column", "age", "--leaves", "3").output
    assert "0      40                  1" in output
    assert "2       2                 20" in output
    assert "*  40 leaves" in output
    assert "├── [20, 40)  20 leaves" in output
    assert "│   ├── [20, 30)  10 leaves\n│   │   └── 20, 21, 22, … 7 more" in output
    assert "59" not in output


def test_show_abbreviates_and_names_what_has_no_text(people: str) -> None:
    output = ran("show", "auto", "--table", people, "--column", "zip").output
    assert "auto chose prefixes" in output
    assert "01000, 01001, 01002, 01003, 01004, 01005, 01006, 01007, … 2 more" in output
    assert "Bergen, Lund, Oslo, (missing)" in ran("show", "stars", "--table", people, "--column", "town").output
    assert '"", ", *, a;b' in ran("show", "stars", "--table", people, "--column", "note").output


def test_show_a_file_alone_and_on_a_column(people: str, towns: str) -> None:
    alone = ran("show", towns).output
    assert "Sweden  2 leaves\n    └── Lund, Malmö" in alone
    bound = ran("show", towns, "--table", people, "--column", "town").output
    assert "Sweden  1 of 2 leaves" in bound
    assert "Malmö" not in bound
    assert "(missing)  1 leaf" in bound


def test_show_leaves_out_what_only_repeats(tmp_path: Path) -> None:
    path = tmp_path / "h.json"
    path.write_text(json.dumps({"Europe": {"North": ["[red]"]}, "Antarctica": ["Antarctica"]}), encoding="utf-8")
    output = ran("show", str(path)).output
    assert output.count("Antarctica") == 1
    assert "[red]" in output


def test_show_as_json(people: str, towns: str) -> None:
    told = json.loads(ran("show", towns, "--table", people, "--column", "town", "--json").stdout)
    assert told["levels"][1] == {"level": 1, "blocks": 3, "smallest": 1, "largest": 2}
    assert told["tree"] == {"*": [{"Norway": ["Bergen", "Oslo"], "Sweden": ["Lund"]}, None]}


def test_words_need_a_column(people: str) -> None:
    with pytest.raises(
        ParameterError, match="auto is built from the values of a column, and none is given; expected --table FILE"
    ):
        ran("show", "auto")
    with pytest.raises(ParameterError, match="only --table is given"):
        ran("show", "auto", "--table", people)
    with pytest.raises(ParameterError, match="only --column is given"):
        ran("show", "auto", "--column", "age")


def test_check_a_file_that_fits(people: str, towns: str) -> None:
    output = ran("check", towns, "--table", people, "--column", "town").output
    assert "covered: 3 of 3 values, 40 of 40 rows" in output
    assert "not in the column: 1 of 4 leaves" in output
    assert output.endswith("\nfits\n")


def test_check_counts_what_is_missing_and_never_names_it(people: str, tmp_path: Path) -> None:
    path = tmp_path / "towns.csv"
    path.write_text("Oslo;Norway;*\nParis;France;*\nNice;France;*\n", encoding="utf-8")
    output = ran("check", str(path), "--table", people, "--column", "town", code=1).output
    assert "FAIL every value is a leaf: 2 of 3 values, in 20 rows, are missing at level 0" in output
    assert output.endswith("does not fit\n")
    told = ran("check", str(path), "--table", people, "--column", "town", "--json", code=1).stdout
    found = json.loads(told)
    assert (found["passed"], found["covered_values"], found["covered_rows"]) == (False, 1, 20)
    assert found["unused_leaves"] == 2
    assert not any(name in output + told for name in ("Oslo", "Bergen", "Lund", "Paris", "France", "Norway"))


def test_check_says_which_level_is_not_nested(people: str, tmp_path: Path) -> None:
    path = tmp_path / "towns.csv"
    path.write_text("Oslo;x;1\nBergen;x;2\nLund;y;2\n", encoding="utf-8")
    output = ran("check", str(path), "--table", people, "--column", "town", code=1).output
    assert "level 2 splits 1 groups of level 1" in " ".join(output.split())
    with pytest.raises(ParameterError, match="a hierarchy file cannot be called"):
        ran("check", "auto", "--table", people, "--column", "town")
    with pytest.raises(HierarchyError, match="there is no file"):
        ran("check", str(tmp_path / "none.csv"), "--table", people, "--column", "town")


def test_export_keeps_every_leaf_of_a_file(people: str, towns: str, tmp_path: Path) -> None:
    tree, back = str(tmp_path / "towns.json"), str(tmp_path / "back.csv")
    ran("export", towns, "--table", people, "--column", "town", "-o", tree)
    assert json.loads(Path(tree).read_text(encoding="utf-8")) == {
        "*": {"Norway": ["Oslo", "Bergen"], "Sweden": ["Lund", "Malmö"]}
    }
    ran("export", tree, "-o", back)
    assert Path(back).read_text(encoding="utf-8") == TOWNS
    assert Taxonomy.from_csv(back) == Taxonomy.from_json(tree)


def test_export_refuses_a_file_of_another_column(people: str, towns: str, tmp_path: Path) -> None:
    with pytest.raises(HierarchyError, match="40 of 40 values at level 0"):
        ran("export", towns, "--table", people, "--column", "age", "-o", str(tmp_path / "h.csv"))
    assert not (tmp_path / "h.csv").exists()


def test_export_words(people: str, tmp_path: Path) -> None:
    path = tmp_path / "age.json"
    result = ran("export", "auto", "--table", people, "--column", "age", "-o", str(path))
    assert "auto chose intervals:width=5,10" in result.output
    assert list(json.loads(path.read_text(encoding="utf-8"))["*"]) == ["[20, 30)", "[30, 40)", "[40, 50)", "[50, 60)"]


# --- hierarchies of ARX ----------------------------------------------------------------------------------------------


def test_hierarchies_of_arx_become_lines_of_a_configuration(tmp_path: Path) -> None:
    for name in ("world_hierarchy_home town.csv", "age.csv"):
        (tmp_path / name).write_text(TOWNS, encoding="utf-8")
    files = [str(tmp_path / "world_hierarchy_home town.csv"), str(tmp_path / "age.csv")]
    section = tomllib.loads(ran("import-arx", *files).output)["hierarchies"]
    assert section == {"home town": files[0], "age": files[1]}
    assert json.loads(ran("import-arx", *files, "--json").output)["age"] == {"file": files[1], "leaves": 4}
    assert as_builder(section["age"]) == Taxonomy.from_csv(files[1])


def test_what_is_no_hierarchy_of_arx_is_refused(tmp_path: Path) -> None:
    with pytest.raises(HierarchyError, match="is an ARX project, and other files are given with it"):
        ran("import-arx", str(tmp_path / "study.deid"), str(tmp_path / "other.deid"))
    for name in ("a_hierarchy_age.csv", "b_hierarchy_age.csv"):
        (tmp_path / name).write_text(TOWNS, encoding="utf-8")
    with pytest.raises(HierarchyError, match="two files are for the column 'age'"):
        ran("import-arx", str(tmp_path / "a_hierarchy_age.csv"), str(tmp_path / "b_hierarchy_age.csv"))
