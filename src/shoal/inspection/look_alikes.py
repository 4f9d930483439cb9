"""Look-alikes: columns that may identify people, by their names or their values, whatever role they were given.

Column --name, kinds of values, free text--> identity       who it is
       --times, points, birth dates--------> pinpointing    where and when, to the minute or the house
       --counts----------------------------> uniqueness     a value of one's own

What is found is said in words and counts, never by a cell. In a table of fewer than 20 rows names and kinds of values
decide; that no two values are equal then says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from shoal.core.number_format import percent
from shoal.inspection import lexicon, patterns
from shoal.inspection.profile import ENOUGH, FEW, Profile
from shoal.inspection.surveys import survey_codes
from shoal.tables import name_rules
from shoal.tables.column_names import Role, Rule, speaks

CROWDED, KINDS = 5, 50
"""Rows for each value, and values, up to which a number of nobody in particular numbers kinds of things."""
PEOPLE = 10
"""Values from which on a number of a person tells people apart, not the members of a household."""
WORDS, SENTENCE = 4, 7
"""Words from which on a text may be a sentence rather than a label, and from which on it is one."""
SMALL = 999
"""Whole numbers up to here are counts or points rather than numbers of people."""
ROUND = 0.3
"""The share of round values from which on whole numbers are amounts; of numbers handed out a tenth is round."""
MOMENTS = (946_684_800, 4_102_444_800)
"""Seconds since 1970 that are moments between the years 2000 and 2100."""
MEASURES = (*name_rules.SENSITIVE, name_rules.MEASURES, name_rules.WEIGHTS, name_rules.AGES)


@dataclass(frozen=True)
class LookAlike:
    """A column that may identify people, and why, in words."""

    column: str
    reason: str
    measure: bool
    """Whether it is a continuous measure or amount: as sensitive it is warned about, not refused."""


@dataclass(frozen=True)
class Resemblance:
    """What a column resembles: the reason, the kind of values if one was recognised, whether it is a measure."""

    reason: str
    pattern: str | None = None
    measure: bool = False


def look_alikes(frame: pl.DataFrame, codes: Mapping[str, tuple[Role, str, str]] | None = None) -> dict[str, LookAlike]:
    """Return the columns that may identify people, by name; of a long table values are counted on a sample.

    `codes` are the `survey_codes` among all columns of the table, where the frame has only some of them.

    >>> found = look_alikes(pl.DataFrame({"contact": ["a@b.no", "c@d.no"], "age": [30, 40]}))
    >>> found["contact"].reason, list(found)
    ('the values look like e-mail addresses', ['contact'])
    """
    codes = survey_codes(frame.columns) if codes is None else codes
    plain = (column for column in frame.iter_columns() if _is_plain(column.dtype))
    profiles = (Profile(column, estimate=True) for column in plain)
    likes = {one.name: _coded(one, codes) or identity(one) or pinpointing(one) or uniqueness(one) for one in profiles}
    return {name: LookAlike(name, like.reason, like.measure) for name, like in likes.items() if like is not None}


def _is_plain(dtype: pl.DataType) -> bool:
    """Whether values of a type may identify people: yes and no do not, and lists are refused elsewhere."""
    return not (dtype.is_nested() or dtype in (pl.Binary, pl.Object, pl.Boolean))


def _coded(profile: Profile, codes: Mapping[str, tuple[Role, str, str]]) -> Resemblance | None:
    """Recognise the record numbers of a known survey by their codes."""
    role, topic, survey = codes.get(profile.name, (None, "", ""))
    if role is not Role.IDENTIFIER or profile.distinct < PEOPLE:
        return None
    return Resemblance(f"the name is a code of the {survey}: {topic}")


def identity(profile: Profile) -> Resemblance | None:
    """Return what names a person: values of a telling kind, a name that says so, names of people, free text."""
    if not profile.distinct or profile.dtype == pl.Boolean or profile.dtype.is_temporal():
        return None
    return _kind(profile) or _people(profile) or _name(profile) or _free_text(profile)


def _kind(profile: Profile) -> Resemblance | None:
    """Recognise kinds of values that point to one person, in texts and in long whole numbers."""
    if profile.dtype != pl.String and not (profile.whole and max(profile.digits, default=0) >= 9):
        return None
    if profile.dtype != pl.String and speaks(profile.name, MEASURES):
        return None
    texts = [text for text in profile.texts if lexicon.is_answer(text)]
    for kind in patterns.IDENTIFYING if texts else ():
        if kind.fits(texts):
            return Resemblance(f"the values look like {kind.topic}", kind.topic)
    return None


def _name(profile: Profile) -> Resemblance | None:
    """Take the name at its word, unless the values are too few, too small or of another kind."""
    rule = speaks(profile.name, name_rules.IDENTIFIERS)
    if rule is None or (profile.numeric and not profile.whole and profile.dtype != pl.String):
        return None
    if profile.dtype == pl.String and patterns.DATES.fits(profile.texts):
        return None
    named = _numbers_people(profile, rule) if rule in name_rules.NUMBERS else not _is_label(profile, rule)
    return Resemblance(f"the name says {rule.topic}") if named else None


def _is_label(profile: Profile, rule: Rule) -> bool:
    """Whether the values are kinds or counts: the name speaks of what names people, but the values name nobody."""
    if lexicon.is_yes_no(profile.texts):
        return True
    if profile.few and profile.rows >= ENOUGH and rule.topic != name_rules.NAME:
        return True
    if rule.topic.endswith("number") and not any(sign.isdigit() for text in profile.texts for sign in text):
        return True
    return profile.whole and max(profile.digits, default=0) <= len(str(SMALL))


def _numbers_people(profile: Profile, rule: Rule) -> bool:
    """Whether the values of a number may be people: many, or all different in a small table."""
    if profile.rows < ENOUGH:
        ours = rule not in name_rules.WEAK and max(profile.digits, default=9) > 1
        return ours or profile.distinct == profile.present
    if rule is name_rules.OTHER_NUMBERS and profile.present > CROWDED * profile.distinct:
        return profile.distinct > KINDS
    return profile.distinct > FEW if rule in name_rules.WEAK else profile.distinct >= PEOPLE


def _people(profile: Profile) -> Resemblance | None:
    """Recognise names of people; where the column's name says a place or an illness, most values must be some."""
    if profile.dtype != pl.String or not (profile.distinct > FEW or profile.rows < ENOUGH):
        return None
    kind = patterns.MOSTLY_PEOPLE if _is_spoken(profile) else patterns.PEOPLE
    return Resemblance("the values look like names of people", kind.topic) if kind.fits(profile.texts) else None


