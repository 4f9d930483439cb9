"""What the name of a column says of its values: that they are codes, counts, diagnoses, postcodes."""

from __future__ import annotations

from shoal.hierarchies.base import Topic, Topics
from shoal.tables.column_names import words
from shoal.tables.name_rules import (
    AREA_CODES,
    CODES,
    COUNTS,
    DIAGNOSIS_CODES,
    INDUSTRY_CODES,
    OCCUPATION_CODES,
    POSTCODES,
    POSTCODES_ABROAD,
)

RULES = {
    Topic.CODE: (CODES,),
    Topic.COUNT: (COUNTS,),
    Topic.DIAGNOSIS: (DIAGNOSIS_CODES,),
    Topic.INDUSTRY: (INDUSTRY_CODES,),
    Topic.OCCUPATION: (OCCUPATION_CODES,),
    Topic.AREA: (AREA_CODES,),
    Topic.POSTCODE: (POSTCODES, *POSTCODES_ABROAD),
}
"""The names of columns that speak of a topic."""


def topics_of(name: str) -> Topics:
    """Return what the name of a column says of its values.

    >>> sorted(topics_of("discharge_id")), sorted(topics_of("age"))
    ([<Topic.CODE: 'a code'>], [])
    """
    cut = words(name)
    return frozenset(topic for topic, rules in RULES.items() if any(rule.fits(cut) for rule in rules))
