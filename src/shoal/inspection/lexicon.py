"""Words that values are made of: sexes, countries, illnesses, given names, yes and no."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from shoal.tables.column_names import Role


@dataclass(frozen=True)
class Words:
    """Texts that hold words of one kind."""

    role: Role
    topic: str
    known: frozenset[str]
    needed: int
    """How many of the known words must occur."""
    share: float = 0.5
    """The share of the distinct values that must hold one."""

    def fits(self, values: Sequence[str]) -> bool:
        """Whether enough known words occur in enough values."""
        found: set[str] = set()
        hits = 0
        for value in values[:200]:
            here = self.known.intersection(re.split(r"[^\w]+", value.lower())) | self.known & {value.lower()}
            found |= here
            hits += bool(here)
        return len(found) >= self.needed and hits >= self.share * min(len(values), 200)


def _words(text: str) -> frozenset[str]:
    return frozenset(word.replace("_", " ") for word in text.split())


GIVEN = _words(
    """
    adam ahmed aisha alex alexander ali alice amelia amit ana anders andreas andrew anita ann anna anne anthony
    ashley astrid barbara ben benjamin betty bill bjorn bob brian camille carlos carmen charles chen chiara
    chloe chris christopher claire dan daniel dave david dmitri donald donna edward elena elizabeth ella emily
    emma erik fatima francesca george giovanni giuseppe grace hannah hans hassan heike helen henry hiroshi
    ibrahim ida ingrid ivan jack james jan jane jean jennifer jessica jim joe john jose joseph joshua juan julia
    karen kari kate kenneth kevin kimberly klaus lars laura lea lena leo li liam linda lisa luca lucas lucia
    luis marco margaret maria marie mark martin mary matthew max mia michael michelle miguel mike ming mohammed
    monika muhammad nancy natalia nathan nils noah nora ole olga oliver olivia omar pablo paolo patricia paul
    pedro per peter petra philip pierre piet priya rachel raj rebecca richard robert ronald ruth sabine sakura
    sam samuel sandra sanjay sarah sergei simon sofia sophia sophie stefan steve steven susan takashi thomas tim
    tom ursula victoria wei willem william ying yuki yusuf
    """
)
"""Common given names of many countries; a column of personal names holds some of them."""
_COUNTRIES = _words(
    """
    argentina australia austria belgium brazil bulgaria canada chile china colombia croatia cuba denmark ecuador
    egypt england estonia finland france germany ghana greece guatemala haiti hungary iceland india indonesia
    iran iraq ireland israel italy jamaica japan kenya korea latvia lithuania luxembourg malaysia mexico morocco
    nepal netherlands nigeria norway pakistan peru philippines poland portugal romania russia serbia slovakia
    slovenia spain sweden switzerland thailand turkey uganda ukraine usa united_states united_kingdom vietnam
    """
)
_STATES = _words(
    """
    al ak az ar ca co ct de fl ga hi id il in ia ks ky la me md ma mi mn ms mo mt ne nv nh nj nm ny nc nd oh ok
    or pa ri sc sd tn tx ut vt va wa wv wi wy dc alabama alaska arizona arkansas california colorado connecticut
    delaware florida georgia hawaii idaho illinois indiana iowa kansas kentucky louisiana maine maryland
    massachusetts michigan minnesota mississippi missouri montana nebraska nevada ohio oklahoma oregon
    pennsylvania tennessee texas utah vermont virginia washington wisconsin wyoming
    """
)
_ILLS = _words(
    """
    flu influenza gout asthma cancer diabetes hypertension pneumonia bronchitis gastritis ulcer fracture
    syndrome disorder disease infection infarction stroke hiv aids hepatitis arthritis dermatitis sinusitis
    pharyngitis tuberculosis covid depression anxiety schizophrenia dementia epilepsy migraine obesity anemia
    anaemia carcinoma tumor tumour leukemia cholesterol sprain concussion overdose dyspepsia indigestion malaria
    measles eczema allergy
    """
)
SPEAKING = (
    Words(
        Role.QUASI,
        "the sexes",
        _words("male female man woman men women mann frau weiblich hombre mujer homme femme kvinne"),
        2,
    ),
    Words(
        Role.QUASI,
        "marital states",
        _words("married single divorced widowed separated unmarried verheiratet ledig gift"),
        2,
    ),
    Words(
        Role.QUASI,
        "ethnic groups",
        _words("white black asian hispanic caucasian latino latina native african hawaiian"),
        2,
    ),
    Words(Role.QUASI, "countries", _COUNTRIES, 3),
    Words(Role.QUASI, "states of the USA", _STATES, 5, 0.9),
    Words(
        Role.QUASI,
        "levels of education",
        _words("bachelor bachelors master masters doctorate phd college diploma isced"),
        2,
        0.3,
    ),
    Words(Role.SENSITIVE, "illnesses", _ILLS, 2, 0.3),
)
YES_NO = _words("0 1 yes no y n true false t f ja nein nei oui non si")
UNSURE = _words("unknown na n/a missing refused maybe other none ? . na-code")


def is_yes_no(values: Sequence[str]) -> bool:
    """Whether the values are two answers, yes and no, and at most unsure ones besides.

    >>> is_yes_no(["Yes", "No", "Unknown"]), is_yes_no(["1", "0"]), is_yes_no(["1", "2"])
    (True, True, False)
    """
    plain = {value.strip().lower() for value in values}
    return len(plain & YES_NO) == 2 and plain <= YES_NO | UNSURE
