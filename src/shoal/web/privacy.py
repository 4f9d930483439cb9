"""The step Privacy: what every crowd must meet, from a preset or model by model, each with a slider and in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from shoal.core.errors import ShoalError
from shoal.models.presets import PRESETS
from shoal.web.desk import Desk, Draft, queries
from shoal.web.desk.queries import Field, Fit, Form
from shoal.web.earlier import EarlierView, choose_earlier, look_earlier
from shoal.web.events import hear
from shoal.web.language import known, listed, percent, t, upper_first
from shoal.web.more_settings import choose_population
from shoal.web.page import Page, Picks, Step
from shoal.web.parts import button, chosen, heading, lacking, message, part, slider, text, written

CROWD = t("Published rows that look alike form a crowd: nobody can tell whose row is which.")
PLAIN = {"classes": "crowds", "class": "crowd", "sensitive": "secret"}
TRYING = t("shoal is estimating what each would cost …")
TRIED = t("Estimated with a quick method, averaged over the columns that may be known: a run usually loses less.")
TOP = 50
"""Where the slider of a number without an end ends."""


@dataclass(frozen=True)
class Asked:
    """One requirement as the page shows it: its text, its form, its numbers and columns, and what it means."""

    text: str
    form: Form
    numbers: tuple[str, ...]
    columns: tuple[str, ...]
    option: str | None
    plain: bool
    """Whether the form can write it; what is given besides (`a|b`) it cannot."""
    meaning: str

    @classmethod
    def of(cls, said: str) -> Asked:
        """Read a requirement."""
        filled = queries.filled(said)
        form = next(one for one in queries.models() if one.name == filled.name)
        rest = (filled.numbers, filled.columns, filled.option, not filled.given)
        return cls(said, form, *rest, explained(said)[0])

    def written(self, place: int, number: str) -> str:
        """Return the requirement with another number."""
        numbers = [*self.numbers[:place], number, *self.numbers[place + 1 :]]
        return queries.written(self.form.name, numbers, self.columns, self.option)


@dataclass(frozen=True)
class PrivacyView:
    """What is asked for so far, and what could be."""

    asked: tuple[Asked, ...]
    forms: tuple[Form, ...]
    sensitive: tuple[str, ...]
    known: tuple[str, ...]
    earlier: EarlierView
    fits: tuple[Fit, ...] = ()
    costs: Mapping[str, Any] | None = None
    """What each preset would cost; None while a worker tries."""


def plainly(said: str) -> str:
    """Return a sentence in the words of the page: crowds, and their secrets.

    >>> plainly("every class has at least 5 rows"), plainly("every class has at least 2 different sensitive values")
    ('every crowd has at least 5 rows', 'every crowd has at least 2 different secret values')
    """
    for word, plain in PLAIN.items():
        said = said.replace(word, plain)
    return said


def explained(require: str) -> tuple[str, ...]:
    """Return what each model of a requirement asks for, in the words of the page and in the reader's language."""
    return queries.explained(require, lambda meaning: str(known(plainly(meaning))))


def look(desk: Desk, picks: Picks) -> PrivacyView:
    """Read the requirements."""
    draft = desk.draft
    asked = tuple(Asked.of(one) for one in draft.require)
    known = (one for one in queries.models() if draft.household or not one.needs_households)
    forms = tuple(one for one in known if draft.population or not one.needs_population)
    columns = tuple(draft.named("sensitive")), tuple(draft.named("quasi"))
    if draft.file is None or not columns[1]:
        return PrivacyView(asked, forms, *columns, look_earlier(desk))
    return PrivacyView(asked, forms, *columns, look_earlier(desk), queries.fits(draft), desk.look("estimates"))


def draw(page: Page, found: PrivacyView) -> None:
    """Show the presets, then what is asked for, then what can be added."""
    if not found.known:
        lacking(t("First mark at least one column that may be known."), t("To the roles"), "/roles", key="to-roles")
        return
    text(CROWD)
    heading(t("Start from a preset"))
    with part("div", class_="cards"):
        for fit in found.fits:
            _preset(page, fit, None if found.costs is None else found.costs.get(fit.name))
    text(TRIED if found.costs is not None else TRYING, "faint")
    if found.costs is None:
        page.live(lambda: page.desk.look("estimates") is not None, page.come)
    heading(t("What every crowd must meet"))
    if not found.asked:
        text(t("Nothing yet: choose a preset above, or add a model below."), "faint")
    with part("div", class_="stack"):
        for place, one in enumerate(found.asked):
            _asked(page, place, one)
    _add(page, found)
    heading(t("Is it a sample of a population?"))
    choose_population(page)
    choose_earlier(page, found.earlier)


def said(desk: Desk) -> str:
    """Return how large crowds are, and whether secrets are protected too."""
    asked = [queries.filled(one) for one in desk.draft.require]
    sizes = [t("crowds of {size}", size=one.numbers[0]) for one in asked if one.name == "k"]
    return listed([*sizes, *([t("secrets")] if any(one.columns for one in asked) else [])]) or " ".join(
        desk.draft.require
    )


