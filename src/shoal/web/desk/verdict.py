"""The verdict on a release: what is safe, what is not, and what to do about each point, from what is known by now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from shoal.hierarchies.cell_forms import form_of
from shoal.web.desk.draft import Draft
from shoal.web.desk.forms import filled, written
from shoal.web.language import percent, t, upper_first

Kind: TypeAlias = Literal["good", "bad", "note"]
CERTAIN, LINKING = "homogeneity", ("linkage", "partial-linkage", "derived")
"""The attack that makes a secret certain; those that find a person's row."""
DIVERSE = "distinct-l"
"""The model that leaves no secret certain: at least so many different values in every crowd."""
OPEN_ENDS = ("no threshold", "undecided")
"""How an attack stands that no requirement speaks of."""
FEW = 3
"""Names in a sentence."""


@dataclass(frozen=True)
class Finding:
    """One point of a verdict, and what can be done about it."""

    kind: Kind
    said: str
    label: str = ""
    """What the button says; empty where there is nothing to do."""
    parts: Mapping[str, Any] = field(default_factory=dict)
    """What the button decides."""
    target: str = ""
    """Where the button leads, if it decides nothing."""


@dataclass(frozen=True)
class Verdict:
    """What a release can be called in a few words, and why."""

    kind: Kind
    title: str
    findings: tuple[Finding, ...]


def verdict(draft: Draft, stated: Mapping[str, Any], measured: Mapping[str, Any] | None, *, more: bool) -> Verdict:
    """Judge a release by its certificate and by what was measured; `more` says that measures are still to come."""
    known = measured or {}
    found = (
        *_wrong(draft, stated, known),
        *_met(stated, known),
        *_beyond(draft, stated, known),
        *_unknown(known, more),
    )
    wrong = sum(one.kind == "bad" for one in found)
    if wrong:
        return Verdict(
            "bad", t("Check {n} point before you publish it|Check {n} points before you publish it", n=wrong), found
        )
    if more or not known.get("after"):
        return Verdict(
            "note", t("Your requirement is met; more is being measured") if more else t("Not measured"), found
        )
    if _uncovered(known):
        return Verdict("good", t("Your requirement is met; attacks that it does not cover are listed below"), found)
    return Verdict("good", t("Your requirement is met, and no attack succeeds"), found)


def _wrong(draft: Draft, stated: Mapping[str, Any], known: Mapping[str, Any]) -> Iterator[Finding]:
    """Say what is not safe: the worst first."""
    hits: Sequence[Mapping[str, Any]] = known.get("hits", ())
    attacked = {one["attribute"]: one["after"] for one in hits if one["attack"] == CERTAIN and one["after"]}
    certain = {name: many for name, many in {**(stated.get("certain") or {}), **attacked}.items() if many}
    if certain:
        yield _certain(draft, certain, int(stated["rows"]))
    two = form_of(stated["recoding"]).two_tables
    for one in hits:
        if one["after"] and one["attack"] in LINKING and not two:
            many = t("{n} row of {of}|{n} rows of {of}", n=one["after"], of=one["of"])
            said = t("{many} can be found with certainty by anyone who knows {knows}.", many=many, knows=one["knows"])
            yield Finding("bad", said, t("Require larger crowds"), target="/privacy")
        elif one["standing"] == "above" and one["attack"] != CERTAIN:
            yield Finding("bad", one["verdict"], t("To privacy"), target="/privacy")
    for name, reason in (stated.get("insisted") or {}).items():
        yield Finding(
            "bad",
            t("{name!r} is published anyway: {reason}.", name=name, reason=reason),
            t("Look at the roles"),
            target="/roles",
        )
    for one in stated.get("overlaps") or ():
        if not one["safe"]:
            yield Finding("bad", f"{one['said']}.", t("To earlier releases"), target="/privacy")


