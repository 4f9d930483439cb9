"""One column: its counts, and the role proposed for it with the reason in words.

What decides, in order: values that point to one person, the name, the values' words, kin columns with the same codes,
and at last the shape of the values. A column that nothing speaks for is never proposed to be published untouched: it
is a quasi-identifier (few values) or sensitive (answers and measures).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from shoal.inspection import lexicon, patterns
from shoal.inspection.profile import ENOUGH, FEW, Profile
from shoal.inspection.surveys import survey_codes
from shoal.tables import column_names
from shoal.tables.column_names import Role, Rule

__all__ = ["Column", "Role", "proposals"]


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
    return [_column(profile, finding) for profile, finding in zip(profiles, found, strict=True)]


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
        _identifying_values(profile)
        or _surveyed(profile, codes)
        or _identifying_name(profile)
        or _constant(profile)
        or _dated(profile)
        or _named(profile)
        or _speaking_values(profile)
        or _shaped(profile)
    )


def _identifying_values(profile: Profile) -> Finding | None:
    if profile.dtype != pl.String and not (profile.whole and profile.dtype.is_integer()):
        return None
    if profile.dtype != pl.String and len(profile.texts[0]) < 13:
        return None
    for kind in patterns.IDENTIFYING:
        if kind.fits(profile.texts):
            return Finding(kind.role, f"the values look like {kind.topic}", kind.topic)
    return None


def _surveyed(profile: Profile, codes: Mapping[str, tuple[Role, str, str]]) -> Finding | None:
    if profile.name not in codes:
        return None
    role, topic, survey = codes[profile.name]
    return Finding(role, f"the name is a code of the {survey}: {topic}")


def _identifying_name(profile: Profile) -> Finding | None:
    rule = column_names.speaks(profile.name, column_names.IDENTIFIERS)
    if rule is None:
        return None
    if rule.topic == "a record number" and (profile.few or (profile.dtype.is_float() and not profile.whole)):
        return None  # a kind of number, not a number for each
    return Finding(rule.role, f"the name says {rule.topic}")


def _constant(profile: Profile) -> Finding | None:
    """One value for all tells nobody apart, but may be said of everybody who is in the table."""
    if profile.distinct > 1 or profile.present < profile.rows or profile.rows == 1:
        return None
    rule = column_names.speaks(profile.name, column_names.SENSITIVE)
    if rule is not None and not column_names.speaks(profile.name, [column_names.WEIGHTS]):
        return Finding(Role.SENSITIVE, f"the name says {rule.topic}, and being in the table gives the value away")
    return Finding(Role.OTHER, "all rows have the same value")


def _dated(profile: Profile) -> Finding | None:
    """Dates link records to news, registers and diaries, whatever they are dates of."""
    pattern = _date_kind(profile)
    if column_names.speaks(profile.name, [column_names.BIRTH_DATES]):
        return Finding(Role.QUASI, "the name says a birth date, which many people know", pattern and "birth dates")
    if pattern:
        return Finding(Role.QUASI, f"the values are {pattern}, which link to other sources", pattern)
    if profile.distinct > 2 and column_names.speaks(profile.name, [column_names.DATES]):
        return Finding(Role.QUASI, "the name says a date, which links to other sources")
    return None


def _date_kind(profile: Profile) -> str | None:
    if profile.dtype.is_temporal():
        return profile.type
    if profile.dtype == pl.String and patterns.DATES.fits(profile.texts):
        return "dates"
    if profile.whole and profile.distinct > 2 and _within(profile, 1850, 2100):
        unspoken = not column_names.speaks(
            profile.name, (*column_names.DECIDING, *column_names.SENSITIVE, *column_names.QUASI)
        )
        return "years" if unspoken or column_names.speaks(profile.name, [column_names.YEARS]) else None
    return None


def _within(profile: Profile, low: float, high: float) -> bool:
    return bool(low <= profile.values[0] and profile.values[-1] <= high)


def _named(profile: Profile) -> Finding | None:
    point = column_names.speaks(profile.name, column_names.COORDINATES) if profile.numeric else None
    if point is not None:
        return Finding(Role.IDENTIFIER if profile.mostly_alone else point.role, f"the name says {point.topic}")
    rules: Sequence[Rule] = (column_names.WEIGHTS, *column_names.DECIDING, *column_names.SENSITIVE, *column_names.QUASI)
    rule = column_names.speaks(profile.name, rules)
    if rule is None:
        return None
    if (
        rule.role is Role.QUASI
        and profile.dtype == pl.String
        and patterns.PEOPLE.fits(profile.texts)
        and _many(profile)
    ):
        return Finding(Role.IDENTIFIER, "the values look like names of people", patterns.PEOPLE.topic)
    if rule is column_names.WEIGHTS and profile.alone:
        return Finding(rule.role, f"the name says {rule.topic}; round it, for it singles rows out")
    return Finding(rule.role, f"the name says {rule.topic}" + _why(rule.role))


def _why(role: Role) -> str:
    return {Role.QUASI: ", which others may know", Role.SENSITIVE: ", which nobody should learn"}.get(role, "")


def _many(profile: Profile) -> bool:
    return profile.distinct > FEW or profile.rows < ENOUGH


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
    if _many(profile) and patterns.PEOPLE.fits(profile.texts):
        return Finding(Role.IDENTIFIER, "the values look like names of people", patterns.PEOPLE.topic)
    if profile.distinct > 2 and patterns.ZIP_CODES.fits(profile.texts) and not profile.mostly_alone:
        return Finding(Role.QUASI, "the values look like postcodes" + _why(Role.QUASI), patterns.ZIP_CODES.topic)
    return None


def _shaped(profile: Profile) -> Finding:
    """Judge by shape alone, on the safe side."""
    unnamed = "the name says nothing; "
    if profile.dtype == pl.Boolean or (profile.distinct <= 4 and lexicon.is_yes_no(profile.texts)):
        return Finding(Role.SENSITIVE, unnamed + "yes-or-no answers are seldom known to others", firm=False)
    if profile.numeric:
        return _shaped_number(profile, unnamed)
    if profile.mostly_alone:
        topic = patterns.CODES.topic if patterns.CODES.fits(profile.texts) else None
        what = f"the values look like {topic}" if topic else "texts"
        return Finding(Role.IDENTIFIER, f"{unnamed}{what}, and nearly every row has its own", topic, firm=False)
    if profile.present >= ENOUGH and profile.distinct > profile.present / 2:
        return Finding(Role.IDENTIFIER, unnamed + "texts of which most rows have their own", firm=False)
    return Finding(Role.QUASI, unnamed + "a category that others may know", firm=False)


def _shaped_number(profile: Profile, unnamed: str) -> Finding:
    if profile.whole and profile.present >= ENOUGH and profile.distinct == profile.present:
        if profile.rising:
            return Finding(Role.IDENTIFIER, unnamed + "whole numbers that rise from row to row", firm=False)
        if len(profile.texts[0]) == len(profile.texts[-1]) >= 5:
            return Finding(Role.IDENTIFIER, unnamed + "long whole numbers, one for each row", firm=False)
    if profile.distinct <= FEW:
        return Finding(Role.QUASI, unnamed + "a code of few values that others may know", firm=False)
    return Finding(Role.SENSITIVE, unnamed + "numbers of many values are measures or amounts", firm=False)


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
        if len(firm) < 2 or len(roles) > 1:
            continue
        likeness = f"the same codes as {profiles[firm[0]].name!r} and {len(firm) - 1:,} more columns"
        for index in members:
            if not findings[index].firm:
                kin[profiles[index].name] = replace(findings[firm[0]], reason=likeness, pattern=None)
    return kin
