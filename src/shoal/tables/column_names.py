"""What the name of a column says about its role.

A rule is a role, a topic in words, and the words that speak of it. In a rule `*` stands for any letters, `_` for the
gap between two words; a word may have a plural s. Rules are tried in order, and the first that fits decides.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache


class Role(StrEnum):
    """The roles a column can have; open where a person has to decide."""

    IDENTIFIER = "identifier"
    QUASI = "quasi"
    SENSITIVE = "sensitive"
    OTHER = "other"
    OPEN = "open"


@dataclass(frozen=True)
class Rule:
    """Names that hold one of the words speak of the topic."""

    role: Role
    topic: str
    words: str
    whole: bool = False
    """Whether the word must be the whole name."""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The words as one expression over a name cut by `words`."""
        one = "|".join(word.replace("_", " ").replace("*", "[^ ]*") for word in self.words.split())
        return re.compile(f"^(?:{one})s?$" if self.whole else f"(?:^| )(?:{one})s?(?: |$)")

    def fits(self, cut: str) -> bool:
        """Whether a name cut by `words` speaks of the topic."""
        return self.pattern.search(cut) is not None


@lru_cache
def words(name: str) -> str:
    """Cut a name into lower-case words, at signs, capitals and digits; accents are dropped.

    >>> words("HHIncomeMid"), words("marital-status"), words("BILL_AMT1"), words("Prénom")
    ('hh income mid', 'marital status', 'bill amt 1', 'prenom')
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    plain = re.sub(r"^ID(?=[a-z])", "ID ", plain)
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", plain)
    plain = re.sub(r"(?<=[^\W\d])(?=\d)|(?<=\d)(?=[^\W\d])", " ", plain)
    return " ".join(re.sub(r"[\W_]+", " ", plain).lower().split())


I, Q, S, O = Role.IDENTIFIER, Role.QUASI, Role.SENSITIVE, Role.OTHER  # noqa: E741 - the rules read as a table

_PERSONS = (
    "patient|person|customer|client|employee|user|member|student|contact|spouse|mother|father|passenger"
    "|applicant|resident|owner|holder|subject|respondent|child|guardian"
)
_HOLDERS = (
    "case|patient|person|customer|client|employee|user|member|student|subject|passenger|participant"
    "|respondent|household|applicant|record|policy|account|order|invoice|transaction|encounter|visit"
    "|admission|claim|study|sample|loan|staff|ticket|file|registration|reference"
)
_SAMPLING = (
    "sampling|sample|survey|design|household|person|final|expansion|case|analysis|interview|exam|population"
    "|calibrated|grossing"
)

IDENTIFIERS = (
    Rule(I, "a personal name", "name first last middle prefix suffix maiden forename surname nom nombre", whole=True),
    Rule(
        I,
        "a personal name",
        "surname* forename* firstname lastname fullname nickname maiden* first_name last_name full_name"
        " given_name family_name middle_name name_first name_last *nachname* vorname* prenom* apellido* fornavn"
        f" etternavn (?:{_PERSONS})_name",
    ),
    Rule(I, "an e-mail address", "email* e_mail* mail_address courriel"),
    Rule(I, "a phone number", "phone* *telephone* telefon* cellphone *phone mobile_n[uo]* fax_n[uo]* msisdn"),
    Rule(I, "a phone number", "mobile cell fax tel", whole=True),
    Rule(
        I,
        "a national or tax number",
        "ssn ssns *social_security* nino nhs_n[uo]* national_id* national_n[uo]* nin curp cpf dni aadhaar*"
        " aadhar* pesel bsn fnr fodselsnummer personnummer cpr sin_number tax_id tax_n[uo]* tin steuer* nif insee"
        " nir",
    ),
    Rule(I, "an account or card number", "iban bic account_n[uo]* account_id card_n[uo]* cc_n[uo]* kontonummer"),
    Rule(
        I,
        "a passport, licence or plate number",
        "passport* pasaporte drivers?_licen* driving_licen* licen[cs]e_n[uo]* licen[cs]e_plate* number_plate vin",
    ),
    Rule(I, "a passport, licence or plate number", "driver licen[cs]e plate", whole=True),
    Rule(I, "a network address", "ip ip_address ipv mac_address ip_addr *_ip"),
    Rule(I, "a street address", "address* addr street* strasse* adresse* direccion* house_n[uo]*"),
    Rule(
        I,
        "an account on the net, or a likeness",
        "username user_name login_name screen_name twitter facebook instagram url website password fingerprint*"
        " photograph* biometric* device_id imei cookie*",
    ),
    Rule(
        I,
        "a record number",
        "id uid uuid guid pid hid hhid mrn nhc *_id id_* medical_record* record_n[uo]* record_id serial* rowid"
        f" row_n[uo]* (?:{_HOLDERS})_?(?:id|ids|n[or]|num|number|key|code|identifier) identifier* ticket accession*"
        " index_n[uo]* hadm",
    ),
    Rule(I, "a record number", "index row rownum rownames idx seqn key", whole=True),
)

COORDINATES = (
    Rule(Q, "a point on the map", "lat latitude* lon longitude* lng coord* easting northing gps* geolocation"),
    Rule(Q, "a point on the map", "long", whole=True),
)
BIRTH_DATES = Rule(
    Q,
    "a birth date",
    "dob yob birthdate birthday *birth_date date_of_birth birth_day birth_year year_of_birth birth_month"
    " geburts* *naissance *nacimiento fodselsdato *dateofbirth",
)
DATES = Rule(
    Q,
    "a date",
    "(?!candi|up|man|vali|accommo)*date date_* datetime timestamp *_dt fecha* datum *datum dato *time_of_*"
    " admittime dischtime",
)
YEARS = Rule(Q, "a year", "*year yr *yr jahr ano annee month quarter")

WEIGHTS = Rule(
    O,
    "a survey weight, which says how many people a record stands for",
    f"weights weights_* [a-z]+wgtp? wgt_* wt[a-z]{{3,}} (?:{_SAMPLING})_weight",
)

POSTCODES = Rule(Q, "where somebody lives", "zip* postcode* post_code* postal* plz codigo_postal postnummer")
DECIDING = (
    POSTCODES,
    Rule(Q, "where somebody was born", "birthplace* birth_place place_of_birth birth_country country_of_birth born"),
)

SENSITIVE = (
    Rule(
        S,
        "sexual life",
        "sex*_orient* *orientation* sexual* same_sex sex_(?:ever|age|num|part*|life) partners num_part*"
        " contracep* abort* std sti fertil* intercourse libido",
    ),
    Rule(
        S,
        "health",
        "*health* hlth *diagnos* *disease* *illness* sick* icd* drg *symptom* *syndrom* *disorder* *cancer*"
        " *tumo[u]?r* *diabet* stroke* heart* cardi* *cardi[oa]* *h[yi]pertens* *cholest* chol* bp blood*"
        " *glucose* hba* insulin pulse* bmi *obes* *asthma* copd *pneumon* covid* *infect* *virus* hiv aids hepat*"
        " renal* kidney* liver* lung* *immun* intub* icu ventilat* surger* *surgical* operation* treatment*"
        " therap* medication* medicine* medical_(?:condition|history|procedure|note)* prescri* dose* dosage drug*"
        " vaccin* allerg* disab* handicap* impair* pregnan* *gravid* birth_weight lab_* *test_result* hemoglobin"
        " haemoglobin creatin* sodium potassium platelet* ejection* systolic diastolic bi_rads birads gleason"
        " biops* mri ecg ekg *ecg eeg cp chest* angina* pain* inpatient* outpatient* patient_(?:type|class|status)"
        " *admission* *discharge* readmi* *mortal* *autis* *dement* alzheim* krank* *sykdom* enfermedad* maladie*"
        " hospitaliz* condition* procedure* complication* comorbid* apgar urin* *testosteron* hormon*"
        " length_of_stay gene genotype* snp sleep*",
    ),
    Rule(
        S,
        "the state of mind",
        "mental* ment *depress* anxi* psych* suicid* stress* mood* *satisfaction* well_being wellbeing iq adhd"
        " *therapy*",
    ),
    Rule(
        S,
        "what somebody takes or drinks",
        "smok* tobacco* cigar* nicotine alcohol* drink* marij* cannabis cocaine heroin opioid* meth methamph*"
        " substance* addict*",
    ),
    Rule(
        S,
        "money",
        "money *income* *salar* wage* earn* pay payment* paid payroll bonus* malus compens* expend* expens*"
        " spend* saving* balance* bal debt* loan* credit* *default* mortgage* bill bills bill_* amt *amount* cost*"
        " *charge* price* fee fare premium* *claim* limit tax* revenue* profit* *poverty* pov wealth* asset*"
        " networth net_worth benefit* pension* welfare* capital* overdue arrear* delinquen* repay* budget"
        " allowance stipend daily_rate hourly_rate monthly_rate checking_* lohn gehalt *einkommen* salario ingreso"
        " ingresos revenu *lonn* inntekt currency turnover",
    ),
    Rule(
        S,
        "how somebody was judged",
        "*score* gpa rating* *performance* evaluation* exam exams grade grades mark marks offen[cs]e* crime*"
        " crimin* felon* prior priors convict* arrest* recid* sentenc* verdict* prison* jail* disciplin*"
        " complaint* fraud*",
    ),
    Rule(S, "convictions", "politic* party *vote* voting union ballot"),
    Rule(
        S,
        "what became of somebody",
        "outcome* target label result* final severity *injur* accident* crash* *surviv* death* died dead deceas*"
        " expire* fatal* victim* churn* attrition exited response event",
    ),
    Rule(S, "working time", "*hours* overtime* weeks_* absen* sick_leave attendance"),
)

AGES = Rule(
    Q, "age", "age ages age[a-z]{1,2} age_* agegroup* edad alter alder aldersgruppe senior* elderly minor adult"
)
QUASI = (
    AGES,
    Rule(Q, "sex", "sex sexes gender* sexo genero geschlecht kjonn sexe male female civility salutation is_male"),
    Rule(
        Q,
        "origin",
        "race races racial *ethnic* etni* hisp* latino* ancestry tribe caste *origin nativ* *citizen* nationalit*"
        " immigr* migra* foreign* *language* english* mother_tongue relig* faith staatsangeh*",
    ),
    Rule(
        Q,
        "marital status",
        "marit* marstat* marri* marriage civil_stat* *civil personal_stat* partner spouse* widow* divorc*"
        " familienstand sivilstand",
    ),
    Rule(
        Q,
        "a place",
        "city cities town* village* municipal* count(?:y|ies) state states province* *region* district* countr*"
        " nation location* place* neighbo[u]?r* parish borough tract puma fips nuts lsoa msa urb* rural* rur"
        " *resid* kommune fylke ort stadt bundesland ciudad pais ville pays geo* area suburb community ward_code"
        " birthtown home_town embarked destination",
    ),
    Rule(
        Q,
        "education",
        "*educ* edu [a-z]edu *school* degree* college* isced universit* diploma* qualif* literacy student major"
        " studies ausbildung escolaridad utdanning",
    ),
    Rule(
        Q,
        "work",
        "*occupat* occup job* [a-z]job profession* work* employ* *industr* nace naics sic isco soc department*"
        " dept division* position* *title* hired hire* tenure contract* full_time part_time fulltime parttime"
        " full_part retire* milit* veteran* seniority years_at_* years_of_service assign* unemploy* beruf"
        " ocupacion company business* manager rank",
    ),
    Rule(
        Q,
        "family or home",
        "famil* child* kids *household* hh h+size famsize dependent* dependant* sibling* sib parch relation*"
        " relat parent* mother* father* guardian* husband* wife own owns owner* rent* *hous* home* room* dwelling*"
        " water roof wall* toilet* electric* bedroom* pet pets",
    ),
    Rule(Q, "a vehicle", "vehicle* car cars *fuel* engine power horsepower model* make brand* motor*"),
    Rule(Q, "looks", "height* weight eye* hair* hand handed* complexion shoe*"),
    Rule(
        Q,
        "an institution somebody deals with",
        "hospital* clinic* facility unit units ward wards provider* insurer* insurance* institution* bank branch"
        " agency physician* doctor* cabin",
    ),
)


def speaks(name: str, rules: Sequence[Rule]) -> Rule | None:
    """Return the first rule whose topic the name speaks of.

    >>> speaks("SexOrientation", (*SENSITIVE, *QUASI)).topic, speaks("Sex", (*SENSITIVE, *QUASI)).topic
    ('sexual life', 'sex')
    """
    cut = words(name)
    return next((rule for rule in rules if rule.fits(cut)), None)
