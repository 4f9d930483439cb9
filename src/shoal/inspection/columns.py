"""One column: its counts, and the role proposed for it with the reason in words.

What decides, in order: codes of known surveys, what identifies people, dates, the name, the values' words, kin columns
with the same codes. Where none of them speaks the role stays open, and nothing is published until a person decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from shoal.inspection import lexicon, patterns
from shoal.inspection.look_alikes import identity, is_numbering, uniqueness
from shoal.inspection.profile import FEW, Profile
from shoal.inspection.surveys import survey_codes
from shoal.tables import name_rules
from shoal.tables.column_names import Role, Rule, speaks

__all__ = ["Column", "Role", "proposals"]

MANY = 10
"""Quasi-identifiers up to which all are proposed."""
RARE = 0.05
"""The share of rows that a survey weight may single out before a person has to decide."""


@dataclass(frozen=True)
class Column:
    """What was found in one column; shares are of all rows."""

    name: str
    type: str
    distinct: int
    """Different values, the missing value not counted."""
    distinct_share: float
    missing: float
    unique: float
    """Share of the rows whose value no other row has; a missing value is not a value."""
    role: Role
    reason: str
    pattern: str | None = None
    """What kind of values was recognised in the cells, if any."""


@dataclass(frozen=True)
class Finding:
    """A role and why; a firm one rests on the name or on the meaning of the values, a loose one on their shape."""

    role: Role
    reason: str
    pattern: str | None = None
    firm: bool = True


def proposals(frame: pl.DataFrame) -> list[Column]:
    """Return every column with its counts and proposed role, in table order."""
    codes = survey_codes(frame.columns)
    profiles = [Profile(column) for column in frame.iter_columns()]
    findings = [_judged(profile, codes) for profile in profiles]
    kin = _kin(profiles, findings)
    found = [kin.get(profile.name, finding) for profile, finding in zip(profiles, findings, strict=True)]
    return [_column(profile, finding) for profile, finding in zip(profiles, _few(profiles, found), strict=True)]


def _few(profiles: Sequence[Profile], findings: Sequence[Finding]) -> list[Finding]:
    """Leave open, of many quasi-identifiers, all but two of each topic: those with the most values are kept."""
    few = list(findings)
    quasi = [index for index, finding in enumerate(findings) if finding.role is Role.QUASI]
    topics: dict[str, list[int]] = {}
    for index in sorted(quasi, key=lambda index: -profiles[index].distinct):
        topics.setdefault(findings[index].reason.partition(", which ")[0], []).append(index)
    for topic, members in topics.items() if len(quasi) > MANY else ():
        for index in members[2:]:
            kept = profiles[members[0]].name
            few[index] = replace(findings[index], role=Role.OPEN, reason=f"{topic}, as {kept!r} does, of more values")
    return few


def _column(profile: Profile, finding: Finding) -> Column:
    rows = profile.rows
    return Column(
        profile.name,
        profile.type,
        profile.distinct,
        profile.distinct / rows,
        (rows - profile.present) / rows,
        profile.alone / rows,
        finding.role,
        finding.reason,
        finding.pattern,
    )


def _judged(profile: Profile, codes: Mapping[str, tuple[Role, str, str]]) -> Finding:
    """Return the first finding, from the surest kind of evidence to the weakest."""
    if not profile.distinct:
        return Finding(Role.OTHER, "every value is missing")
    return (
        _surveyed(profile, codes)
        or _identifying(profile)
        or _constant(profile)
        or _dated(profile)
        or _named(profile)
        or _speaking_values(profile)
        or _shaped(profile)
    )


def _surveyed(profile: Profile, codes: Mapping[str, tuple[Role, str, str]]) -> Finding | None:
    if profile.name not in codes:
        return None
    role, topic, survey = codes[profile.name]
    return Finding(role, f"the name is a code of the {survey}: {topic}")


def _identifying(profile: Profile) -> Finding | None:
    like = identity(profile)
    return None if like is None else Finding(Role.IDENTIFIER, like.reason, like.pattern)


def _constant(profile: Profile) -> Finding | None:
    """One value for all tells nobody apart, but may be said of everybody who is in the table."""
    if profile.distinct > 1 or profile.present < profile.rows or profile.rows == 1:
        return None
    rule = speaks(profile.name, name_rules.SENSITIVE)
    if rule is not None and not speaks(profile.name, [name_rules.WEIGHTS]):
        return Finding(Role.SENSITIVE, f"the name says {rule.topic}, and being in the table gives the value away")
    return Finding(Role.OTHER, "all rows have the same value")


def _dated(profile: Profile) -> Finding | None:
    """Dates link records to news, registers and diaries, whatever they are dates of."""
    pattern = _date_kind(profile)
    born = (name_rules.BIRTH_DATES, name_rules.BIRTH_DATES_ABROAD)
    if speaks(profile.name, born) or (speaks(profile.name, [name_rules.BORN]) and (pattern or profile.numeric)):
        return Finding(Role.QUASI, "the name says a birth date, which many people know", pattern and "birth dates")
    if pattern:
        return Finding(Role.QUASI, f"the values are {pattern}, which link to other sources", pattern)
    if profile.distinct > 2 and speaks(profile.name, (name_rules.DATES, name_rules.DATES_ABROAD)):
        return Finding(Role.QUASI, "the name says a date, which links to other sources")
    return None


def _date_kind(profile: Profile) -> str | None:
    if profile.dtype.is_temporal():
        return profile.type
    for kind in (patterns.DATES, patterns.MONTHS, patterns.TIMES) if profile.dtype == pl.String else ():
        if kind.fits(profile.texts):
            return kind.topic
    if profile.whole and profile.dtype.is_numeric() and profile.distinct > 2 and _within(profile, 1850, 2100):
        unspoken = not speaks(profile.name, (*name_rules.DECIDING, *name_rules.SENSITIVE, *name_rules.QUASI))
        return "years" if unspoken or speaks(profile.name, [name_rules.YEARS]) else None
    return None


def _within(profile: Profile, low: float, high: float) -> bool:
    return not profile.dtype.is_numeric() or bool(low <= profile.values[0] and profile.values[-1] <= high)


def _named(profile: Profile) -> Finding | None:
    point = speaks(profile.name, name_rules.COORDINATES) if profile.numeric else None
    if point is not None and not profile.whole and _within(profile, -180, 180):
        return Finding(Role.IDENTIFIER if profile.mostly_alone else point.role, f"the name says {point.topic}")
    rules: Sequence[Rule] = (name_rules.WEIGHTS, *name_rules.DECIDING, *name_rules.SENSITIVE, *name_rules.QUASI)
    rule = speaks(profile.name, rules)
    if rule is None:
        return None
    if rule is name_rules.WEIGHTS and profile.alone:
        role = Role.OPEN if profile.alone > RARE * profile.rows else rule.role
        return Finding(role, f"the name says {rule.topic}; round it, for it singles rows out")
    return Finding(rule.role, f"the name says {rule.topic}" + _why(rule.role))


def _why(role: Role) -> str:
    return {
        Role.QUASI: ", which others may know",
        Role.SENSITIVE: ", which nobody should learn",
        Role.OPEN: ", which some others may know",
    }.get(role, "")


def _speaking_values(profile: Profile) -> Finding | None:
    """Judge texts whose column has a name that says nothing by the words in them."""
    if profile.dtype != pl.String:
        return None
    for words in lexicon.SPEAKING:
        if words.fits(profile.texts):
            return Finding(words.role, f"the values look like {words.topic}{_why(words.role)}", words.topic)
    if profile.distinct <= 3 and {"m", "f"} <= {text.lower() for text in profile.texts}:
        return Finding(Role.QUASI, "the values look like the sexes" + _why(Role.QUASI), "the sexes")
    if patterns.DIAGNOSES.fits(profile.texts) and any("." in text for text in profile.texts):
        return Finding(Role.SENSITIVE, f"the values look like {patterns.DIAGNOSES.topic}", patterns.DIAGNOSES.topic)
    if profile.distinct > 2 and patterns.ZIP_CODES.fits(profile.texts) and not profile.mostly_alone:
        return Finding(Role.QUASI, "the values look like postcodes" + _why(Role.QUASI), patterns.ZIP_CODES.topic)
    return None


def _shaped(profile: Profile) -> Finding:
    """Say what the shape reveals a column that nothing speaks for; a person decides."""
    rule = speaks(profile.name, name_rules.IDENTIFIERS)
    unnamed = f"the name says {rule.topic}, but the values do not; " if rule else "the name says nothing; "
    if profile.dtype == pl.Boolean or (profile.distinct <= 4 and lexicon.is_yes_no(profile.texts)):
        return Finding(Role.OPEN, unnamed + "yes-or-no answers, seldom known to others", firm=False)
    like = uniqueness(profile)
    numbers = profile.numeric or profile.measured
    if like is not None and numbers and not (profile.rising or is_numbering(profile)):
        return Finding(Role.OPEN, unnamed + like.reason + ", as amounts and numbers of people do", firm=False)
    if like is not None and not like.measure:
        topic = patterns.CODES.topic if not profile.numeric and patterns.CODES.fits(profile.texts) else like.pattern
        looks = f"the values look like {topic}; " if topic else ""
        return Finding(Role.IDENTIFIER, unnamed + looks + like.reason, topic, firm=False)
    if profile.distinct > FEW and numbers:
        return Finding(Role.OPEN, unnamed + "numbers of many values, perhaps a measure", firm=False)
    return Finding(Role.OPEN, unnamed + ("a code of few values" if profile.numeric else "a category"), firm=False)


def _kin(profiles: Sequence[Profile], findings: Sequence[Finding]) -> dict[str, Finding]:
    """Return, for columns judged by shape, the role that all kin columns with the very same codes have by name."""
    domains: dict[tuple[str, ...], list[int]] = {}
    for index, profile in enumerate(profiles):
        if 3 <= profile.distinct <= FEW:
            domains.setdefault(tuple(profile.texts), []).append(index)
    kin: dict[str, Finding] = {}
    for members in domains.values():
        firm = [index for index in members if findings[index].firm]
        roles = {findings[index].role for index in firm}
        if len(firm) < 2 or len(roles) > 1 or Role.OPEN in roles:
            continue
        likeness = f"the same codes as {profiles[firm[0]].name!r} and {len(firm) - 1:,} more columns"
        for index in members:
            if not findings[index].firm:
                kin[profiles[index].name] = replace(findings[firm[0]], reason=likeness, pattern=None)
    return kin
