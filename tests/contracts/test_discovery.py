"""What every discovered thing declares: enough to be named, described and listed."""

import dataclasses
import importlib
import inspect
from pathlib import Path
from types import ModuleType
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategies import QUASI
from tests.thorough import examples

import shoal.attacks
import shoal.bounds
import shoal.costs
import shoal.hierarchies
import shoal.methods
import shoal.models
import shoal.patterns.program
import shoal.recoding.masks
import shoal.studies.hardness
import shoal.tables.readers
import shoal.tables.writers
from shoal.attacks.base import Attack
from shoal.bounds.base import Bound
from shoal.core.discovery import discover
from shoal.core.errors import HierarchyError, ParameterError, PluginWarning
from shoal.costs import Cost
from shoal.hierarchies import Builder, as_builder, spec_of
from shoal.methods.base import Method
from shoal.models import Model
from shoal.recoding.masks.base import Mask
from shoal.studies.hardness.base import Reduction
from shoal.studies.reference import TABLES, markdown
from shoal.tables.encoded_column import distinct_sorted
from shoal.tables.readers.base import Reader
from shoal.tables.star_marks import cell_text
from shoal.tables.writers.base import Writer

PACKAGES: list[tuple[ModuleType, type[Any], str]] = [
    (shoal.models, Model, "meaning"),
    (shoal.costs, Cost, "meaning"),
    (shoal.bounds, Bound, "meaning"),
    (shoal.methods, Method, "paper"),
    (shoal.hierarchies, Builder, "meaning"),
    (shoal.recoding.masks, Mask, "meaning"),
    (shoal.studies.hardness, Reduction, "paper"),
    (shoal.attacks, Attack, "meaning"),
    (shoal.tables.readers, Reader, "title"),
    (shoal.tables.writers, Writer, "title"),
]
THINGS = [
    pytest.param(thing, said, id=f"{package.__name__.split('.')[-1]}-{name}")
    for package, kind, said in PACKAGES
    for name, thing in discover(package, kind).items()
]
EXAMPLES = {"intervals": "intervals:width=5", "taxonomy": {"few": ["1", "2"], "many": ["4", "9"]}}
"""Builders that mean nothing without parameters."""


@pytest.mark.parametrize(("thing", "said"), THINGS)
def test_it_says_what_it_is(thing: type[Any], said: str) -> None:
    assert thing.name == thing.name.strip().lower()
    assert getattr(thing, said).strip()
    assert (inspect.getdoc(thing) or "").strip()
    assert not inspect.isabstract(thing)


@pytest.mark.parametrize("package", [package for package, _, _ in PACKAGES], ids=lambda package: package.__name__)
def test_no_file_holds_nothing(package: ModuleType) -> None:
    kind = next(kind for one, kind, _ in PACKAGES if one is package)
    assert discover(package, kind)


COST = """
from shoal.costs import Cost

class Found(Cost):
    name = "{name}"

    def of(self, published):
        return 0.0
"""


def test_a_package_is_walked_with_its_families_and_without_compiled_loops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"own.py": "own", "family/inner.py": "inner", "family/deep/deeper.py": "deeper"}
    for path in (tmp_path / "kinds", tmp_path / "kinds" / "family", tmp_path / "kinds" / "family" / "deep"):
        path.mkdir()
        (path / "__init__.py").write_text('PLUGINS = "shoal.kinds_of_a_test"\n')
        (path / "own_kernel.py").write_text("raise AssertionError\n")
    for file, name in files.items():
        (tmp_path / "kinds" / file).write_text(COST.format(name=name))
    monkeypatch.syspath_prepend(tmp_path)
    assert list(discover(importlib.import_module("kinds"), Cost)) == ["inner", "own"]