def _free_text(profile: Profile) -> Resemblance | None:
    """Recognise sentences of which most occur once, and texts with addresses or numbers of people in them."""
    if profile.dtype != pl.String or profile.numeric:
        return None
    for topic, expression in patterns.EMBEDDED:
        hits = int(profile.values.str.contains(expression).sum())
        if hits > 0.002 * len(profile.values) and (hits > 1 or "@" in expression):
            return Resemblance(f"some values have {topic} in them")
    own = profile.distinct > FEW and profile.alone >= 0.5 * profile.distinct
    sentences = sum(len(text.split()) >= WORDS for text in profile.texts) >= 0.5 * len(profile.texts)
    varied = profile.distinct > FEW or (profile.rows < ENOUGH and profile.distinct == profile.present)
    if varied and speaks(profile.name, [name_rules.FREE_TEXTS]):
        return Resemblance("the name says free text, which may contain anything")
    long = sum(map(len, profile.texts)) >= 30 * len(profile.texts)
    told = profile.distinct > KINDS and not _is_spoken(profile) and _words(profile) >= SENTENCE
    if (own or told or profile.rows < ENOUGH) and sentences and long:
        return Resemblance("the values are free text, which may contain anything", "free text")
    return None


def _words(profile: Profile) -> float:
    """Return how many words the values have on average."""
    return sum(len(text.split()) for text in profile.texts) / len(profile.texts)


def pinpointing(profile: Profile) -> Resemblance | None:
    """Return what pins a person down in time or space: moments to the minute, birth dates, points on the map."""
    if profile.distinct < 2 or (profile.few and profile.rows >= ENOUGH):
        return None
    if _is_moment(profile):
        return Resemblance("the values are dates with a time of day, to the minute")
    birth = speaks(profile.name, (name_rules.BIRTH_DATES, name_rules.BIRTH_DATES_ABROAD, name_rules.BORN))
    if birth and (profile.dtype.is_temporal() or (profile.dtype == pl.String and patterns.DATES.fits(profile.texts))):
        return Resemblance("the name says a birth date, and the values are days")
    if _is_point(profile):
        return Resemblance("the name says geographic coordinates, and the values are precise")
    return None


