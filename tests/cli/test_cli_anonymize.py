from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from tests.cli.command import settle, shoal

import shoal as library
from shoal.cli import progress, show
from shoal.release.certificate import Measured
from shoal.tables.table import read

BASIC = ["anonymize", "census.csv", "--quasi", "age,gender", "--leave-out", "rest", "--require", "k=5"]
FULL = [
    "anonymize",
    "census.csv",
    "--quasi=age,gender,race",
    "--sensitive=income,occupation",
    "--leave-out=birthplace",
    "--other=rest",
    "--require=k=4 l(occupation)=2 t(income:ordered)=0.6",
    "--hierarchy=age=intervals:width=5,10,20",
    "--hierarchy=race=census_hierarchies/race.csv",
    "--recoding=generalize",
    "--method=mondrian",
    "--cost=ncp",
    "--attribute-weight=age=2",
    "--attribute-weight=race=0.5",
    "--max-dropped=0.01",
    "--time-limit=60",
    "--seed=3",
]
AS_FILE = """
[data]
file = "census.csv"

[roles]
quasi = ["age", "gender", "race"]
sensitive = ["income", "occupation"]
leave_out = ["birthplace"]
other = "rest"

[privacy]
require = "k=4 l(occupation)=2 t(income:ordered)=0.6"
max_dropped = 0.01

[hierarchies]
age = "intervals:width=5,10,20"
race = "census_hierarchies/race.csv"

[method]
name = "mondrian"
recoding = "generalize"
cost = "ncp"
time_limit = 60
seed = 3

[attribute_weights]
age = 2
race = 0.5

[output]
folder = "from-file"
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return settle(tmp_path, monkeypatch)


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_table_becomes_a_verified_release(home: Path) -> None:
    done = shoal(*BASIC, "-o", "out")
    assert (done.code, done.err) == (0, "")
    assert "k-anonymity" in done.out
    assert ": public/ is safe to share; keep internal/ private" in done.out
    assert "[bold]" not in done.out
    assert library.verify("out", original="census.csv").failures == []


def test_the_command_and_the_call_give_the_same_release(home: Path) -> None:
    assert shoal(*FULL, "-o", "out").code == 0
    called = library.anonymize(
        "census.csv",
        quasi=["age", "gender", "race"],
        sensitive=["income", "occupation"],
        leave_out=["birthplace"],
        other="rest",
        require="k=4 l(occupation)=2 t(income:ordered)=0.6",
        hierarchies={"age": "intervals:width=5,10,20", "race": "census_hierarchies/race.csv"},
        recoding="generalize",
        method="mondrian",
        cost="ncp",
        attribute_weights={"age": 2, "race": "0.5"},
        max_dropped="0.01",
        time_limit=60,
        seed=3,
    )
    assert files(home / "out" / "public") == files(called.save(home / "called") / "public")
    assert json.loads((home / "out" / "internal" / "config.json").read_text()) == called.config


def test_one_level_for_a_column_with_suppressed_rows(home: Path) -> None:
    asked = [*BASIC, "--hierarchy=age=intervals:width=5,10,20", "--recoding=full-domain", "--max-suppressed=0.1"]
    done = shoal(*asked, "-o", "out")
    assert (done.code, done.err) == (0, "")
    assert library.verify("out", original="census.csv").failures == []
    config = json.loads((home / "out" / "internal" / "config.json").read_text())
    assert (config["max_suppressed"], config["suppressed"]) == ("1/10", "checked")
    assert shoal(*asked, "--suppressed=maybe", "-o", "other").code == 2


# --json


def test_json_is_one_certificate_and_nothing_else(home: Path) -> None:
    done = shoal(*FULL, "-o", "out", "--json")
    found = json.loads(done.out)
    assert done.err == ""
    assert done.out == (home / "out" / "public" / "certificate.json").read_text()
    keys = ("status", "method", "guarantee", "classes", "rows", "dropped", "cost", "lower_bound", "gap", "models")
    assert set(keys) <= set(found)
    assert set(found["cost"]) == {"name", "value"}
    assert [set(model) for model in found["models"]] == [{"name", "attribute", "asked", "reached"}] * 3
    assert (found["rows"], found["dropped"], found["method"]) == (400, 0, "mondrian")


@pytest.mark.parametrize(
    ("table", "require", "bound", "gap"),
    [
        ("age\n1\n1\n2\n2\n", "k=2", 0.0, 1.0),
        ("age\n1\n2\n3\n4\n", "k=2", 4.0, 1.0),
    ],
)
def test_the_gap_is_1_where_nothing_can_be_better(
    home: Path, table: str, require: str, bound: float, gap: float
) -> None:
    (home / "small.csv").write_text(table)
    asked = ["anonymize", "small.csv", "--quasi=age", "--recoding=suppress", "--require", require]
    found = json.loads(shoal(*asked, "-o", "o", "--json").out)
    assert (found["lower_bound"], found["gap"], found["status"]) == (bound, gap, "optimal")


def test_the_gap_is_null_where_no_bound_is_known(home: Path) -> None:
    done = shoal(*BASIC, "--cost=kl-divergence", "--method=mondrian", "-o", "out", "--json")
    found = json.loads(done.out)
    assert (found["lower_bound"], found["gap"]) == (None, None)


# Options


def test_names_are_separated_by_commas_and_options_may_be_repeated(home: Path) -> None:
    frame = pl.DataFrame({"a,b": [1, 1, 2, 2], "home town": list("xxyy"), "c": [1, 2, 1, 2]})
    frame.write_csv(home / "odd.csv")
    done = shoal(
        "anonymize", "odd.csv", "--quasi", '"a,b", home town', "--quasi", "c", "--require=k=2", "-o", "out", "--json"
    )
    assert json.loads(done.out)["quasi"] == ["a,b", "home town", "c"]


@pytest.mark.parametrize("format", ["csv", "csv.gz", "parquet", "arrow"])
def test_the_format_is_the_one_asked_for(home: Path, format: str) -> None:
    assert shoal(*BASIC, "--format", format, "-o", "out").code == 0
    assert (home / "out" / "public" / f"table.{format}").is_file()


def test_stars_may_be_written_as_missing(home: Path) -> None:
    assert shoal(*BASIC, "--star=null", "-o", "out").code == 0
    table = read(home / "out" / "public" / "table.csv").frame
    assert table["age"].dtype == pl.Int64
    assert table["age"].null_count() > 0
    assert shoal("verify", "out", "--original", "census.csv").code == 0


def test_formulas_are_neutralised_on_request(home: Path) -> None:
    (home / "odd.csv").write_text("age,note\n-1,=1+1\n-1,-5\n", encoding="utf-8")
    odd = ["anonymize", "odd.csv", "--quasi=age", "--other=note", "--allow=note", "--require=k=2"]
    assert shoal(*odd, "-o", "plain").code == shoal(*odd, "--neutralise", "-o", "out").code == 0
    assert (home / "plain" / "public" / "table.csv").read_text() == "age,note\n-1,-5\n-1,=1+1\n"
    assert (home / "out" / "public" / "table.csv").read_text() == "age,note\n-1,'-5\n-1,'=1+1\n"
    assert shoal("verify", "out", "--original", "odd.csv").code == 0


def test_how_a_file_is_written_can_be_said(home: Path) -> None:
    (home / "odd.csv").write_bytes("höhe|x\n1,5|a\n1,5|b\n2,5|c\n2,5|d\n".encode("utf-16-le"))
    reading = ["--separator=|", "--encoding=utf-16-le", "--decimal=,"]
    done = shoal("anonymize", "odd.csv", "--quasi=höhe", "--other=x", "--require=k=2", "-o", "out", *reading)
    assert (done.code, done.err) == (0, "")
    assert read(home / "out" / "public" / "table.csv").frame["höhe"].to_list() == [1.5, 1.5, 2.5, 2.5]
    assert shoal("verify", "out", "--original", "odd.csv", *reading).code == 0


def test_an_existing_release_is_replaced_on_purpose_only(home: Path) -> None:
    assert shoal(*BASIC, "-o", "out").code == 0
    before = files(home / "out")
    refused = shoal(*BASIC, "-o", "out")
    assert (refused.code, files(home / "out")) == (2, before)
    assert "'out' exists already" in refused.err
    assert shoal(*BASIC, "-o", "out", "--overwrite", "--format=parquet").code == 0
    assert (home / "out" / "public" / "table.parquet").is_file()


# Errors: one line, an exit code, nothing written


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([*BASIC[:-1], "k=401", "-o", "out"], 3, "no release of this table meets k=401"),
        (
            [*BASIC, "--sensitive=income", "--require=l(income)=399", "-o", "out"],
            3,
            "'income' has too few different values",
        ),
        (["anonymize", "nobody.csv", *BASIC[2:], "-o", "out"], 2, "there is no file 'nobody.csv'"),
        (["anonymize", "-", *BASIC[2:], "-o", "out"], 2, "standard input only once; write it to a file first"),
        ([*BASIC, "-o", "-"], 2, "a release cannot be written to '-': it is a folder of files; name a folder"),
        ([*BASIC], 2, "-o DIR is not given"),
        (["anonymize", "census.csv"], 2, "-o DIR, --quasi, --require are not given"),
        (["anonymize", "my people.csv"], 2, "shoal start 'my people.csv' asks for them"),
        (["anonymize", "census.csv", "--quasi=age", "--require=k5", "-o", "out"], 2, "did you mean k=5?"),
        (["anonymize", *BASIC[2:], "-o", "out"], 2, "FILE is not given"),
        (["anonymize", "census.csv", "--require=k=5", "-o", "out"], 2, "--quasi is not given"),
        (["anonymize", "census.csv", "--quasi=", "--require=k=5", "-o", "out"], 2, "--quasi is not given"),
        (["anonymize", "census.csv", "--quasi=age", "-o", "out"], 2, "--require is not given"),
        ([*BASIC, "-o", "out", "--quasi=agee"], 2, "did you mean 'age'?"),
        ([*BASIC, "-o", "out", "--require=kk=5"], 2, "unknown model 'kk'"),
        ([*BASIC, "-o", "out", "--hierarchy=age"], 2, "--hierarchy 'age'; expected COLUMN=VALUE"),
        ([*BASIC, "-o", "out", "--hierarchy=age=nowhere.csv"], 2, "there is no file 'nowhere.csv'"),
        ([*BASIC, "-o", "out", "--attribute-weight=age"], 2, "--attribute-weight 'age'; expected COLUMN=VALUE"),
        ([*BASIC, "-o", "out", "--attribute-weight=age=heavy"], 2, "weight is 'heavy'"),
        ([*BASIC, "-o", "out", "--recoding=blur"], 2, "unknown recoding 'blur'"),
        ([*BASIC, "-o", "out", "--method=magic"], 2, "unknown method 'magic'"),
        ([*BASIC, "-o", "out", "--method=subset-dp"], 2, "try --method auto"),
        ([*BASIC, "-o", "out", "--cost=money"], 2, "unknown cost 'money'"),
        ([*BASIC, "-o", "out", "--max-dropped=2"], 2, "expected a number from 0 to 1"),
        ([*BASIC, "-o", "out", "--star=?"], 2, "expected '*' or 'null'"),
        ([*BASIC, "-o", "out", "--format=pdf"], 2, "unknown format 'pdf'"),
        ([*BASIC, "-o", "out", "--time-limit=-1"], 2, "time_limit is -1"),
        ([*BASIC, "-o", "out", "--seed=-1"], 2, "seed is -1"),
        ([*BASIC, "-o", "out", "--separator=;;"], 2, "the separator is ';;'"),
        ([*BASIC, "-o", "out", "--encoding=klingon"], 2, "unknown encoding 'klingon'"),
        ([*BASIC, "-o", "out", "--config=nowhere.toml"], 2, "there is no configuration 'nowhere.toml'"),
        ([*BASIC, "-o", "census.csv/out"], 2, "cannot write"),
    ],
    ids=lambda value: " ".join(value[-2:]) if isinstance(value, list) else None,
)
def test_a_refusal_is_one_line_and_leaves_nothing(home: Path, arguments: list[str], code: int, message: str) -> None:
    before = sorted(files(home))
    done = shoal(*arguments)
    assert (done.code, done.out) == (code, "")
    assert done.err.startswith("shoal: ")
    assert done.err.count("\n") == 1
    assert message in done.err
    assert sorted(files(home)) == before


@pytest.mark.parametrize("option", ["--colour=red", "--seed=many", "--time-limit=soon"])
def test_an_option_that_is_none_ends_with_2(home: Path, option: str) -> None:
    done = shoal(*BASIC, "-o", "out", option)
    assert (done.code, done.out) == (2, "")
    assert option.partition("=")[0] in done.err
    assert not (home / "out").exists()


# shoal.toml


def test_a_file_says_everything_the_command_line_can(home: Path) -> None:
    (home / "shoal.toml").write_text(AS_FILE)
    assert shoal(*FULL, "-o", "from-flags").code == 0
    assert shoal("anonymize", "--config", "shoal.toml").code == 0
    assert files(home / "from-file" / "public") == files(home / "from-flags" / "public")


def test_names_in_the_file_are_relative_to_it(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "shoal.toml").write_text(AS_FILE)
    (home / "elsewhere").mkdir()
    monkeypatch.chdir(home / "elsewhere")
    assert shoal("anonymize", "--config", "../shoal.toml").code == 0
    assert (home / "from-file" / "public").is_dir()
    assert list((home / "elsewhere").iterdir()) == []


def test_a_metric_in_the_file_is_relative_to_it(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "small.csv").write_text("age,pain\n1,low\n1,high\n2,low\n2,high\n")
    (home / "pains.csv").write_text("low,high\n0,1\n1,0\n")
    text = """
