"""The desk's folder: private, never half-written, nothing outside it read, no cell of a table in it but uploads."""

import gzip
import io
import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from shoal.core.errors import HierarchyError, ParameterError, ShoalError, TableError
from shoal.web.desk import Desk, History, atomic_files, uploads

CSV = b"age,town,ill\n30,Aaborough,flu\n31,Bbborough,gout\n32,Aaborough,flu\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "people.csv").write_bytes(CSV)
    (tmp_path / "secret.csv").write_bytes(CSV)
    return tmp_path / "root"


def made(root: Path, **more: int) -> Desk:
    return Desk(root.parent / "desk", root=root, **more)


def test_what_was_decided_is_there_after_a_crash(root: Path) -> None:
    first = made(root)
    first.open("people.csv")
    first.change(roles={"age": "quasi"}, require="k=2  l(ill)=2")
    first.change(seed=7)
    first.undo()
    os.close(first._held or 0)  # killed: nothing is closed, the system frees the lock
    again = made(root)
    assert again.draft == first.draft
    assert again.draft.require == ("k=2", "l(ill)=2")
    assert again.redo().seed == 7
    again.close()


def test_folders_are_private(root: Path) -> None:
    one = made(root)
    one.upload("people.csv", CSV)
    folders = [one.folder, *(path for path in one.folder.rglob("*") if path.is_dir())]
    assert {stat.S_IMODE(path.stat().st_mode) for path in folders} == {0o700}
    one.close()


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    atomic_files.put_json(tmp_path / "a.json", {"old": 1})
    with pytest.raises(ValueError, match="JSON compliant"):
        atomic_files.put_json(tmp_path / "a.json", {"new": float("nan")})
    assert atomic_files.get_json(tmp_path / "a.json") == {"old": 1}
    with pytest.raises(ShoalError, match="cannot write"):
        atomic_files.put_json(tmp_path / "none" / "a.json", {})
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]
    (tmp_path / "b.json").write_text("{")
    with pytest.raises(ShoalError, match="cannot be read"):
        atomic_files.get_json(tmp_path / "b.json")


def test_one_desk_for_one_folder(root: Path) -> None:
    one = made(root)
    with pytest.raises(ShoalError, match="another shoal is using"):
        made(root)
    one.close()
    one.close()
    made(root).close()


def test_paths_outside_the_folder_are_refused(root: Path) -> None:
    (root / "link.csv").symlink_to(root.parent / "secret.csv")
    one = made(root)
    for path in ("../secret.csv", root.parent / "secret.csv", "link.csv", "/etc/passwd"):
        with pytest.raises(ParameterError, match="outside the folder"):
            one.open(path)
        with pytest.raises(ParameterError, match="outside the folder"):
            one.change(population=path)
    with pytest.raises(ParameterError, match="outside the folder"):
        one.change(hierarchies={"age": str(root.parent / "secret.csv")})
    with pytest.raises(TableError, match=r"no file 'none\.csv'"):
        one.open("none.csv")
    assert one.draft.file is None
    one.close()


def test_uploads_are_limited_and_gone_in_the_end(root: Path) -> None:
    one = made(root, upload_limit=100)
    with pytest.raises(TableError, match="larger than"):
        one.upload("people.csv", io.BytesIO(CSV * 10))
    with pytest.raises(TableError):
        one.upload("people.csv", b"")
    with pytest.raises(TableError, match="no plain name"):
        one.upload("..", CSV)
    assert list(one.uploads.folder.iterdir()) == []
    draft = one.upload("../../evil/people.csv", io.BytesIO(CSV))
    assert draft.name == "people.csv"
    assert one.uploads.holds(str(draft.file))
    assert one.portable(draft).file == "people.csv"
    assert list(draft.roles) == ["age", "town", "ill"]
    one.close()
    assert not Path(str(draft.file)).exists()