def _preset(page: Page, fit: Fit, cost: Mapping[str, Any] | None) -> None:
    """Show a preset, what it asks of this table, and what it would cost; one that does not fit says why."""
    preset = PRESETS[fit.name]
    taken = not fit.problem and page.draft.require == fit.require
    card = part("button", class_=f"card {'chosen' if taken else ''}", type="button")
    card._props.update({"aria-pressed": "true" if taken else "false"} | ({"disabled": ""} if fit.problem else {}))
    hear(card, f"preset-{preset.name}", "press", lambda _: page.change(require=fit.require))
    with card:
        part("h3", known(preset.title))
        if fit.problem:
            part("span", t("Not suitable: {problem}.", problem=plainly(fit.problem)), "faint")
            return
        part("span", known(plainly(preset.meaning)), "faint")
        part("span", " ".join(fit.require), "code block")
        if cost is not None:
            said = (
                known(cost["said"])
                if "said" in cost
                else t("about {loss} of the detail lost", loss=percent(cost["loss"]))
            )
            part("strong", upper_first(said), "cost block")


def _title(one: Asked) -> str:
    """Return what a requirement is called, with its columns."""
    title = known(one.form.title)
    return t("{model} of {columns}", model=title, columns=one.columns) if one.columns else title


def _asked(page: Page, place: int, one: Asked) -> None:
    """Show a requirement: what it means, a slider a number, and a way to remove it."""

    async def put(said: str) -> None:
        await page.decide(lambda draft: {"require": changed_at(draft, place, one, said)}, f"require-{place}")

    async def remove() -> None:
        await page.decide(lambda draft: {"require": [said for said in draft.require if said != one.text]})

    with part("div", class_="card"):
        with part("div", class_="line between"):
            part("h3", _title(one))
            button(
                t("Remove"),
                remove,
                key=f"remove-{one.text}",
                kind="small",
                aria_label=t("Remove {text}", text=one.text),
            )
        part("p", _sentence(one))
        if one.plain:
            for number, field in enumerate(one.form.fields):
                heard = partial(_tell, page, put, one, place, number)
                _number(f"{place}-{number}", field, one.numbers[number], heard)
        part("p", one.text, "faint code")


async def _tell(page: Page, put: Any, one: Asked, place: int, number: int, value: str) -> None:
    """Change a number; one that cannot be is said in place."""
    now = page.draft.require[place : place + 1]
    if not now or not same_model(now[0], one):
        return
    try:
        said = Asked.of(now[0]).written(number, value)
    except ShoalError as error:
        await page.refresh()
        page.alert(str(error))
        return
    await put(said)


def _sentence(one: Asked) -> str:
    """Return what it means; for the size of crowds, also as a chance."""
    said = f"{upper_first(one.meaning)}."
    if one.form.name == "k" and float(one.numbers[0]) >= 1:
        chance = percent(1 / float(one.numbers[0]))
        found = t("Anyone who looks for a person picks the right row with a chance of at most {chance}.", chance=chance)
        return f"{said} {found}"
    return said


def _number(key: str, field: Field, value: str, heard: Any) -> None:
    """Show a slider for a number, and a field to type it exactly."""
    now = float(value)
    low = max(float(field.least or 0), 0.0)
    high = float(field.most) if field.most else max(TOP if field.whole else 10, now)
    step = 1 if field.whole else (high - low) / 100
    with part("div", class_="line number-line"):
        slider(_said(field), low, high, step, now, heard, key=f"slide-{key}")
        written(
            t("exactly"),
            value,
            heard,
            key=f"type-{key}",
            inputmode="decimal",
            aria_label=t("{field}, exactly", field=_said(field)),
        )


def _said(field: Field) -> str:
    said = known(plainly(field.meaning))
    return upper_first(said)


def changed_at(draft: Draft, place: int, one: Asked, said: str) -> list[str]:
    """Return the requirements with other numbers at a place; where another model stands there by now, as they are."""
    require = list(draft.require)
    if place < len(require) and same_model(require[place], one):
        require[place] = said
    return require


def same_model(said: str, one: Asked) -> bool:
    """Whether a requirement asks for the same model of the same columns, whatever its numbers."""
    now = queries.filled(said)
    return (now.name, now.columns, now.option) == (one.form.name, one.columns, one.option)


def _add(page: Page, found: PrivacyView) -> None:
    """Offer every model; one of a secret asks which."""
    heading(t("Add a model"), 3)
    picked = page.picks.get("model") or "k"
    form = next((one for one in found.forms if one.name == picked), found.forms[0])
    options = {one.name: known(one.title) for one in found.forms}
    chosen(
        t("Model"),
        options,
        form.name,
        lambda name: page.pick(model=name),
        key="model",
        help=known(plainly(form.meaning)),
    )
    column = page.picks.get("secret") or (found.sensitive[0] if found.sensitive else "")
    if form.reads_attribute and not found.sensitive:
        message(t("This model protects a secret, and no column is marked as one."), "warn")
        return
    if form.reads_attribute:
        names = {name: name for name in found.sensitive}
        chosen(t("For which secret"), names, column, lambda name: page.pick(secret=name), key="secret")

    async def add() -> None:
        def parts(draft: Draft) -> dict[str, Any]:
            columns = [column] if form.reads_attribute else []
            said = queries.written(form.name, [field.start for field in form.fields], columns)
            return {"require": [*draft.require, said]}

        await page.decide(parts)

    button(t("Add it"), add, key="add", kind="small")


STEP = Step(
    "privacy",
    t("Privacy"),
    t("How well must people be hidden?"),
    t("Stricter requirements protect people better and keep less detail. A preset is a good start."),
    look,
    draw,
    said,
)
