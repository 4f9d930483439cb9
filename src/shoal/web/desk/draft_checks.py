"""Parts of a draft checked when they are decided, so that what is wrong is said where it was typed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from shoal.core.errors import ParameterError, Unsupported
from shoal.core.memory import MemoryLimit
from shoal.core.parameters import Number
from shoal.core.settings import settings_of
from shoal.hierarchies import Builder, Taxonomy, as_builder, spec_of
from shoal.hierarchies.level_range import LevelRange
from shoal.hierarchies.specs import FILES
from shoal.methods.coarsening import Wish
from shoal.microdata.histogram import household_of, person_of
from shoal.models import Model
from shoal.models.metric import Metric
from shoal.models.requirement import as_models
from shoal.recoding.masks.base import as_mask
from shoal.recoding.mixed import check_column_recodings
from shoal.republication.rerelease import series_asked
from shoal.request import Request
from shoal.risk.individual import weights_of
from shoal.tables.writers.base import suffix_of
from shoal.web.desk.draft import OPEN, Draft
from shoal.web.desk.draft_table import table
from shoal.web.desk.uploads import Uploads
from shoal.web.language import t

NUMBERS = {name: one.number for name, one in settings_of(Request).items() if one.number}
COUNTED = ("person", "household", "record_weight", "missing")
"""Parts that are checked against the cells of the table."""
WEIGHT = Number("weight", "how much the loss of a column counts", 0)
Allowed = Callable[[str | Path], Path]


def part(name: str, given: Any) -> Any:
    """Return a part of a draft as it is kept, or raise in words.

    >>> part("require", ["k=5 l(illness)=2"]), part("max_dropped", 0.05)
    (['k=5', 'l(illness)=2'], '0.05')
    """
    if name == "require":
        texts = [given] if isinstance(given, str) else given
        return list(dict.fromkeys(str(model) for text in texts for model in _models(text)))
    if name == "masks":
        return {column: as_mask(spec) and spec for column, spec in given.items()}
    if name in NUMBERS and given is not None:
        read = NUMBERS[name].read(given, name.replace("_", " "))
        return int(read) if NUMBERS[name].whole else float(read) if name == "time_limit" else str(given)
    if given is not None:
        READ.get(name, lambda _: None)(given)
    return given


def _weights(given: Mapping[str, object]) -> None:
    for name, weight in given.items():
        WEIGHT.read(weight, f"the weight of {name}")


def _levels(given: Mapping[str, object]) -> None:
    for name, levels in given.items():
        LevelRange.of(levels, name)


def _recodings(given: Mapping[str, str]) -> None:
    check_column_recodings(given, given)


READ: Mapping[str, Callable[[Any], object]] = {
    "coarsen": Wish.of,
    "format": suffix_of,
    "memory_limit": MemoryLimit.of,
    "attribute_weights": _weights,
    "levels": _levels,
    "column_recodings": _recodings,
}
"""What reads a part, and raises in words if it cannot be meant."""


def _models(text: str) -> Iterator[Model]:
    for model in as_models(text):
        if isinstance(getattr(model, "distance", None), Metric):
            raise ParameterError(f"{model} names a file", hint="metrics of your own are for the command line")
        yield model


def hierarchy(spec: Any, allowed: Allowed, uploads: Uploads) -> Any:
    """Return a hierarchy as it is kept, or raise in words: words, plain data, or a file; a tree becomes a file.

    The leaves of a tree are values of a column, and so cells: they stay among the uploads.
    """
    if isinstance(spec, Path) or (isinstance(spec, str) and spec.lower().endswith(FILES)):
        path = allowed(spec)
        as_builder(path)
        return str(path)
    builder = as_builder(spec)
    if isinstance(builder, Taxonomy):
        return str(uploads.tree(builder))
    return spec_of(spec) if isinstance(spec, Builder) else spec


def count(draft: Draft) -> None:
    """Raise in words unless every row of a draft's table says whom it is about, and how many people it stands for.

    Codes for missing values are taken out first; so they are checked too.
    """
    found = table(draft)
    if draft.person:
        person_of(found, draft.person)
    if draft.household is not None:
        household_of(found, draft.household)
    if draft.record_weight is not None:
        weights_of(found, draft.record_weight)


def missing(draft: Draft) -> list[tuple[str, str]]:
    """Return what is missing before a run: the step, and what to do there."""
    return [(step, said) for step, said in _missing(draft) if said]


def _missing(draft: Draft) -> Iterator[tuple[str, str]]:
    yield "data", "" if draft.file else t("choose a table")
    yield "roles", "" if draft.named("quasi") else t("choose at least one column that an attacker may know")
    for name in draft.named(OPEN):
        yield "roles", t("decide on the role of {name!r}", name=name)
    for said in counting_problems(draft):
        yield "roles", said
    yield "privacy", "" if draft.require else t("choose a privacy model, such as k=5")
    sensitive = draft.named("sensitive")
    for model in as_models(" ".join(draft.require)) if draft.require else ():
        for name in (*model.attributes, *model.given):
            said = t("{model} reads {name!r}: make that column sensitive", model=model, name=name)
            yield "privacy", "" if name in sensitive else said
        if model.needs_population and draft.population is None:
            yield "privacy", t("{model} needs a table of the population", model=model)
        if model.needs_households and draft.household is None:
            yield "roles", t("{model} counts households: say which column numbers them", model=model)
    if draft.follows and draft.require:
        yield "privacy", series_problem(draft)


def counting_problems(draft: Draft) -> list[str]:
    """Return what to do about people who would be published as they are, and weights that are rounded and left out."""
    shown = [*draft.named("sensitive"), *draft.named("other")]
    people = [
        t("do not publish {name!r} as it is: it identifies the person of a row", name=name)
        for name in draft.person
        if name in shown
    ]
    if draft.household in shown:
        people.append(t("do not publish {name!r} as it is: it identifies the household of a row", name=draft.household))
    people += [
        t("do not mask {name!r}, or make it sensitive or published as is", name=name)
        for name in draft.masks
        if name not in shown
    ]
    if draft.pseudonym in draft.roles:
        people.append(
            t(
                "choose another name for the column of person numbers: the table already has a column {name!r}",
                name=draft.pseudonym,
            )
        )
    if draft.weight_rounding is None or draft.record_weight in draft.named("other"):
        return people
    said = t("publish {name!r} as is, or do not round it: record weights are not published", name=draft.record_weight)
    return [*people, said]


def series_problem(draft: Draft) -> str:
    """Return why a series of releases cannot be asked for what a draft asks for; empty where it can."""
    try:
        series_asked(draft.request(), draft.named("sensitive"))
    except Unsupported as error:
        return str(error)
    return ""
