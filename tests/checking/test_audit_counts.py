"""What an audit counts, compared with the same counts in plain Python, on random small tables."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import polars as pl
import pytest
from tests.thorough import many

from shoal.checking.audit import Audit, Finding, as_dict, audit, audit_counted
from shoal.core.errors import ParameterError, RoleError, Unsupported
from shoal.hierarchies import Taxonomy
from shoal.models.requirement import as_models
from shoal.tables.encoded_column import Coded
from shoal.tables.table import Table

QUASI, SECRET = ["age", "town"], ["illness", "job"]
K, VALUES = 2, 2
REQUIRE = f"k={K} distinct-l(illness)={VALUES}"
FOUR = {
    "age": ["20-29", "20-29", "*", "30-39"],
    "illness": ["flu", "gout", "Fußpilz", "flu"],
    "who": ["a", "b", "c", "c"],
}


def random_table(random: Random) -> pl.DataFrame:
    """A few rows of two quasi-identifiers, two sensitive columns, a person and a household."""
    rows = random.randint(1, 9)
    cells: Mapping[str, Sequence[str | None]] = {
        "age": ["20-29", "*", None],
        "town": ["Oslo", "*", None],
        "illness": ["flu", "gout", None],
        "job": ["cook", "nurse"],
        "person": list("abcd"),
        "home": list("xyz"),
    }
    drawn = {name: [random.choice(some) for _ in range(rows)] for name, some in cells.items()}
    return pl.DataFrame(drawn, schema=dict.fromkeys(cells, pl.String))


def parts_of(table: pl.DataFrame, quasi: Sequence[str]) -> list[list[int]]:
    """The rows with the same cells, class by class."""
    found: dict[Any, list[int]] = defaultdict(list)
    for row, cells in enumerate(table.select(quasi).rows()):
        found[cells].append(row)
    return list(found.values())


def whom(table: pl.DataFrame, person: str | None) -> list[Any]:
    """Whom each row is about."""
    return list(range(table.height)) if person is None else table[person].to_list()


def values_of(table: pl.DataFrame, rows: list[int], column: str) -> set[Any]:
    """The sensitive values of a class."""
    return {table[column][row] for row in rows}


def shared_by_all(table: pl.DataFrame, rows: list[int], column: str, people: list[Any]) -> bool:
    """Whether everybody of a class has one value in common."""
    holders: dict[Any, set[Any]] = defaultdict(set)
    for row in rows:
        holders[table[column][row]].add(people[row])
    return max(map(len, holders.values())) == len({people[row] for row in rows})


def check_shape(found: Audit, table: pl.DataFrame, person: str | None) -> None:
    """The numbers of rows, people and classes."""
    people, classes = whom(table, person), parts_of(table, QUASI)
    sizes = [len({people[row] for row in rows}) for rows in classes]
    assert (found.rows, found.classes) == (table.height, len(classes))
    assert (found.smallest_class, found.largest_class) == (min(sizes), max(sizes))
    assert found.unique_rows == sum(len(rows) for rows, size in zip(classes, sizes, strict=True) if size == 1)
    assert found.people == (None if person is None else len(set(people)))
    hidden = [all(cell in ("*", None) for cell in cells) for cells in table.select(QUASI).rows()]
    assert found.starred_rows == sum(hidden)


def finding_of(finding: Finding) -> tuple[Any, ...]:
    """The counts of a finding."""
    return (
        *(finding.holds, finding.failing_classes, finding.failing_rows),
        *(finding.reached, finding.worst_classes, finding.worst_rows),
    )


def counts_of(levels: Sequence[int], classes: Sequence[list[int]], least: int) -> tuple[Any, ...]:
    """What a finding says of classes at these levels, of which the least must be so high."""
    failing = [rows for level, rows in zip(levels, classes, strict=True) if level < least]
    worst = [rows for level, rows in zip(levels, classes, strict=True) if level == min(levels)]
    return (not failing, len(failing), sum(map(len, failing)), min(levels), len(worst), sum(map(len, worst)))


@pytest.mark.parametrize("person", [None, "person"])
def test_an_audit_counts_what_plain_python_counts(person: str | None) -> None:
    random = Random(1)
    for _ in range(many(40)):
        table = random_table(random)
        people, classes = whom(table, person), parts_of(table, QUASI)
        found = audit(table, quasi=QUASI, sensitive=SECRET, require=f"k={K}", person=person or ())
        check_shape(found, table, person)
        sizes = [len({people[row] for row in rows}) for rows in classes]
        assert finding_of(found.findings[0]) == counts_of(sizes, classes, K)
        failing = [row for rows, size in zip(classes, sizes, strict=True) if size < K for row in rows]
        assert found.violations.tolist() == sorted(failing)
        assert found.certain == {
            name: sum(len(rows) for rows in classes if shared_by_all(table, rows, name, people)) for name in SECRET
        }


def test_what_is_sensitive_is_counted_in_every_class() -> None:
    random = Random(2)
    for _ in range(many(40)):
        table = random_table(random)
        classes = parts_of(table, QUASI)
        found = audit(table, quasi=QUASI, sensitive=SECRET, require=REQUIRE)
        levels = [len(values_of(table, rows, "illness")) for rows in classes]
        assert finding_of(found.findings[1]) == counts_of(levels, classes, VALUES)
        failing = [
            row for rows, level in zip(classes, levels, strict=True) if level < VALUES or len(rows) < K for row in rows
        ]
        assert found.violations.tolist() == sorted(failing)
        assert list(found.certain) == ["job"]


def test_rows_that_show_no_sensitive_value_are_decided_by_other_models_alone() -> None:
    """The rows of stars show no sensitive value if none of them does, and then the others are looked at alone."""
    random, seen = Random(3), Counter[bool]()
    for _ in range(many(80)):
        table = random_table(random)
        star = (table["age"] == "*").fill_null(False) & (table["town"] == "*").fill_null(False)
        if random.random() < 0.8:
            table = table.with_columns(pl.when(star).then(None).otherwise(pl.col(name)).alias(name) for name in SECRET)
        withheld = star & table["illness"].is_null() & table["job"].is_null()
        hidden = set(withheld.arg_true().to_list()) if bool((star == withheld).all()) else set[int]()
        if len(hidden) == table.height:
            hidden = set()  # there is nothing else to look at
        found = audit(table, quasi=QUASI, sensitive=SECRET, require=REQUIRE, withheld=True)
        check_shape(found, table, None)
        classes = parts_of(table, QUASI)
        assert finding_of(found.findings[0]) == counts_of(list(map(len, classes)), classes, K)
        shown = [[row for row in rows if row not in hidden] for rows in classes]
        shown = [rows for rows in shown if rows]
        levels = [len(values_of(table, rows, "illness")) for rows in shown]
        assert finding_of(found.findings[1]) == counts_of(levels, shown, VALUES)
        failing = {row for rows in classes if len(rows) < K for row in rows}
        failing |= {row for rows, level in zip(shown, levels, strict=True) if level < VALUES for row in rows}
        assert found.violations.tolist() == sorted(failing)
        everybody = whom(table, None)
        assert found.certain == {
            "job": sum(len(rows) for rows in shown if shared_by_all(table, rows, "job", everybody))
        }
        seen[bool(hidden)] += 1
    assert min(seen[True], seen[False]) > 5


def test_households_are_counted_in_the_table_and_in_every_class() -> None:
    random = Random(4)
    for _ in range(many(20)):
        table = random_table(random)
        found = audit(table, quasi=QUASI, require="k-households=2", household="home")
        homes = [len({table["home"][row] for row in rows}) for rows in parts_of(table, QUASI)]
        assert found.households == table["home"].n_unique()
        assert finding_of(found.findings[0]) == counts_of(homes, parts_of(table, QUASI), 2)


def test_people_whose_rows_are_linked_share_the_set_of_their_classes() -> None:
    random = Random(5)
    for _ in range(many(40)):
        table = random_table(random)
        people, classes = whom(table, "person"), parts_of(table, QUASI)
        sets: dict[Any, set[Any]] = defaultdict(set)
        for one in dict.fromkeys(people):
            sets[tuple(place for place, rows in enumerate(classes) if one in {people[row] for row in rows})].add(one)
        fewest = min(map(len, (*({people[row] for row in rows} for rows in classes), *sets.values())))
        linked = audit(table, quasi=QUASI, require="k=2", person="person", linked=True)
        check_shape(linked, table, "person")
        assert linked.findings[0].reached == fewest
        assert linked.holds is (fewest >= K)


def test_two_tables_are_read_as_the_classes_that_their_groups_are() -> None:
    random = Random(6)
    for _ in range(many(30)):
        table = random_table(random).with_columns(group=pl.col("home"))
        counted = table.group_by("group", *SECRET).len("many").sort(pl.all())
        found = audit(
            table.select("age", "town", "group"),
            quasi=QUASI,
            sensitive=SECRET,
            require=f"distinct-l(illness)={VALUES}",
            sensitive_table=counted,
            count="many",
        )
        groups = parts_of(table, ["group"])
        levels = [len(values_of(table, rows, "illness")) for rows in groups]
        assert (found.rows, found.classes) == (table.height, len(groups))
        assert finding_of(found.findings[0]) == counts_of(levels, groups, VALUES)
        failing = [row for rows, level in zip(groups, levels, strict=True) if level < VALUES for row in rows]
        assert found.violations.tolist() == sorted(failing)
        stars = [all(cell in ("*", None) for cell in cells) for cells in table.select(QUASI).rows()]
        assert found.starred_rows == sum(stars)


def test_distinct_rows_with_their_counts_are_audited_as_all_rows() -> None:
    random = Random(7)
    for _ in range(many(20)):
        table = random_table(random)
        whole = audit(table, quasi=QUASI, sensitive=SECRET, require=REQUIRE)
        distinct = table.select(*QUASI, *SECRET).group_by(pl.all()).len("many").sort(pl.all())
        quasi, secret = ([Coded.of(distinct[name]) for name in some] for some in (QUASI, SECRET))
        found = audit_counted(
            quasi, secret, distinct["many"].cast(pl.Int64).to_numpy(), models=as_models(REQUIRE), builders={}
        )
        assert found == whole
        assert found.risk is not None
        assert whole.risk is not None
        assert found.risk.prosecutor == whole.risk.prosecutor


# --- how cells are read ---


def test_if_all_rows_show_no_sensitive_value_that_is_a_value() -> None:
    table = pl.DataFrame(
        {"age": ["*", "*"], "illness": [None, None]}, schema=dict.fromkeys(("age", "illness"), pl.String)
    )
    found = audit(table, quasi="age", sensitive="illness", require="distinct-l(illness)=2", withheld=True)
    assert (found.violations.tolist(), found.findings[0].reached) == ([0, 1], 1)


@pytest.mark.parametrize(
    ("given", "classes", "illnesses"),
    [
        ({}, 4, 3),
        ({"unify": "town"}, 3, 3),
        ({"unify": ["town", "illness"]}, 3, 2),
        ({"missing": {"town": ["?"]}}, 3, 3),
        ({"missing": {"illness": ["flu "]}}, 4, 3),
        ({"unify": ["town", "illness"], "missing": {"town": ["?"], "illness": ["gout"]}}, 2, 2),
    ],
)
@pytest.mark.parametrize("tables", [1, 2])
def test_spellings_and_codes_are_read_as_asked(tables: int, given: Any, classes: int, illnesses: int) -> None:
    """Of two tables, in the one that has the column."""
    town, illness = ["Oslo", "oslo", "?", None], ["flu", "flu ", "gout", "flu"]
    whole = audit({"town": town, "illness": illness}, quasi="town", sensitive="illness", require="k=1", **given)
    assert whole.classes == classes
    people: dict[str, Any] = {"town": town, "group": [1] * 4}
    counted = {"group": [1] * 4, "illness": illness, "count": [1] * 4}
    one = {"illness": illness, "town": ["Oslo"] * 4}
    found = (
        audit(
            people, quasi="town", sensitive="illness", sensitive_table=counted, require="distinct-l(illness)=1", **given
        )
        if tables == 2
        else audit(one, quasi="town", sensitive="illness", require="distinct-l(illness)=1", **given)
    )
    assert found.findings[0].reached == illnesses


def test_people_of_a_population_are_found_however_their_numbers_are_spelt() -> None:
    shown = {"age": ["20.0", "20.0", "x"], "town": ["Oslo", "Oslo", "Rome"]}
    people = {"age": ["20.0", "20", "2e1", "x"], "town": ["Oslo", "Oslo", "Oslo", "Rome"]}
    assert audit(shown, quasi=["age", "town"], require="kmap=1", population=people).findings[0].worst_rows == 1
    assert audit(shown, quasi="age", require="kmap=3", population=people).findings[0].failing_rows == 1


@pytest.mark.parametrize("star", ["\\*", "+"])
def test_a_hierarchy_of_a_sensitive_column_has_its_values_as_they_were(star: str) -> None:
    """A value `*` is published with a backslash."""
    tree = Taxonomy([("*" if star != "+" else "+", "lung"), ("flu", "lung"), ("gout", "joint")])
    table = {"age": [1, 1, 2, 2], "illness": [star, "flu", "gout", star]}
    found = audit(
        table, quasi="age", sensitive="illness", require="t(illness:hierarchy)=1", hierarchies={"illness": tree}
    )
    assert found.findings[0].reached == 0.25


def test_models_of_cells_are_decided_by_the_cells() -> None:
    """Of four rows that a star covers, one in four has athlete's foot, and everybody whose age is a star."""
    found = audit(FOUR, quasi="age", sensitive="illness", require="nt(illness:equal)=(4,0.5)")
    assert (found.findings[0].reached, found.findings[0].failing_rows) == ([4, 0.75], 1)