[data]
file = "small.csv"
[roles]
quasi = ["age"]
sensitive = ["pain"]
[privacy]
require = "t(pain:pains.csv)=0.5"
[output]
folder = "out"
"""
    (home / "shoal.toml").write_text(text)
    (home / "elsewhere").mkdir()
    monkeypatch.chdir(home / "elsewhere")
    done = shoal("anonymize", "--config", "../shoal.toml", "--json")
    assert json.loads(done.out)["require"] == "t(pain:pains.csv)=0.5"


def test_the_command_line_wins_over_the_file(home: Path) -> None:
    (home / "shoal.toml").write_text(AS_FILE)
    done = shoal("anonymize", "--config=shoal.toml", "--require=k=7", "--cost=height", "-o", "other", "--json")
    found = json.loads(done.out)
    assert (found["require"], found["cost"]["name"], found["recoding"]) == ("k=7", "height", "generalize")
    assert not (home / "from-file").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("[method]", "[methods]"), "unknown section [methods]; did you mean 'method'?"),
        (("quasi =", "quasis ="), "unknown key 'quasis' in [roles]; did you mean 'quasi'?"),
        (("age = 2", 'age = "heavy"'), "age in [attribute_weights] is 'heavy'"),
    ],
)
def test_a_misspelt_file_is_refused(home: Path, change: tuple[str, str], message: str) -> None:
    (home / "shoal.toml").write_text(AS_FILE.replace(*change))
    done = shoal("anonymize", "--config=shoal.toml")
    assert (done.code, done.out) == (2, "")
    assert message in done.err


# Progress


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show progress from the first moment on."""
    monkeypatch.setattr(progress, "PATIENCE", -1.0)