def test_a_packed_upload_is_limited_by_what_it_unpacks_to(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = made(root)
    monkeypatch.setattr(uploads, "SLACK", 1 << 20)
    with pytest.raises(TableError, match="unpacks to more than 1 megabyte"):
        one.upload("people.csv.gz", gzip.compress(b"a,b\n" + b"1,2\n" * (1 << 20)))
    with pytest.raises(TableError):
        one.upload("broken.csv.gz", gzip.compress(CSV)[:-9])
    one.give_up()
    assert list(one.uploads.folder.iterdir()) == []
    assert list(one.upload("people.csv.gz", gzip.compress(CSV)).roles) == ["age", "town", "ill"]
    one.close()


def test_a_long_name_is_cut_to_what_a_file_may_have(root: Path) -> None:
    one = made(root)
    name = one.upload("€" * 150 + ".csv", CSV).name
    assert (name.endswith("€€.csv"), len(name.encode()) <= 200, set(name[:-4])) == (True, True, {"€"})
    one.close()


def test_another_table_begins_anew(root: Path) -> None:
    one = made(root)
    one.open("people.csv")
    one.change(require=["k=2"])
    assert one.upload("other.csv", CSV).require == ()
    assert one.undo().require == ("k=2",)
    one.close()


def test_a_tree_of_values_stays_among_the_uploads(root: Path) -> None:
    one = made(root)
    one.open("people.csv")
    tree = {"North": ["Aaborough"], "South": ["Bbborough"]}
    draft = one.change(roles={"town": "quasi"}, hierarchies={"town": tree, "age": "intervals:width=5"})
    assert one.change(hierarchies={"town": tree, "age": "intervals:width=5"}) == draft
    assert len(one.history.drafts) == 3
    assert "borough" not in (one.folder / "desk.json").read_text()
    portable = one.portable(draft)
    assert portable.hierarchies == {"town": "hierarchies/town.json", "age": "intervals:width=5"}
    assert "borough" not in portable.toml() + portable.python()
    wrong: list[dict[str, list[str]]] = [{"x": ["Aaborough"], "y": ["Aaborough"]}, {"x": []}]
    for spec in wrong:
        with pytest.raises(HierarchyError):
            one.change(hierarchies={"town": spec})
    one.close()


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"require": ["k=0"]}, "at least 1"),
        ({"require": ["entropyl(ill)=2"]}, "did you mean 'entropy-l'"),
        ({"max_dropped": 2}, "from 0 to 1"),
        ({"time_limit": -1}, "from 0 to"),
        ({"time_limit": "1e400"}, "from 0 to"),
        ({"hierarchies": {"age": "interval:width=5"}}, "did you mean 'intervals'"),
        ({"colour": "red"}, "no part 'colour'"),
    ],
)
def test_a_wrong_part_is_refused_and_changes_nothing(root: Path, parts: dict[str, object], said: str) -> None:
    one = made(root)
    before = one.draft
    with pytest.raises(ShoalError, match=said):
        one.change(seed=5, **parts)
    assert one.draft == before
    one.close()


def test_what_is_missing_is_said_step_by_step(root: Path) -> None:
    one = made(root)
    assert [step for step, _ in one.ready()] == ["data", "roles", "privacy"]
    with pytest.raises(ParameterError, match="choose a table"):
        one.start()
    one.open("people.csv")
    one.change(roles={**one.draft.roles, "age": "quasi"}, require=["k=2"])
    assert one.ready() == [("roles", "decide on the role of 'town'"), ("roles", "decide on the role of 'ill'")]
    with pytest.raises(ParameterError, match="decide on the role"):
        one.start()
    one.change(roles={"age": "quasi", "town": "other", "ill": "other"}, require=["l(ill)=2", "kmap=3"])
    assert [said for _, said in one.ready()] == [
        "l(ill)=2 reads 'ill': make that column sensitive",
        "kmap=3 needs a table of the population",
    ]
    one.change(roles={"age": "quasi", "ill": "sensitive"}, require=["l(ill)=2"])
    assert one.ready() == []
    one.close()


def test_two_tabs_at_once_lose_nothing(root: Path) -> None:
    one = made(root)
    with ThreadPoolExecutor(8) as tabs:
        list(tabs.map(lambda seed: one.change(seed=seed), range(1, 41)))
        list(tabs.map(lambda _: one.undo(), range(10)))
    kept = json.loads((one.folder / "desk.json").read_text())
    assert History.from_dict(kept["history"]) == one.history
    assert (len(one.history.drafts), one.history.at) == (41, 30)
    assert {draft.seed for draft in one.history.drafts} == set(range(41))
    one.close()


def test_decisions_that_depend_on_the_draft_lose_nothing(root: Path) -> None:
    one = made(root)
    one.open("people.csv")
    names = [f"k={size}" for size in range(2, 26)]
    with ThreadPoolExecutor(8) as tabs:
        list(tabs.map(lambda name: one.decide(lambda draft: {"require": [*draft.require, name]}), names))
    assert set(one.draft.require) == set(names)
    one.close()