def _is_moment(profile: Profile) -> bool:
    if isinstance(profile.dtype, pl.Datetime):
        return bool((profile.values.dt.truncate("1h") != profile.values).sum() >= 0.5 * len(profile.values))
    if profile.dtype == pl.String:
        return patterns.MOMENTS.fits(profile.texts)
    if not (profile.whole and profile.distinct > FEW and profile.dtype.is_numeric()):
        return False
    low, high = float(profile.values[0]), float(profile.values[-1])
    seconds = any(MOMENTS[0] * unit <= low and high <= MOMENTS[1] * unit for unit in (1, 1_000, 1_000_000))
    return seconds and not speaks(profile.name, (*MEASURES, *name_rules.IDENTIFIERS))


def _is_point(profile: Profile) -> bool:
    """Whether a column named like one holds coordinates to about a hundred metres."""
    if not profile.numeric or not speaks(profile.name, name_rules.COORDINATES):
        return False
    fine = [len(text.partition(".")[2] or text.partition(",")[2]) >= 3 for text in profile.texts]
    metres = profile.whole and max(profile.digits, default=0) >= 6
    return metres or (sum(fine) >= 0.5 * len(fine) and all(abs(_float(text)) <= 180 for text in profile.texts))


def _float(text: str) -> float:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return 0.0


def uniqueness(profile: Profile) -> Resemblance | None:
    """Return that most rows have a value of their own, or that few share one as the visits of a person do."""
    filled = profile.filled
    if filled < ENOUGH or profile.distinct < 2:
        return _small_numbering(profile) if profile.rows < ENOUGH else None
    coded = is_numbering(profile)
    most = 0.9 if not profile.numeric and speaks(profile.name, name_rules.SENSITIVE) else 0.5
    if profile.alone >= most * filled:
        share = percent(profile.alone / profile.rows)
        return Resemblance(f"{share} of the rows have a value of their own", None, _is_measure(profile, coded))
    even = (
        profile.distinct > max(0.05 * filled, KINDS)
        and profile.common <= max(0.005, 4 / profile.distinct) * profile.present
    )
    if (
        coded
        and (profile.distinct >= 0.5 * filled or even)
        and not (_is_spoken(profile) or _is_measure(profile, coded))
    ):
        return Resemblance(f"long numbers or codes, {profile.distinct:,} different ones in {profile.rows:,} rows")
    return None


def _small_numbering(profile: Profile) -> Resemblance | None:
    """Recognise codes in a small table: long, all of one length, no two alike, of a name that says nothing."""
    if profile.distinct < max(profile.present, 5) or not is_numbering(profile) or _is_measure(profile, True):
        return None
    if _is_spoken(profile):
        return None
    return Resemblance("the values look like long codes, no two alike", patterns.CODES.topic)


def _is_spoken(profile: Profile) -> bool:
    """Whether the name says what a column is."""
    rules = (*name_rules.DECIDING, *name_rules.SENSITIVE, *name_rules.QUASI)
    return speaks(profile.name, rules) is not None


def is_numbering(profile: Profile) -> bool:
    """Whether the values look like numbers or codes that were handed out: whole and long, or letters with digits."""
    if profile.whole:
        return min(profile.digits, default=0) >= 5 and max(profile.digits) - min(profile.digits) <= 1
    if profile.dtype != pl.String or profile.numeric:
        return False
    if patterns.DIAGNOSES.fits(profile.texts) or patterns.ZIP_CODES.fits(profile.texts):
        return False
    if profile.measured or any(kind.fits(profile.texts) for kind in (patterns.DATES, patterns.MONTHS, patterns.TIMES)):
        return False
    return patterns.CODES.fits(profile.texts)


def _is_measure(profile: Profile, coded: bool) -> bool:
    """Whether numbers measure something: by decimals, by the name, by signs and round values, or small and repeated."""
    if not profile.numeric:
        return profile.measured
    if not profile.whole or speaks(profile.name, MEASURES):
        return True
    below = any(text.startswith("-") and text[1:2].isdigit() for text in profile.texts)
    if below or sum(text.endswith("0") for text in profile.texts) >= ROUND * len(profile.texts):
        return profile.distinct > FEW
    small = max(profile.digits, default=0) <= len(str(SMALL))
    return small and not coded and profile.distinct < profile.present and not profile.rising
