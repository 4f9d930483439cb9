"""`shoal lattice`: a row a node; and `shoal anonymize --level`, which applies one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.command import settle, shoal

ROLES = ("--quasi=age,gender", "--sensitive=occupation", "--require=k=5", "--hierarchy=age=intervals:width=10,20")
ASKED = ("lattice", "census.csv", *ROLES, "--max-suppressed=0.1")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return settle(tmp_path, monkeypatch)


def test_a_row_a_node_and_a_node_applied(home: Path) -> None:
    before = sorted(home.rglob("*"))
    done = shoal(*ASKED)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[1].startswith("8 nodes, 8 evaluated, ")
    assert sorted(home.rglob("*")) == before
    content = json.loads(shoal(*ASKED, "--json").out)
    best = content["best"]
    cost = next(node["cost"] for node in content["nodes"] if node["levels"] == best)
    flags = [f"--level={name}={level}" for name, level in best.items()]
    assert " ".join(flag.replace("=", " ", 1) for flag in flags) in done.out
    made = shoal(
        "anonymize", "census.csv", *ROLES, "--max-suppressed=0.1", "--leave-out=rest", "--recoding=full-domain", *flags,
        "-o", "release",
    )  # fmt: skip
    assert made.code == 0
    certificate = json.loads((home / "release/public/certificate.json").read_text(encoding="utf-8"))
    assert certificate["cost"]["value"] == pytest.approx(cost)
    assert shoal("verify", "release", "--original", "census.csv").code == 0


def test_fewer_nodes_are_listed_and_evaluated(home: Path) -> None:
    assert len(json.loads(shoal(*ASKED, "--top=2", "--json").out)["nodes"]) == 2
    done = shoal(*ASKED, "--nodes=3")
    assert "3 of 8 nodes were evaluated" in done.out
    assert [line.split()[2] for line in shoal(*ASKED, "--top=2").out.splitlines()[3:5]] == [
        f"{node['cost']:,.6g}" for node in json.loads(shoal(*ASKED, "--json").out)["nodes"][:2]
    ]
    assert all(node["released"] for node in json.loads(shoal(*ASKED, "--released", "--json").out)["nodes"])


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (["--level=age=0", "--level=gender=0", "--max-suppressed=0"], 3),
        (["--level=age"], 2),
        (["--level=age=7"], 2),
        (["--top=0"], 2),
        (["--plot=x.bmp"], 2),
    ],
)
def test_exit_codes(home: Path, more: list[str], code: int) -> None:
    assert shoal(*ASKED, *more).code == code


def test_levels_of_a_configuration(home: Path) -> None:
    lines = '[data]\nfile = "census.csv"\n[roles]\nquasi = ["age", "gender"]\n[privacy]\nrequire = "k=5"\n'
    (home / "shoal.toml").write_text(f'{lines}[levels]\nage = "1.."\ngender = 0\n', encoding="utf-8")
    content = json.loads(shoal("lattice", "--config=shoal.toml", "--json").out)
    assert content["levels"]["age"][0] == 1
    assert content["levels"]["gender"] == [0, 0]
    (home / "shoal.toml").write_text(f"{lines}[levels]\nage = 1.5\n", encoding="utf-8")
    assert shoal("lattice", "--config=shoal.toml").code == 2