def test_notes_are_those_of_the_tables_that_were_read() -> None:
    town, illness = ["Oslo", "oslo"], ["flu", "Flu"]
    people, counted = {"town": town, "group": [1, 1]}, {"group": [1, 1], "illness": illness, "count": [1, 1]}
    two = audit(people, quasi="town", sensitive="illness", sensitive_table=counted, require="l(illness)=1")
    assert ["'town'" in note for note in two.notes] == [True, False]
    assert ["'illness'" in note for note in two.notes] == [False, True]
    guessed = Table(pl.DataFrame({"town": ["Oslo", "Oslo"]}), ("column 'town' was read as text",))
    assert audit(guessed, quasi="town").notes == ()


# --- what an audit refuses and shows ---


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"person": "who", "withheld": True}, Unsupported, "show no sensitive value; leave person or withheld out"),
        ({"linked": True}, ParameterError, "nothing says whose they are; name the columns in person"),
        ({"order": {"age": ["20-29", "30-39", "*"]}}, RoleError, "an order is given for 'age'"),
        ({"unify": "aeg"}, RoleError, "no column 'aeg'; did you mean 'age'"),
        ({"missing": {"ilness": ["?"]}}, RoleError, "no column 'ilness'; did you mean 'illness'"),
    ],
)
def test_what_an_audit_cannot_count_is_refused(given: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        audit(FOUR, quasi="age", sensitive="illness", require="k=2", **given)


def cells_of(html: str) -> list[list[str]]:
    """The texts of the cells of a table, row by row; those of numbers begin with `n:`."""
    rows = re.findall(r"<tr>(.*?)</tr>", html)
    cells = [re.findall(r'<t[hd]( class="n")?[^>]*?(?: class="n")?>(.*?)</t[hd]>', row) for row in rows]
    return [[("n:" if number else "") + re.sub("<svg.*", "", text) for number, text in row] for row in cells]


def bars_of(html: str) -> list[str]:
    """How long the bars are."""
    return re.findall(r'aria-label="(.*?)"', html)


def test_a_notebook_shows_what_was_asked_and_how_many_rows_fail() -> None:
    asked = audit(FOUR, quasi="age", sensitive="illness", require="k=2 l(illness)=1")
    html = asked._repr_html_()
    assert "Audit</strong>: 4 rows in 3 classes of 1 to 2 rows; 2 unique rows</p>" in html
    assert cells_of(html)[1:] == [
        ["k=2", "", "n:1", "fails", "n:2", ""],
        ["l(illness)=1", "illness", "n:1", "met", "n:0", ""],
    ]
    assert bars_of(html) == ["50.0%", "0.0%"]
    assert "no verdict" not in html
    by_people = audit(FOUR, quasi="age", sensitive="illness", require="k=2", person="who")._repr_html_()
    assert "classes of 1 to 2 people; 2 unique rows" in by_people


def test_a_notebook_shows_how_many_rows_are_at_the_level_reached() -> None:
    html = audit(FOUR, quasi="age", sensitive="illness")._repr_html_()
    shown = cells_of(html)
    assert shown[0] == ["model", "column", "reached", "rows at that level"]
    assert shown[1] == ["k-anonymity", "", "n:1", ""]
    assert bars_of(html)[0] == "50.0%"
    assert "Nothing was required, so there is no verdict" in html


def test_an_audit_as_json_is_indented_and_keeps_its_letters() -> None:
    table = {"Größe": ["1", "1"]}
    found = audit(table, quasi="Größe", sensitive=[], require="k=2", unify="Größe")
    assert found.to_json().startswith('{\n  "rows": 2,')
    named = audit({"a": [1, 1], "Größe": [1, 2]}, quasi="a", sensitive="Größe", require="l(Größe)=2")
    assert '"attribute": "Größe"' in named.to_json()
    assert json.loads(named.to_json())["risk"]["rows"] == 2


def test_a_certificate_states_a_finding_without_its_counts() -> None:
    finding = Finding("k=2", "k", None, 2.0, 1.0, False, 1, 2, 3, 4, {})
    assert as_dict(finding) == {"name": "k", "attribute": None, "asked": 2.0, "reached": 1.0}


@pytest.mark.parametrize(
    ("wild", "seen"), [("star", {"smallest": 2, "unique_rows": 0}), ("missing", {"smallest": 1, "unique_rows": 2})]
)
def test_a_wild_cell_is_counted_as_asked(wild: str, seen: dict[str, int]) -> None:
    assert audit(FOUR, quasi="age", require="k=2", wildcard=wild).wildcard == seen


def test_the_risk_and_the_warnings_are_looked_for_when_they_are_asked_for() -> None:
    bare = Audit(1, 1, 1, 1, 1, 0, ())
    assert (bare.risk, bare.warnings) == (None, ())
    found = replace(audit(FOUR, quasi="age", require="k=2"), warned=lambda: ("a warning <b>",))
    assert found.warnings == ("a warning <b>",)
    assert "Warning</strong>: a warning &lt;b&gt;</p>" in found._repr_html_()
    assert found.risk is not None
    assert found.risk.rows == 4
