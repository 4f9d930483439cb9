"""Hierarchy files made by other people, against the columns they were made for."""

from pathlib import Path

import pytest

from shoal.hierarchies import Automatic, Taxonomy
from shoal.table import read

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
TABLES = {
    "adult": "adult_30162.csv.gz",
    "cmc": "cmc.csv.gz",
    "creditcard_int": "creditcard_int.csv.gz",
    "mgm": "mgm.csv.gz",
}

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the public data sets are not beside the repository")


def files_of(folder: str) -> dict[str, Path]:
    """Hierarchy files by the column they are for."""
    found = sorted((DATA / folder / "hierarchies").glob("*_hierarchy_*.csv*"))
    return {path.name.split("_hierarchy_")[1].split(".csv")[0]: path for path in found}


@pytest.mark.parametrize(("folder", "files"), [("adult", 9), ("cmc", 3), ("creditcard_int", 24), ("mgm", 5)])
def test_every_hierarchy_file_fits_its_column(folder: str, files: int) -> None:
    frame = read(DATA / folder / TABLES[folder]).frame
    paths = files_of(folder)
    assert len(paths) == files
    for name, path in paths.items():
        taxonomy = Taxonomy.from_csv(path)
        values = frame[name].unique().sort(nulls_last=True)
        hierarchy = taxonomy.build(values)
        assert hierarchy.up.shape == (len(taxonomy.rows[0]) + 1, len(values))
        assert hierarchy.leaves[-1].tolist() == [len(taxonomy.rows) + min(values.null_count(), 1)]


def test_the_levels_of_adult_are_those_of_its_files() -> None:
    heights = {name: len(Taxonomy.from_csv(path).rows[0]) for name, path in files_of("adult").items()}
    assert heights == {
        "age": 4,
        "education": 3,
        "marital-status": 2,
        "native-country": 2,
        "occupation": 2,
        "race": 1,
        "salary-class": 1,
        "sex": 1,
        "workclass": 2,
    }


def test_the_hierarchies_of_adult_fit_the_table_with_missing_values() -> None:
    frame = read(DATA / "adult" / "adult_48842.csv.gz").frame
    for name in ("age", "workclass", "education", "occupation", "native-country"):
        values = frame[name].unique().sort(nulls_last=True)
        hierarchy = Taxonomy.from_csv(files_of("adult")[name]).build(values)
        assert (None in hierarchy.labels[1]) == (values.null_count() > 0)


@pytest.mark.parametrize(
    "path", sorted((DATA / "peer_outputs" / "anjana" / "hierarchies").glob("*.csv")), ids=lambda p: p.stem
)
def test_comma_separated_hierarchies(path: Path) -> None:
    assert len(Taxonomy.from_csv(path).rows) > 1


@pytest.mark.parametrize("folder", sorted(TABLES))
def test_every_column_gets_a_hierarchy_of_its_own(folder: str) -> None:
    for column in read(DATA / folder / TABLES[folder]).frame.iter_columns():
        assert Automatic().build(column.unique().sort(nulls_last=True)).height >= 1
