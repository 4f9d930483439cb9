"""The certificate by itself: what follows from its figures, what it says in words, and what cannot be read."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import shoal
from shoal.core.errors import ReleaseError
from shoal.microdata.prices import Prices
from shoal.release.certificate import (
    CHECKED,
    CHECKED_OF_PEOPLE,
    CHECKED_OF_TWO,
    FORMATS,
    VOUCHED,
    VOUCHED_OF_HOUSEHOLDS,
    VOUCHED_OF_MASKS,
    VOUCHED_OF_PEOPLE,
    VOUCHED_OF_TWO,
    Certificate,
    Measured,
    canonical,
    certify,
    gap,
    seal,
)


def certificate(**more: Any) -> Certificate:
    """A release of six rows."""
    known: dict[str, Any] = {
        "status": "feasible",
        "method": "mondrian",
        "guarantee": None,
        "classes": 2,
        "rows": 6,
        "dropped": 1,
        "cost": Measured("stars", 3),
        "lower_bound": 2.0,
        "models": ({"name": "k", "attribute": None, "asked": 3.0, "reached": 4.0},),
        "recoding": "suppress",
        "quasi": ("a", "b"),
        "sensitive": ("s",),
        "require": "k=3",
        "unprotected": (),
    }
    return Certificate(**(known | more))


# --- figures ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cost", "bound", "figures"),
    [
        (3, 2.0, (1.5, 0.5, 1 / 3)),
        (3, 3.0, (1.0, 0.0, 0.0)),
        (3, None, (None, None, None)),
        (3, 0.0, (None, None, None)),
        (0.5, 0.0, (None, None, None)),
        (0, 0.0, (1.0, 0.0, 0.0)),
        (2, 4.0, (0.5, 0.0, 0.0)),
    ],
)
def test_how_far_a_release_may_be_from_the_best(
    cost: float, bound: float | None, figures: tuple[float | None, ...]
) -> None:
    found = certificate(cost=Measured("stars", cost), lower_bound=bound)
    assert (found.gap, found.excess_at_most, found.saving_at_most) == figures
    assert gap(cost, bound) == figures[0]
    assert (found.cost.value, found.cost.name) == (cost, "stars")


@pytest.mark.parametrize(
    ("changed", "rows", "share"),
    [({"a": 3, "b": 1}, 6, 1 / 3), ({"a": 0, "b": 0}, 6, 0), (None, 6, None), ({}, 0, None)],
)
def test_the_share_of_changed_cells(changed: dict[str, int] | None, rows: int, share: float | None) -> None:
    assert certificate(changed_cells=changed, rows=rows).changed_share == share


def test_figures_are_written_with_their_thousands() -> None:
    found = certificate(classes=1234, dropped=5678, starred=9012, cost=Measured("stars", 3456), lower_bound=2880.0)
    assert found.figures == {
        "classes": "1,234",
        "dropped": "5,678",
        "all stars": "9,012",
        "cost": "3,456 (stars)",
        "lower bound": "2,880",
        "gap": "1.2",
        "method": "mondrian, recoding suppress, feasible",
    }
    assert repr(found) == "<Certificate: k=3, feasible, 6 rows, stars 3,456, gap 1.2>"
    unknown = certificate(lower_bound=None)
    assert [unknown.figures[name] for name in ("lower bound", "gap", "all stars")] == ["unknown", "unknown", "0"]
    assert repr(unknown).endswith("gap unknown>")


# --- words -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"protects": False}, "k=3 is met by every table: public/ is not protected, do not share it"),
        ({"starred": 6}, "every row is all stars"),
        ({"starred": 5, "unprotected": ("w",)}, "public/ is safe to share if its unprotected columns identify nobody"),
        ({"starred": 5}, "public/ is safe to share; keep internal/ private"),
        ({"unprotected": None}, "public/ is safe to share; keep internal/ private"),
    ],
)
def test_whether_the_public_part_may_be_shared(more: dict[str, Any], words: str) -> None:
    assert certificate(**more).sharing.startswith(words)


def test_what_is_exposed_is_said_first() -> None:
    assert certificate().exposed == []
    found = certificate(
        unprotected=("w", "v", "m"),
        rounded={"w": 1000},
        masks={"m": {"mask": "top", "limit": 40}, "s": {"mask": "pram"}},
        insisted={"id": "looks like a number of people"},
        pseudonym="who",
        certain={"s": 1, "t": 2},
        warnings=("one more",),
    )
    assert found.exposed == [
        "published unprotected, as they are: v",
        "published unprotected, as multiples of 1,000: w",
        "published masked, by top (limit 40): m",
        "published masked, by pram: s",
        "'id' was allowed by name: looks like a number of people",
        "'who' links the rows of a person: models hold for people with the same set of cells",
        "'s' is sensitive and no model protects it: its value is certain for 1 row",
        "'t' is sensitive and no model protects it: its value is certain for 2 rows",
        "one more",
    ]


@pytest.mark.parametrize(
    ("more", "checked", "vouched"),
    [
        ({}, CHECKED, VOUCHED),
        ({"recoding": "anatomy"}, CHECKED_OF_TWO, VOUCHED_OF_TWO),
        ({"people": 4}, CHECKED_OF_PEOPLE, VOUCHED_OF_PEOPLE),
        ({"households": 4}, CHECKED, (*VOUCHED, *VOUCHED_OF_HOUSEHOLDS)),
        ({"masks": {"s": {"mask": "pram"}}}, CHECKED, (*VOUCHED, *VOUCHED_OF_MASKS)),
    ],
)
def test_what_is_checked_and_what_the_owner_vouches_for(
    more: dict[str, Any], checked: tuple[str, ...], vouched: tuple[str, ...]
) -> None:
    content = certificate(**more).content()
    assert tuple(content["checked_by_machine"]) == checked
    assert tuple(content["vouched_for_by_the_owner"]) == vouched


def test_a_notebook_shows_levels_and_figures() -> None:
    models = ({"name": "k", "attribute": None, "asked": 3.0, "reached": 4.0},)
    models += ({"name": "l", "attribute": "s", "asked": 2.0, "reached": 2.5},)  # type: ignore[assignment]
    shown = certificate(models=models, warnings=("one more",))._repr_html_()
    for words in ("Certificate</strong>: 6 rows, k=3", "<p>one more</p>", "<td>s</td>", "2.5", "feasible"):
        assert words in shown
    assert "None" not in shown
    assert '<td class="n">2</td><td class="n">2.5</td>' in shown


def test_there_is_one_way_to_write_json() -> None:
    assert canonical({"é": [1]}) == '{\n  "é": [\n    1\n  ]\n}\n'
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical(float("nan"))


@dataclass
class Found:
    """What a method and an audit say."""

    status: str = "optimal"
    method: str = "cube"
    guarantee: str | None = None
    dropped: int = 1
    cost: float = 3.0
    lower_bound: float | None = 3.0
    prices: Prices | None = None
    promised: dict[str, float] = field(default_factory=lambda: {"k": 2.0})
    chosen: tuple[str, ...] = ("tried",)


@pytest.mark.parametrize(("prices", "form"), [(None, 1), ([3, 0], 1), ([3, -1], 2)])
@pytest.mark.parametrize("person", [None, "who"])
def test_a_certificate_states_what_a_method_and_an_audit_found(
    prices: list[int] | None, form: int, person: str | None
) -> None:
    table = {"a": [1, 1, 2, 2], "who": [1, 2, 3, 3], "ill": ["x", "x", "x", "y"]}
    found = shoal.audit(table, quasi=["a"], sensitive=["ill"], require="k=1", person=person or ())
    kept = None if prices is None else Prices(np.array(prices), 2, 1.5, remarks=("a price",))
    stated = certify(
        Found(prices=kept), found, cost_name="stars", recoding="suppress", quasi=("a",), sensitive=("ill",),
        require="k=1", remarks=("a limit",), orders={"ill": "a list"}, unprotected=("w",),
    )  # fmt: skip
    assert (stated.format, stated.people) == ((3, 3) if person else (form, None))
    assert (stated.classes, stated.rows, stated.dropped, stated.starred) == (2, 4, 1, 0)
    assert (stated.proved, stated.remarks) == (
        (None, ("a limit",)) if prices is None else (1.5, ("a limit", "a price"))
    )
    assert (dict(stated.a_priori), stated.chosen, dict(stated.orders)) == ({"k": 2.0}, ("tried",), {"ill": "a list"})
    assert (stated.certain, stated.unprotected, stated.gap) == (found.certain, ("w",), 1.0)
    assert [one["reached"] for one in stated.models] == [1.0 if person else 2.0]


# --- reading ---------------------------------------------------------------------------------------------------------

WHOLE: dict[str, Any] = {
    "changed_cells": {"a": 3, "b": 1},
    "chosen": ("tried two",),
    "remarks": ("a limit",),
    "a_priori": {"k": 2.0},
    "orders": {"s": "a list"},
    "insisted": {"id": "a reason"},
    "starred": 0,
    "certain": {"s": 1},
    "warnings": ("one more",),
    "people": 4,
    "pseudonym": "who",
    "households": 3,
    "rounded": {"w": 10},
    "masks": {"m": {"mask": "top", "limit": 40}},
    "format": 3,
    "hashes": {"table": "0"},
    "proved": 1.5,
    "guarantee": "a theorem",
    "unprotected": ("w",),
}


@pytest.mark.parametrize("more", [{}, WHOLE, {"unprotected": None}, {"lower_bound": None}])
def test_a_certificate_reads_back_as_it_was_written(more: dict[str, Any]) -> None:
    found = certificate(**more)
    assert Certificate.from_json(found.to_json()) == found
    assert Certificate.from_json(found.to_json()).to_json() == found.to_json()


def resealed(**claims: Any) -> str:
    content = {name: one for name, one in (json.loads(certificate().to_json()) | claims).items() if name != "seal"}
    content = {name: one for name, one in content.items() if one != "gone"}
    return canonical({**content, "seal": seal(content)})


def test_what_older_certificates_do_not_state_is_not_asked_for() -> None:
    names = ("changed_share", "gap", "excess_at_most", "saving_at_most", "trusted_base", "unprotected", "a_priori")
    older = Certificate.from_json(resealed(**dict.fromkeys(names, "gone")))
    assert older.gap == 1.5
    assert older.unprotected is None
    assert dict(older.a_priori) == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (certificate().to_json().replace('"rows": 6', '"rows": 7'), "the certificate's seal is broken"),
        (certificate().to_json() + "\n", "the certificate's seal is broken"),
        (resealed(format=max(FORMATS) + 1), f"the certificate has format {max(FORMATS) + 1}"),
        (resealed(cost="gone"), "the certificate cannot be read"),
        (resealed(lower_bound="2"), "the certificate cannot be read"),
        ("[]", "the certificate cannot be read"),
        ("{", "the certificate cannot be read"),
        (resealed(gap=1.0), "contradicts itself: gap"),
        (resealed(gap=None), "contradicts itself: gap"),
        (resealed(excess_at_most=0.4, saving_at_most=0.3), "contradicts itself: excess_at_most, saving_at_most"),
        (resealed(changed_share=0.1), "contradicts itself: changed_share"),
        (resealed(lower_bound=3.1, gap=3 / 3.1, excess_at_most=0.0, saving_at_most=0.0), "itself: lower_bound"),
    ],
)
def test_what_cannot_be_relied_on_is_not_read(text: str, words: str) -> None:
    with pytest.raises(ReleaseError) as found:
        Certificate.from_json(text)
    assert words in str(found.value)


def test_a_lower_bound_may_exceed_the_cost_by_rounding() -> None:
    for cost, bound in ((3, 3 * (1 + 1e-7)), (0, 1e-7), (3e9, 3e9 + 100)):
        stated = certificate(cost=Measured("stars", cost), lower_bound=bound)
        assert Certificate.from_json(stated.to_json()) == stated
    for cost, bound in ((3, 3 * (1 + 1e-5)), (0, 1e-5), (-3, -2)):
        with pytest.raises(ReleaseError, match="contradicts itself: lower_bound"):
            Certificate.from_json(certificate(cost=Measured("stars", cost), lower_bound=bound).to_json())
