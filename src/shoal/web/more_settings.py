"""Settings that few need, by step: each is a field with a line that helps, and is checked when it is typed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.core.errors import ParameterError
from shoal.tables.writers.base import formats
from shoal.web.desk import Draft
from shoal.web.language import t
from shoal.web.page import Page
from shoal.web.parts import chosen, part, written

STARS = {"*": t("as stars: *"), "null": t("as missing values")}
SECRETS = {"": t("published as they are"), "yes": t("left out (missing)")}
METHOD = ("max_suppressed", "suppress_sensitive", "coarsen", "column_recodings", "levels", "attribute_weights")
"""The settings of the step that chooses a method."""
FORMULAS = {"": t("as they are"), "yes": t("with an apostrophe in front, so that no spreadsheet runs them")}


def method_settings(page: Page) -> None:
    """Offer what else can be said of how the search is done."""
    draft = page.draft
    with part("details", open=_said(draft, *METHOD)):
        part("summary", t("More settings"), data_key="more-method")
        with part("div", class_="fields"):
            _field(
                page,
                "max_suppressed",
                t("Rows that may be all stars"),
                str(draft.max_suppressed or ""),
                t("A share, such as 0.05; with full-domain recoding. Empty: none."),
                empty=0,
            )
            hide = lambda name: page.change(suppress_sensitive=bool(name))  # noqa: E731
            hidden = "yes" if draft.suppress_sensitive else ""
            chosen(t("Sensitive values of rows of stars"), SECRETS, hidden, hide, key="suppress_sensitive")
            _field(
                page,
                "coarsen",
                t("Generalize columns beforehand"),
                _levels(draft.coarsen),
                t("auto, hipaa, or columns and levels, separated by commas: age=2. Empty: none."),
            )
            written(
                t("How single columns become coarser"),
                pairs_text(draft.column_recodings),
                lambda said: page.decide(lambda _: {"column_recodings": read_pairs(said)}),
                key="column_recodings",
                help=t(
                    "age=range, town=generalize, sex=suppress, income=centroid; the others as chosen above."
                    " Empty: all alike."
                ),
            )
            written(
                t("Levels that columns may be published at"),
                pairs_text(draft.levels),
                lambda said: page.decide(lambda _: {"levels": read_pairs(said)}),
                key="levels",
                help=t("age=2, or the least and the most: age=1..3, town=..1; with full-domain recoding. Empty: any."),
            )
            written(
                t("Weight of each column"),
                pairs_text(draft.attribute_weights),
                lambda said: page.decide(lambda _: {"attribute_weights": read_pairs(said)}),
                key="attribute_weights",
                help=t("age=2, town=0.5; 1 for all other columns."),
            )


def run_settings(page: Page) -> None:
    """Offer what else can be said of a run, and how the release is written."""
    draft = page.draft
    with part("details", open=_said(draft, "seed", "memory_limit", "format", "star", "neutralise")):
        part("summary", t("More settings: seed, memory, format, stars, formulas"), data_key="more-run")
        with part("div", class_="fields"):
            listed = {"": t("same as the table")} | {name: name for name in formats()}
            take = lambda name: page.change(format=name or None)  # noqa: E731
            chosen(t("Format of the release"), listed, draft.format or "", take, key="format")
            star = lambda name: page.change(star=name)  # noqa: E731
            chosen(t("Suppressed cells are written"), STARS, draft.star, star, key="star")
            escape = lambda name: page.change(neutralise=bool(name))  # noqa: E731
            now = "yes" if draft.neutralise else ""
            chosen(t("Texts that look like formulas are written"), FORMULAS, now, escape, key="neutralise")
            _field(page, "seed", t("Random seed"), str(draft.seed), t("The same seed makes the same release."), empty=0)
            _field(
                page,
                "memory_limit",
                t("Memory limit"),
                str(draft.memory_limit or ""),
                t("Such as 2GiB. Empty: no limit."),
            )


def choose_population(page: Page) -> None:
    """Offer the table of the population, which some models compare with."""
    if page.desk.root is None:
        return
    value = "" if page.draft.population is None else str(page.draft.population)
    root = str(page.desk.root)
    _field(
        page,
        "population",
        t("Table of the population"),
        value.removeprefix(f"{root}/"),
        t(
            "A file inside {root} with the same columns, for kmap, presence and models of a journalist. Empty: none.",
            root=root,
        ),
        placeholder="population.csv",
    )


def _said(draft: Draft, *names: str) -> bool:
    """Whether any of some settings was decided."""
    nothing = Draft()
    return any(getattr(draft, name) != getattr(nothing, name) for name in names)


def _field(page: Page, name: str, label: str, value: str, help: str, *, empty: object = None, **more: Any) -> None:
    """Show a setting as text; an empty one is left to shoal."""
    heard = lambda said: page.change(**{name: said.strip() or empty})  # noqa: E731
    written(label, value, heard, key=name, help=help, **more)


def _levels(coarsen: object) -> str:
    return pairs_text(coarsen) if isinstance(coarsen, Mapping) else str(coarsen or "")


def pairs_text(pairs: Mapping[str, Any]) -> str:
    """Return numbers or words by column as they are typed.

    >>> pairs_text({"age": 2, "my town": "0.5"})
    'age=2, my town=0.5'
    """
    return ", ".join(f"{name}={number}" for name, number in pairs.items())


def read_pairs(said: str) -> dict[str, str]:
    """Return numbers or words by column from what was typed, or raise in words.

    >>> read_pairs("age=2, my town=0.5"), read_pairs(" ")
    ({'age': '2', 'my town': '0.5'}, {})
    """
    found = {}
    for one in filter(str.strip, said.split(",")):
        name, equals, number = one.rpartition("=")
        if not equals or not name.strip():
            raise ParameterError(
                f"{one.strip()!r} names no column", expected="a column, = and its value, with commas between"
            )
        found[name.strip()] = number.strip()
    return found
