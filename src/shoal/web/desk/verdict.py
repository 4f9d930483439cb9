"""The verdict on a release: what is safe, what is not, and what to do about each point, from what is known by now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from shoal.core.number_format import counted, percent
from shoal.hierarchies.cell_forms import form_of
from shoal.web.desk.draft import Draft
from shoal.web.desk.forms import filled, written

Kind: TypeAlias = Literal["good", "bad", "note"]
CERTAIN, LINKING = "homogeneity", ("linkage", "partial-linkage", "derived")
"""The attack that makes a secret certain; those that find a person's row."""
DIVERSE = "distinct-l"
"""The model that leaves no secret certain: at least so many different values in every crowd."""
UNCOVERED = "Your requirement promises nothing against these attacks"
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
        return Verdict("bad", f"Look at {counted(wrong, 'point')} before you publish it", found)
    if more or not known.get("after"):
        return Verdict("note", "What you asked for is met; more is being measured" if more else "Not measured", found)
    uncovered = any(one.said.startswith(UNCOVERED) for one in found)
    rest = "; attacks that it does not cover are named below" if uncovered else ", and no attack gets through"
    return Verdict("good", f"What you asked for is met{rest}", found)


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
            many = f"{counted(one['after'], 'row')} of {one['of']:,}"
            said = f"{many} can be found for certain by who knows {one['knows']}."
            yield Finding("bad", said, "Ask for larger crowds", target="/privacy")
        elif one["standing"] == "above" and one["attack"] != CERTAIN:
            yield Finding("bad", one["verdict"], "To privacy", target="/privacy")
    for name, reason in (stated.get("insisted") or {}).items():
        yield Finding("bad", f"{name!r} is published all the same: {reason}.", "Look at the roles", target="/roles")
    for one in stated.get("overlaps") or ():
        if not one["safe"]:
            yield Finding("bad", f"{one['said']}.", "To earlier releases", target="/privacy")


def _certain(draft: Draft, certain: Mapping[str, int], of: int) -> Finding:
    """Say whose secrets are certain, and offer to ask for more than one value of every secret in every crowd."""
    worst = sorted(certain, key=lambda name: -certain[name])
    listed = "; ".join(f"{name!r} of {certain[name]:,} people" for name in worst[:FEW])
    rest = f"; and {counted(len(worst) - FEW, 'more secret', 'more secrets')}" if len(worst) > FEW else ""
    said = f"A secret is certain although nobody is found: {listed}{rest}, of {of:,}."
    asked = _diverse(draft)
    which = repr(worst[0]) if len(asked) == len(draft.require) + 1 else "every secret"
    return Finding("bad", said, f"Ask for 2 different values of {which} in every crowd", {"require": asked})


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
        chance, crowd = percent(after["prosecutor"]["highest"]), counted(after["uniques"]["smallest"], "row")
        said = f"Whoever looks for a person finds at least {crowd} alike, and picks the right one by {chance} at most."
        yield Finding("good" if after["uniques"]["smallest"] > 1 else "note", said)
    names = " ".join(str(stated["require"]).split())
    yield Finding("good", f"The audit of the published cells confirms all that was asked for: {names}.")
    within = {one["attack"] for one in known.get("hits", ()) if one["standing"] == "within"}
    if within:
        said = "Attacks that you asked for protection from were tried, and get no more than it allows"
        yield Finding("good", f"{said}: {', '.join(sorted(within))}.")


def _beyond(draft: Draft, stated: Mapping[str, Any], known: Mapping[str, Any]) -> Iterator[Finding]:
    """Say what nobody asked to be protected from, and is not."""
    unread = _unread(draft)
    if unread and not any((stated.get("certain") or {}).values()):
        some = ", ".join(map(repr, unread[:FEW])) + (f" and {len(unread) - FEW} more" if len(unread) > FEW else "")
        label = "Ask for 2 different values in every crowd"
        yield Finding("note", f"Nothing is asked of the secrets {some}.", label, {"require": _diverse(draft)})
    shown = ", ".join(stated.get("unprotected") or ())
    if shown:
        yield Finding("note", f"Published as they are, unprotected: {shown}.", "Look at the roles", target="/roles")
    for said in stated.get("warnings") or ():
        yield Finding("note", f"{said[:1].upper()}{said[1:].rstrip('.')}.")
    open_ends = ("no threshold", "undecided")
    beyond = [one for one in known.get("hits", ()) if one["after"] and one["standing"] in open_ends]
    worst: dict[str, int] = {}
    for one in beyond:
        if one["attack"] != CERTAIN and one["attack"] not in LINKING:
            worst[one["attack"]] = max(worst.get(one["attack"], 0), one["after"])
    if worst:
        listed = ", ".join(f"{name} ({worst[name]:,} rows)" for name in sorted(worst, key=lambda name: -worst[name]))
        yield Finding("note", f"{UNCOVERED}: {listed}.")


def _unknown(known: Mapping[str, Any], more: bool) -> Iterator[Finding]:
    """Say what was not measured."""
    if known.get("said"):
        yield Finding("note", f"It could not be measured: {known['said']}.")
    elif not known and not more:
        yield Finding("note", "Risk, attacks and utility were not measured.")
    for note in known.get("notes", ()):
        if note.startswith("not measured"):
            yield Finding("note", f"{note[:1].upper()}{note[1:]}.")
