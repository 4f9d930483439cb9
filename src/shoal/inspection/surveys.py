"""Surveys whose columns have standard codes in many countries and years."""

from __future__ import annotations

import re
from collections.abc import Sequence

from shoal.tables.column_names import Role

I, Q, S, O = Role.IDENTIFIER, Role.QUASI, Role.SENSITIVE, Role.OTHER  # noqa: E741 - the codebooks read as tables
OPEN = Role.OPEN

CODEBOOKS: tuple[tuple[str, tuple[tuple[Role, str, str], ...]], ...] = (
    (
        "American Community Survey",
        (
            (I, "a record number", "serialno|sporder"),
            (O, "a survey weight", r"p?wgtp\d*"),
            (Q, "age", "agep"),
            (
                Q,
                "origin",
                r"rac\dp\w*|rac(?:blk|wht|asn|aian|nh|pi|sor|num)|hisp|cit|nativity|pobp|anc\dp|lanx|lanp|eng",
            ),
            (Q, "marital status", "msp|mar"),
            (Q, "a place", "puma|st|powpuma|migpuma"),
            (Q, "education", "schl|schg|edu"),
            (Q, "work", r"occp|socp|indp\w*|naicsp|cow"),
            (OPEN, "work", "esr|mil|vps"),
            (Q, "family or home", "noc|npf|np|nrc"),
            (OPEN, "family or home", "relp|relshipp|ten|bld|veh|rmsp|bdsp|hht|hupac|own_?rent|housing_?type"),
            (S, "money", r"pincp\w*|wagp|ssp|ssip|pap|retp|semp|intp|oip|pernp|hincp|fincp|povpip|fs"),
            (S, "health", "ddrs|dear|deye|dout|dphy|dratx?|drem|dvet|dis|hicov|privcov|pubcov|hins\\d"),
            (S, "working time", "wkhp|wkwn|wkw"),
        ),
    ),
    (
        "EU statistics on income and living conditions",
        (
            (I, "a record number", "[rpdh][bx]030"),
            (O, "a survey weight", "rb050|rb06\\d|db0[89]0|pb0[46]0|rl070"),
            (Q, "a place", "db040|db100"),
            (Q, "a birth date", "rb0[78]0|pb1[34]0"),
            (Q, "sex", "rb090|pb150"),
            (Q, "marital status", "pb190|pb200"),
            (Q, "origin", "pb210|pb220[ab]"),
            (Q, "education", "pe040"),
            (OPEN, "education", r"pe\d{3}"),
            (Q, "work", "pl03[01]|pl05[01]|pl111"),
            (OPEN, "work", r"pl\d{3}[a-z]?"),
            (Q, "family or home", "hx040|hsize"),
            (OPEN, "family or home", r"hh\d{3}|hx0[56]0|eqss"),
            (S, "money", r"[hp]y\d{3}[ng]?|hs\d{3}|hx090|eqincome"),
            (S, "health", r"ph\d{3}"),
        ),
    ),
)
"""For each survey role, topic and codes."""
CODES_NEEDED = 3
"""How many columns must bear a survey's codes before its codebook is believed."""


def survey_codes(names: Sequence[str]) -> dict[str, tuple[Role, str, str]]:
    """Return role, topic and survey of the columns that bear a survey's codes, if enough of them do.

    >>> survey_codes(["RB090", "PL030", "PY010N", "note"])["PL030"]
    (<Role.QUASI: 'quasi'>, 'work', 'EU statistics on income and living conditions')
    >>> survey_codes(["mar", "note"])
    {}
    """
    found: dict[str, tuple[Role, str, str]] = {}
    for survey, entries in CODEBOOKS:
        patterns = [(role, topic, re.compile(code)) for role, topic, code in entries]
        here = {
            name: (role, topic, survey)
            for name in names
            for role, topic, pattern in reversed(patterns)
            if pattern.fullmatch(name.lower())
        }
        if len(here) >= CODES_NEEDED:
            found |= here
    return found
