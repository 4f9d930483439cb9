"""The step Method: how cells are made coarser, what is kept small, and who searches."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.web.desk import Desk, queries
from shoal.web.desk.queries import Choice
from shoal.web.events import hear
from shoal.web.job_state import JobState
from shoal.web.language import known, listed, t
from shoal.web.lattice_nodes import RECODING, ask_lattice, look_lattice
from shoal.web.method_comparison import ask_comparison, look_comparison
from shoal.web.more_settings import method_settings
from shoal.web.page import Page, Picks, Step
from shoal.web.parts import chosen, heading, lacking, message, part, text

DROPPED = {"0": t("none"), "0.001": t("up to 0.1 % of the rows"), "0.01": t("up to 1 %"), "0.05": t("up to 5 %")}
BY_ITSELF = t("ranges and sets of values; groups if you chose a hierarchy, or a method that needs them")


@dataclass(frozen=True)
class MethodView:
    """What can be chosen; the methods are None while a worker looks which of them fit."""

    ready: bool
    recodings: tuple[Choice, ...] = ()
    costs: tuple[Choice, ...] = ()
    methods: tuple[Choice, ...] | None = ()
    comparison: JobState | None = None
    lattice: JobState | None = None


def look(desk: Desk, picks: Picks) -> MethodView:
    """Look which methods can take what was decided."""
    draft = desk.draft
    if draft.file is None or not draft.named("quasi") or not draft.require:
        return MethodView(False, queries.recodings(), queries.costs(draft.recoding))
    found = desk.look("methods")
    methods = (
        None
        if found is None
        else tuple(Choice(**{**one, "reasons": tuple(one["reasons"])}) for one in found["methods"])
    )
    lattice = look_lattice(desk) if draft.recoding == RECODING else None
    return MethodView(True, queries.recodings(), queries.costs(draft.recoding), methods, look_comparison(desk), lattice)


def draw(page: Page, found: MethodView) -> None:
    """Show how cells become coarser, then the methods."""
    _recoding(page, found)
    heading(t("Which rows may be left out"))
    text(t("Leaving out a few rows with rare values can keep more detail in all others."), "faint")
    heard = lambda value: page.change(max_dropped=value)  # noqa: E731
    now = str(page.draft.max_dropped)
    chosen(t("Leave out"), {**DROPPED, now: DROPPED.get(now, now)}, now, heard, key="dropped")
    heading(t("Search method"))
    if not found.ready:
        said = t("Which methods are suitable is known once roles and privacy are decided.")
        lacking(said, t("To privacy"), "/privacy", key="to-privacy", alone=False)
    elif found.methods is None:
        part("p", t("shoal is checking which methods are suitable …"), "waiting", role="status")
        page.live(lambda: page.desk.look("methods") is not None, page.come)
    else:
        _methods(page, found.methods)
    _cost(page, found)
    method_settings(page)
    if found.ready and page.draft.recoding == RECODING:
        ask_lattice(page, found.lattice)
    if found.ready:
        ask_comparison(page, found.comparison)


def said(desk: Desk) -> str:
    """Return the method and how cells become coarser."""
    draft = desk.draft
    return " ".join(filter(None, (draft.method, draft.recoding))) if draft.require else ""


def _recoding(page: Page, found: MethodView) -> None:
    heading(t("How cells become coarser"))
    with part("fieldset", class_="cards", aria_label=t("How cells become coarser")):
        _card(page, "recoding", "", t("Automatic"), BY_ITSELF, not page.draft.recoding)
        for one in found.recodings:
            _card(page, "recoding", one.name, one.name.capitalize(), known(one.title), page.draft.recoding == one.name)


def _card(page: Page, name: str, value: str, title: str, meaning: str, taken: bool, more: str = "") -> None:
    """Show one choice of several as a card."""
    change = lambda _: page.change(**{name: value or None})  # noqa: E731
    with part("label", class_=f"card choice {'chosen' if taken else ''}"):
        radio = part("input", type="radio", name=name, value=value, checked=taken or None)
        hear(radio, f"{name}-{value}", "value", change)
        with part("span"):
            part("strong", title)
            part("span", meaning, "faint block")
            if more:
                part("span", more, "faint block")


def _methods(page: Page, methods: tuple[Choice, ...]) -> None:
    """Show the methods that fit, the one chosen by itself first; the others in a list with the reason."""
    fitting = [one for one in methods if not one.reasons]
    now = page.draft.method
    refused = next((one for one in methods if one.name == now and one.reasons), None)
    if refused is not None:
        message(t("{name} cannot do this: {reasons}", name=refused.name, reasons=listed(refused.reasons, "; ")), "bad")
    with part("fieldset", class_="cards wide", aria_label=t("Method")):
        for one in fitting:
            promise = t("Guarantee: {guarantee}", guarantee=one.guarantee) if one.guarantee else ""
            time = t("Expected time: {time}", time=known(one.time))
            title = t("auto (recommended)") if one.name == "auto" else one.name
            _card(
                page,
                "method",
                one.name,
                title,
                known(one.title),
                now == one.name,
                listed(filter(None, (promise, time)), ". "),
            )
    others = [one for one in methods if one.reasons]
    if others:
        with part("details"):
            part(
                "summary",
                t("{n} unsuitable method, and why|{n} unsuitable methods, and why", n=len(others)),
                data_key="unfit",
            )
            with part("ul"):
                for one in others:
                    part("li", f"{one.name}: {'; '.join(one.reasons)}")


def _cost(page: Page, found: MethodView) -> None:
    heading(t("What is minimized"))
    options = {"": t("the usual cost for these cells")} | {
        one.name: f"{one.name}: {known(one.title)}" for one in found.costs
    }
    heard = lambda value: page.change(cost=value or None)  # noqa: E731
    chosen(t("Cost"), options, page.draft.cost or "", heard, key="cost", help=t("The number that measures the loss."))


STEP = Step(
    "method",
    t("Method"),
    t("How should it be done?"),
    t("You can leave all of this unchanged: shoal then chooses."),
    look,
    draw,
    said,
)
