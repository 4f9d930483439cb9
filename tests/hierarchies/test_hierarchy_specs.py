import json
from datetime import date, datetime
from pathlib import Path

import pytest

from shoal.core.errors import ParameterError
from shoal.hierarchies import Automatic, Builder, Dates, Intervals, Prefixes, StarsOnly, Taxonomy, as_builder, spec_of

BUILDERS: list[tuple[object, Builder]] = [
    ("stars", StarsOnly()),
    ("auto", Automatic()),
    ("dates", Dates()),
    ("dates:month,year", Dates(("month", "year"))),
    ("dates:levels=month,year", Dates(("month", "year"))),
    ("prefixes", Prefixes()),
    ("prefixes:lengths=3,2", Prefixes((3, 2))),
    ("prefixes: 3, 2", Prefixes((3, 2))),
    ("intervals:width=5,10,20", Intervals(width=(5, 10, 20))),
    ("intervals:width=1/3,origin=0.5", Intervals(width="1/3", origin="0.5")),
    ("intervals:width=7,origin=2024-01-01T06:00", Intervals(width=7, origin=datetime(2024, 1, 1, 6))),
    ("intervals:bins=16,4", Intervals(bins=(16, 4))),
    ("intervals:edges=0,18,65", Intervals(edges=(0, 18, 65))),
    ("intervals:edges=0,10,20,30/0,20", Intervals(edges=((0, 10, 20, 30), (0, 20)))),
    ("intervals:edges=2000-01-01", Intervals(edges=(date(2000, 1, 1),))),
    ({"builder": "intervals", "width": 5}, Intervals(width=5)),
    ({"builder": "intervals", "edges": [[0, 1.5], [0]]}, Intervals(edges=((0, 1.5), (0,)))),
    ({"builder": "stars"}, StarsOnly()),
    (
        {"Nordic": ["Sweden"], "Iberia": ["Spain", None]},
        Taxonomy.from_tree({"Nordic": ["Sweden"], "Iberia": ["Spain", None]}),
    ),
    (
        {"builder": {"mason": ["stone"], "roofer": ["slate"]}},
        Taxonomy([("stone", "mason"), ("slate", "roofer")]),
    ),
    (Prefixes((2,)), Prefixes((2,))),
]


@pytest.mark.parametrize(("spec", "builder"), BUILDERS)
def test_a_spec_is_read_and_written_back(spec: object, builder: Builder) -> None:
    assert as_builder(spec) == builder
    assert as_builder(json.loads(json.dumps(spec_of(builder)))) == builder
    assert hash(as_builder(spec)) == hash(builder)


def test_files(tmp_path: Path) -> None:
    expected = Taxonomy([("a", "x"), ("b", "y")])
    for name, text in [("h.csv", "a;x\nb;y"), ("H.CSV", "a;x\nb;y"), ("h.json", '{"x": "a", "y": "b"}')]:
        (tmp_path / name).write_text(text)
        assert as_builder(tmp_path / name) == as_builder(str(tmp_path / name)) == expected


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("interval:width=5", "unknown hierarchy builder 'interval'; did you mean 'intervals'"),
        ({"builder": "date"}, "did you mean 'dates'"),
        ("intervals:widht=5", "intervals has no parameter 'widht'; did you mean 'width'"),
        ({"builder": "prefixes", "length": 3}, "did you mean 'lengths'"),
        ("stars:3", "stars was given '3'; expected no parameters"),
        ("intervals", "none or several of edges, width and bins"),
        (5, "a hierarchy is given as a int"),
        (None, "a hierarchy is given as a NoneType"),
    ],
)
def test_refused_specs(spec: object, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        as_builder(spec)