@pytest.mark.usefixtures("impatient")
def test_no_progress_is_shown_where_nobody_watches(home: Path) -> None:
    assert shoal(*BASIC, "-o", "out").err == ""


@pytest.mark.usefixtures("impatient")
def test_progress_goes_to_the_terminal_of_standard_error(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    done = shoal(*BASIC, "-o", "out", "--json", watched=True)
    assert json.loads(done.out)["rows"] == 400
    assert "publishing" in done.err or "auditing" in done.err


def test_the_summary_says_which_share_of_the_cells_changed_and_where_most_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(tmp_path, monkeypatch)
    done = shoal(*BASIC, "--recoding", "suppress", "--effort", "quick", "-o", "made")
    stated = json.loads((tmp_path / "made" / "public" / "certificate.json").read_text(encoding="utf-8"))
    assert stated["changed_share"] == sum(stated["changed_cells"].values()) / (2 * stated["rows"])
    assert stated["changed_share"] > 0
    assert f"{stated['changed_share']:.1%} of protected cells".replace("%", " %") in done.out
    most = max(stated["changed_cells"], key=lambda name: stated["changed_cells"][name])
    assert f"; most in {most}, " in done.out


@pytest.mark.parametrize(
    ("bound", "config", "said"),
    [
        (0.1, {"method": "auto", "effort": "normal"}, "--effort best could save at most 25.4 % of the cost"),
        (0.1, {"method": "auto", "effort": "best"}, ""),
        (0.1, {"method": "peel", "effort": "normal"}, ""),
        (None, {"method": "auto", "effort": "normal"}, ""),
        (0.134, {"method": "auto", "effort": "normal"}, ""),
    ],
)
def test_what_more_effort_could_save_follows_from_the_bound(
    capsys: pytest.CaptureFixture[str], bound: float | None, config: dict[str, str], said: str
) -> None:
    release = library.anonymize({"age": [20, 30, 40, 50]}, quasi=["age"], require="k=2")
    cost = Measured("ncp", 0.134)
    show.certificate(replace(release.certificate, status="feasible", cost=cost, lower_bound=bound), config)
    out = capsys.readouterr().out
    assert ("at most 34 % more than the best possible (lower bound 0.1)" in out) == (bound == 0.1)
    assert ("the best possible: no release of this kind costs less" in out) == (bound == 0.134)
    assert said in out
    assert bool(said) == ("--effort best" in out)


def test_the_summary_says_that_nothing_is_proved_where_no_bound_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(tmp_path, monkeypatch)
    done = shoal(*BASIC, "--recoding", "range", "--method", "mondrian", "-o", "made")
    stated = json.loads((tmp_path / "made" / "public" / "certificate.json").read_text(encoding="utf-8"))
    assert stated["excess_at_most"] is stated["saving_at_most"] is None
    assert "nothing about the best possible: no lower bound is known" in done.out
    assert "--effort" not in done.out