def test_a_broken_plugin_is_left_out_with_a_warning_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "good.py").write_text(COST.format(name="good"))
    (tmp_path / "broken.py").write_text("import a_module_that_is_not_installed\n")
    about = tmp_path / "theirs-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[shoal.a_group_of_a_test]\ngood = good:Found\nbad = broken:Cost\n")
    (tmp_path / "plugged").mkdir()
    (tmp_path / "plugged" / "__init__.py").write_text('PLUGINS = "shoal.a_group_of_a_test"\n')
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.warns(
        PluginWarning, match="plugin 'bad' of theirs cannot be loaded and is left out: ModuleNotFoundError"
    ):
        assert list(discover(importlib.import_module("plugged"), Cost)) == ["good"]


def test_the_groups_of_entry_points_are_those_that_plugins_state() -> None:
    groups = [
        "attacks",
        "bounds",
        "costs",
        "hardness",
        "hierarchies",
        "masks",
        "methods",
        "models",
        "readers",
        "writers",
    ]
    assert sorted(package.PLUGINS for package, _, _ in PACKAGES) == [f"shoal.{name}" for name in groups]


@pytest.mark.parametrize("table", TABLES)
def test_the_documentation_lists_everything(table: str) -> None:
    package = next(one for one, _, _ in PACKAGES if one.__name__.endswith(f".{table}"))
    kind = next(kind for one, kind, _ in PACKAGES if one is package)
    text = markdown(TABLES[table]())
    assert all(f"| {name}" in text for name in discover(package, kind))


def test_the_pattern_program_is_cited_by_its_authors() -> None:
    known = discover(shoal.methods, Method)
    title = "Chakaravarthy, Pandit, Sabharwal: On the complexity of the k-anonymization problem"
    assert all(title in known[name].paper for name in ("optimal", "cube"))
    assert "Chakaravarthy" in (inspect.getdoc(shoal.patterns.program) or "")


MEASURED = {name: kind for name, kind in discover(shoal.models, Model).items() if not kind.needs_guards}
"""The models that need no second column for every person."""


@pytest.mark.parametrize("kind", MEASURED.values(), ids=MEASURED)
def test_a_model_at_its_most_lenient_can_be_made(kind: type[Model]) -> None:
    assert len(kind.least_asked) == len(kind.parameters)
    assert kind.lenient("illness" if kind.reads_attribute else None).name == kind.name
    assert dataclasses.is_dataclass(kind)


BUILDERS = discover(shoal.hierarchies, Builder)
every_builder = pytest.mark.parametrize("name", BUILDERS)


def example(name: str) -> Builder:
    return as_builder(EXAMPLES.get(name, name))


@every_builder
def test_a_builder_reads_back_from_its_own_words(name: str) -> None:
    assert as_builder(spec_of(example(name))) == example(name)
    assert hash(example(name)) == hash(as_builder(spec_of(example(name))))


@every_builder
def test_a_builder_refuses_a_parameter_it_does_not_have(name: str) -> None:
    with pytest.raises(ParameterError):
        as_builder({"builder": name, "no such parameter": 1})


@every_builder
@settings(max_examples=examples(40))
@given(kind=st.sampled_from(list(QUASI.values())), data=st.data())
def test_a_hierarchy_covers_its_column_level_by_level_or_is_refused(name: str, kind: Any, data: st.DataObject) -> None:
    cells = data.draw(st.lists(st.sampled_from([*kind.pool, None]), min_size=1, max_size=6))
    values = distinct_sorted(pl.Series("column", cells, dtype=kind.dtype))
    try:
        hierarchy = example(name).build(values)
    except HierarchyError:
        return
    assert hierarchy.labels[0] == tuple(cell_text(values).to_list())
    assert hierarchy.labels[-1] == ("*",)
    assert hierarchy.up.shape == (hierarchy.height + 1, len(values))
    for below, above in zip(hierarchy.up[:-1], hierarchy.up[1:], strict=True):
        assert len(set(zip(below.tolist(), above.tolist(), strict=True))) == len(set(below.tolist()))
    for finer, coarser in zip(hierarchy.ncp[:-1], hierarchy.ncp[1:], strict=True):
        assert 0 <= finer.min() <= finer.max() <= coarser.max() <= 1