def _certain(draft: Draft, certain: Mapping[str, int], of: int) -> Finding:
    """Say whose secrets are certain, and offer to ask for more than one value of every secret in every crowd."""
    worst = sorted(certain, key=lambda name: -certain[name])
    named = [t("{name!r} of {n} person|{name!r} of {n} people", name=name, n=certain[name]) for name in worst[:FEW]]
    rest = [t("{n} more secret|{n} more secrets", n=len(worst) - FEW)] if len(worst) > FEW else []
    said = t("A secret is certain although nobody is found: {listed}; of {of}.", listed=[*named, *rest], of=of)
    asked = _diverse(draft)
    which = repr(worst[0]) if len(asked) == len(draft.require) + 1 else t("every secret")
    return Finding(
        "bad", said, t("Require 2 different values of {which} in every crowd", which=which), {"require": asked}
    )


def _diverse(draft: Draft) -> list[str]:
    """Return the requirements with two different values of every secret that none of them reads."""
    return [*draft.require, *(written(DIVERSE, ["2"], [name]) for name in _unread(draft))]


def _unread(draft: Draft) -> list[str]:
    read = {name for one in draft.require for name in filled(one).columns}
    return [name for name in draft.named("sensitive") if name not in read]


def _met(stated: Mapping[str, Any], known: Mapping[str, Any]) -> Iterator[Finding]:
    """Say what is safe."""
    after = known.get("after")
    if after and not form_of(stated["recoding"]).two_tables:
        chance, crowd = percent(after["prosecutor"]["highest"]), t("{n} row|{n} rows", n=after["uniques"]["smallest"])
        said = t(
            "A search for a person finds at least {crowd} that look alike; the chance of picking the right one is "
            "at most {chance}.",
            crowd=crowd,
            chance=chance,
        )
        yield Finding("good" if after["uniques"]["smallest"] > 1 else "note", said)
    names = " ".join(str(stated["require"]).split())
    yield Finding("good", t("The audit of the published cells confirms the whole requirement: {names}.", names=names))
    within = {one["attack"] for one in known.get("hits", ()) if one["standing"] == "within"} - _uncovered(known).keys()
    if within:
        said = t(
            "Attacks that your requirement covers were tried, and gain no more than it allows: {listed}.",
            listed=sorted(within),
        )
        yield Finding("good", said)


def _beyond(draft: Draft, stated: Mapping[str, Any], known: Mapping[str, Any]) -> Iterator[Finding]:
    """Say what nobody asked to be protected from, and is not."""
    unread = _unread(draft)
    if unread and not any((stated.get("certain") or {}).values()):
        more = [t("{n} more", n=len(unread) - FEW)] if len(unread) > FEW else []
        some = [*map(repr, unread[:FEW]), *more]
        label = t("Require 2 different values in every crowd")
        yield Finding(
            "note",
            t("The requirement does not cover the secrets {some}.", some=some),
            label,
            {"require": _diverse(draft)},
        )
    shown = ", ".join(stated.get("unprotected") or ())
    if shown:
        yield Finding(
            "note",
            t("Published unchanged and unprotected: {shown}.", shown=shown),
            t("Look at the roles"),
            target="/roles",
        )
    for said in stated.get("warnings") or ():
        yield Finding("note", f"{upper_first(said).rstrip('.')}.")
    worst = _uncovered(known)
    if worst:
        ranked = sorted(worst, key=lambda name: -worst[name])
        listed = [t("{attack} ({n} row)|{attack} ({n} rows)", attack=name, n=worst[name]) for name in ranked]
        yield Finding("note", t("Your requirement does not cover these attacks: {listed}.", listed=listed))


def _uncovered(known: Mapping[str, Any]) -> dict[str, int]:
    """Return the attacks that nobody asked to be protected from and that get something, with the rows they hit."""
    worst: dict[str, int] = {}
    for one in known.get("hits", ()):
        if one["after"] and one["standing"] in OPEN_ENDS and one["attack"] not in (CERTAIN, *LINKING):
            worst[one["attack"]] = max(worst.get(one["attack"], 0), one["after"])
    return worst


def _unknown(known: Mapping[str, Any], more: bool) -> Iterator[Finding]:
    """Say what was not measured."""
    if known.get("said"):
        yield Finding("note", t("It could not be measured: {said}.", said=known["said"]))
    elif not known and not more:
        yield Finding("note", t("Risk, attacks and utility were not measured."))
    for note in known.get("notes", ()):
        if note.startswith("not measured"):
            yield Finding("note", f"{upper_first(note)}.")
