"""Every setting, declared once. Flags, keys of `shoal.toml`, arguments in Python and parts of a draft follow from this.

A setting is a field of one of four dataclasses: `Source` (the file and how it is read), `Output` (what is written),
`Request` (what is asked of a release) and `Execution` (where and within what the work is done). `LEFT_OUT`
lists what a face does not take, each with its reason. Nothing is imported that `shoal --help` would have to wait for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, MISSING, dataclass, fields
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

from shoal.core.errors import Unsupported
from shoal.core.parameters import Number, Numeral
from shoal.core.settings import (
    CODES,
    FILE,
    HIERARCHY,
    LEVELS,
    MASK,
    NAMES,
    NUMBER,
    RECODING,
    SWITCH,
    WORDS,
    Setting,
    setting,
    settings_of,
)

if TYPE_CHECKING:
    from shoal.models import Model, Models
    from shoal.models.orders import Orders
    from shoal.tables.missing_codes import Codes
    from shoal.tables.table import TableLike

Function = TypeVar("Function", bound=Callable[..., Any])

MAX_DROPPED = Number("max_dropped", "largest share of the rows that may be left out", 0, 1)
MAX_SUPPRESSED = Number("max_suppressed", "largest share of the rows that may be all stars", 0, 1)
HEADER_ROW = Number("header_row", "row that names the columns", 1, whole=True)
WEIGHT_ROUNDING = Number("weight_rounding", "published record weights are multiples of it", 1, 10**9, whole=True)
SEED = Number("seed", "random seed", 0, whole=True)
YEAR = 366 * 24 * 3600
TIME_LIMIT = Number("time_limit", "seconds after which the best so far is taken", 0, YEAR)
EFFORTS = ("quick", "normal", "best")
"""How long `auto` searches, in steps that are the same on every machine."""
SUPPRESSED = ("checked", "arx")
"""How rows are counted that full-domain recoding publishes as stars: as a class that must meet the models, or as ARX
does it, unchecked."""


def declared(formats: str, name: str) -> str:
    """List in words what the readers or writers of files declare under a name, from their text: nothing is imported.

    >>> declared("writers", "name")
    'arrow, csv, csv.bz2, csv.gz, csv.zip, csv.zst, dta, jsonl, ods, parquet, sav, xlsx, xpt, zsav'
    """
    texts = (file.read_text(encoding="utf-8") for file in (Path(__file__).parent / "tables" / formats).glob("*.py"))
    return ", ".join(sorted(re.findall(rf'\b{name}: ClassVar\[str\] = "(.+)"', "".join(texts))))


@dataclass(frozen=True, kw_only=True)
class Source:
    """The file of a table, and how it is read."""

    file: str | Path | None = setting(None, f"The table: {declared('readers', 'title')}.", section="data", kind=FILE)
    separator: str | None = setting(None, "CSV separator; detected if not given.", section="data")
    encoding: str | None = setting(None, "CSV encoding; detected if not given.", section="data")
    decimal: str | None = setting(None, "CSV decimal sign, . or , ; detected if not given.", section="data")
    sheet: str | int | None = setting(
        None, "Sheet of a workbook, by name or number; the first if not given.", section="data"
    )
    header_row: str | int | None = setting(
        None,
        "Row of a sheet that names the columns; the first that is not empty if not given.",
        section="data",
        metavar="NUMBER",
        number=HEADER_ROW,
    )
    database: str | None = setting(
        None,
        "A database to read instead of a file: sqlite:///people.db, postgresql://user@host/name, ...",
        section="data",
        key="from",
        flag="--from",
        metavar="URL",
    )
    query: str | None = setting(None, 'A table of the database, or "select ...".', section="data", metavar="TABLE")


@dataclass(frozen=True, kw_only=True)
class Output:
    """What is written, and which earlier releases it is compared with."""

    folder: str | Path | None = setting(
        None,
        "Where to put the release.",
        section="output",
        flag="--output",
        short="-o",
        metavar="DIR",
        kind=FILE,
    )
    format: str | None = setting(
        None,
        f"{declared('writers', 'name')}; with spark parquet or parquet-parts.",
        section="output",
    )
    to: str | None = setting(
        None,
        "Also write the published tables into a database, in one transaction; after # the name of the table.",
        section="output",
        metavar="URL",
    )
    overwrite: bool = setting(False, "Replace an existing release.", section="output", kind=SWITCH)
    report: bool = setting(
        False,
        "Also write report.html into public/ and internal/; see `shoal report`.",
        section="output",
        kind=SWITCH,
    )
    title: str = setting("", "The title of the report.", section="output")
    owner: str = setting("", "Who is responsible for the release, for the report.", section="output")
    purpose: str = setting("", "Recipients and purpose of the release, for the report.", section="output")
    registry: str | Path | None = setting(
        None,
        "Check against the releases recorded there, and record this one.",
        section="output",
        metavar="DIR",
        kind=FILE,
    )
    overlap: str | None = setting(
        None, "What to do if earlier releases and this one together reveal people: refuse or warn.", section="output"
    )
    follows: str | None = setting(
        None,
        "The release before this one, in which people keep their signature; or none.",
        section="output",
        metavar="DIR",
        kind=FILE,
    )


@dataclass(frozen=True)
class Columns:
    """What columns are to a release, what it must meet, and what is said of columns that depends on their roles."""

    quasi: Sequence[str] = setting(
        MISSING, "Columns an attacker may know.", section="roles", metavar="A,B,C", kind=NAMES
    )
    require: str | Model | Models | Iterable[Model] = setting(
        MISSING, 'Models, e.g. "k=5 l(disease)=3 t(salary:ordered)=0.2".', section="privacy"
    )
    sensitive: Sequence[str] = setting((), "Columns nobody must learn.", section="roles", metavar="A,B", kind=NAMES)
    identifiers: Sequence[str] = setting(
        (), "Columns that name a person; left out.", section="roles", flag="--identifier", metavar="A,B", kind=NAMES
    )
    _: KW_ONLY
    other: Sequence[str] = setting(
        (),
        "Columns to publish unchanged, unprotected; rest for all without a role.",
        section="roles",
        metavar="A,B",
        kind=NAMES,
    )
    leave_out: Sequence[str] = setting(
        (), "Columns to leave out; rest for all without a role.", section="roles", metavar="A,B", kind=NAMES
    )
    allow: Sequence[str] = setting(
        (),
        "Columns to publish although they look like identifiers or reveal other columns.",
        section="roles",
        metavar="A,B",
        kind=NAMES,
    )
    order: Orders = setting(
        {},
        "The order of a column of words, lowest first; nothing for numbers that are codes.",
        section="order",
        metavar="COLUMN=A,B,C",
        kind=WORDS,
    )
    hierarchies: Mapping[str, object] = setting(
        {},
        "A hierarchy file, or words: age=intervals:width=5,10",
        section="hierarchies",
        flag="--hierarchy",
        metavar="COLUMN=FILE",
        kind=HIERARCHY,
    )


@dataclass(frozen=True, kw_only=True)
class Choices:
    """Settings that stand by themselves: the draft of a page keeps them as they are. A new setting is mostly here."""

    person: Sequence[str] = setting(
        (),
        "Columns that together identify the person of a row, where a person has several rows; models count people.",
        section="roles",
        metavar="A,B",
        kind=NAMES,
    )
    pseudonym: str | None = setting(
        None,
        "Publish a random number for each person in a column of this name; models hold for linked rows.",
        section="roles",
        metavar="NAME",
    )
    household: str | None = setting(
        None,
        "Column that numbers households, for their risk and k-households; not published.",
        section="roles",
        metavar="COLUMN",
    )
    record_weight: str | None = setting(
        None,
        "Column that says how many people of the population a row stands for: for the risk; else left out.",
        section="roles",
        metavar="COLUMN",
    )
    weight_rounding: Numeral | None = setting(
        None,
        "Publish record weights rounded to multiples of this number; with the column named in --other.",
        section="roles",
        metavar="NUMBER",
        number=WEIGHT_ROUNDING,
    )
    unify: Sequence[str] = setting(
        (),
        "Columns of text in which spaces, case, Unicode form and date form do not matter.",
        section="data",
        metavar="A,B",
        kind=NAMES,
    )
    missing: Codes = setting(
        {},
        "Codes of a column that stand for missing values.",
        section="missing",
        metavar="COLUMN=CODES",
        kind=CODES,
    )
    max_dropped: Numeral = setting(
        0,
        "Share of rows that may be left out if the table cannot be published otherwise.",
        section="privacy",
        metavar="SHARE",
        number=MAX_DROPPED,
    )
    population: TableLike | None = setting(
        None,
        "The population's table, for kmap, presence, no-attack-journalist and payout-journalist.",
        section="privacy",
        metavar="FILE",
        kind=FILE,
    )
    max_suppressed: Numeral = setting(
        0,
        "Share of rows that full-domain recoding may publish as stars.",
        section="privacy",
        metavar="SHARE",
        number=MAX_SUPPRESSED,
    )
    suppress_sensitive: bool = setting(
        False,
        "Publish no sensitive values of rows that full-domain recoding publishes as stars.",
        section="privacy",
        kind=SWITCH,
    )
    suppressed: str = setting(
        SUPPRESSED[0],
        "checked (if not given), or arx: such rows are not checked before the audit, to compare with ARX.",
        section="privacy",
    )
    masks: Mapping[str, object] = setting(
        {},
        "How a sensitive or other column is masked before anonymization: income=round:1000, salary=noise:0.1",
        section="masks",
        flag="--mask",
        metavar="COLUMN=MASK",
        kind=MASK,
    )
    method: str = setting("auto", "A method (see `shoal methods`), or auto.", section="method", key="name")
    recoding: str | None = setting(
        None,
        "range (if nothing speaks of groups or stars), generalize, suppress, single-dimensional, full-domain, mixed, "
        "mixed-centroid, centroid, anatomy.",
        section="method",
    )
    """None: what method, cost, star and hierarchies are for, else range: `shoal.methods.auto.requested_recoding`."""
    column_recodings: Mapping[str, str] = setting(
        {},
        "How one column is recoded: suppress, generalize, range or centroid; the others by --recoding.",
        section="column_recodings",
        flag="--column-recoding",
        metavar="COLUMN=RECODING",
        kind=RECODING,
    )
    coarsen: str | Mapping[str, int] | None = setting(
        None,
        "Generalize columns beforehand: auto, hipaa, or age=2 (column and level), separated by commas.",
        section="method",
        metavar="WORDS",
    )
    levels: Mapping[str, object] = setting(
        {},
        "Levels that full-domain recoding may publish a column at: a level, or the least and the most, 1..3.",
        section="levels",
        flag="--level",
        metavar="COLUMN=LEVELS",
        kind=LEVELS,
    )
    cost: str | None = setting(None, "What to minimize: stars, ncp, height, ...", section="method")
    attribute_weights: Mapping[str, Numeral] = setting(
        {},
        "Weight of a column's loss.",
        section="attribute_weights",
        flag="--attribute-weight",
        metavar="COLUMN=NUMBER",
        kind=NUMBER,
    )
    effort: str = setting(EFFORTS[1], "How long auto searches: quick, normal (if not given) or best.", section="method")
    seed: int = setting(0, "Random seed.", section="method", number=SEED)
    time_limit: float | None = setting(
        None,
        "Stop the search after SECONDS and take the best release found.",
        section="method",
        metavar="SECONDS",
        number=TIME_LIMIT,
    )
    star: str = setting("*", "How stars are written: * or null.", section="output")
    neutralise: bool = setting(
        False, "Put an apostrophe before texts a spreadsheet would run.", section="output", kind=SWITCH
    )


@dataclass(frozen=True)
class Request(Choices, Columns):
    """Everything that is asked of a release, but the data."""

    @classmethod
    def of(cls, face: str, **settings: Any) -> Request:
        """Return the request that a face is asked for; what it does not take is refused, None is left to the default.

        >>> Request.of("compare", quasi=["age"], require="k=2", neutralise=True)
        Traceback (most recent call last):
        shoal.core.errors.Unsupported: compare does not support neutralise: it publishes nothing; leave neutralise out
        """
        given = {name: value for name, value in settings.items() if value is not None}
        for name in given:
            if name in LEFT_OUT[face]:
                raise Unsupported(f"{face} does not support {name}: {LEFT_OUT[face][name]}", hint=f"leave {name} out")
        return cls(**given)

    @property
    def grouped(self) -> bool:
        """Whether a hierarchy is given for a quasi-identifier, so that its groups are to be published."""
        return not ({self.quasi} if isinstance(self.quasi, str) else set(self.quasi)).isdisjoint(self.hierarchies)

    def start_and_limit(self) -> tuple[int, float | None]:
        """Return the random seed, and the seconds that a method has; None for as long as it takes."""
        limit = None if self.time_limit is None else float(TIME_LIMIT.read(self.time_limit, "time limit"))
        return int(SEED.read(self.seed, "seed")), limit


class Settings(TypedDict, total=False):
    """The settings of a `Request` that may be left out, as type checkers and editors know them by name."""

    sensitive: Sequence[str]
    identifiers: Sequence[str]
    person: Sequence[str]
    pseudonym: str | None
    household: str | None
    record_weight: str | None
    weight_rounding: Numeral | None
    other: Sequence[str]
    leave_out: Sequence[str]
    allow: Sequence[str]
    unify: Sequence[str]
    missing: Codes | None
    order: Orders | None
    hierarchies: Mapping[str, object] | None
    max_dropped: Numeral
    population: TableLike | None
    max_suppressed: Numeral
    suppress_sensitive: bool
    suppressed: str
    masks: Mapping[str, object] | None
    method: str
    recoding: str | None
    column_recodings: Mapping[str, str] | None
    coarsen: str | Mapping[str, int] | None
    levels: Mapping[str, object] | None
    cost: str | None
    attribute_weights: Mapping[str, Numeral] | None
    effort: str
    seed: int
    time_limit: float | None
    star: str
    neutralise: bool


@dataclass(frozen=True, kw_only=True)
class Execution:
    """Where the work is done, and within how much memory."""

    memory_limit: object = setting(
        None,
        "Most memory to use, such as 2GiB; CSV files are then processed on disk.",
        section="method",
        metavar="SIZE",
        panel="Large tables",
    )
    engine: str | None = setting(
        None, "local (if not given), or spark: the rows stay in Spark.", section="method", panel="Large tables"
    )
    spark_master: str | None = setting(
        None,
        "With spark: local[4], spark://HOST:7077, yarn, sc://HOST:15002.",
        section="method",
        metavar="URL",
        panel="Large tables",
    )


SETTINGS: Mapping[str, Setting] = settings_of(Source, Output, Request, Execution)
READING = tuple(name for name in settings_of(Source) if name not in ("file", "database"))
"""How a file is read: `shoal.tables.readers.base.ReadOptions` has the same names."""
ABOUT = ("title", "owner", "purpose")
"""What a report says of itself."""
EARLIER = ("registry", "overlap", "follows")
"""Settings about releases that were made before."""
REGISTRY = "shoal-registry"
"""The register that releases are recorded in afterwards, where none is named."""

NEVER_IGNORED = ("engine", "spark_master", "follows", "person", "pseudonym", "household", "masks")
"""Settings that a command which does not take them refuses in a `shoal.toml`: the result would be another."""
_KEPT = dict.fromkeys(
    (*settings_of(Output), "neutralise", "other", "leave_out", "allow", "weight_rounding"), "it publishes nothing"
)
_WEIGHT = {"record_weight": "it measures no risk with weights; use `shoal audit --record-weight`"}
_LOCAL = dict.fromkeys(("engine", "spark_master"), "its rows are in memory")
_DESK = dict.fromkeys(("folder", "to", "overwrite", "report", *ABOUT), "the page keeps its releases itself")
_DATABASE = ("database", "query")
_ASKED = (
    "quasi",
    "sensitive",
    "identifiers",
    "other",
    "leave_out",
    "allow",
    "require",
    "folder",
    "overwrite",
    "report",
)
"""What `start` asks for, besides the file and how it is read."""
LEFT_OUT: Mapping[str, Mapping[str, str]] = {
    "anonymize": {},
    "start": {
        **dict.fromkeys(
            (name for name in SETTINGS if name not in (*settings_of(Source), *_ASKED)),
            "add it to the `shoal.toml` that `start` writes, and run `shoal anonymize --config` with that",
        ),
        **dict.fromkeys(_DATABASE, "it reads files; use `shoal anonymize --from`"),
    },
    "codip": {
        "person": "its releases count rows; keep one row of each person",
        "pseudonym": "a number for each person would link its releases",
        "household": "its releases count rows; leave household out",
        "other": "columns published unchanged in several releases would link their rows",
        "masks": "masked cells of several releases of the same rows could be compared",
        "weight_rounding": "it publishes no record weights",
        "overwrite": "an existing folder is refused",
        "to": "its releases are folders; write `release.tables` with `shoal.tables.databases.write_tables`",
        **dict.fromkeys(("report", *ABOUT), "`shoal report` makes one of each release"),
        **dict.fromkeys(EARLIER, "`shoal register` compares each release with earlier ones"),
        **_WEIGHT,
        **_LOCAL,
    },
    "compare": {**_KEPT, **_WEIGHT, **_LOCAL, "method": "its methods are those of `methods`"},
    "frontier": {**_KEPT, **_LOCAL},
    "lattice": {
        **_KEPT,
        **_WEIGHT,
        **_LOCAL,
        **dict.fromkeys(("method", "effort", "seed"), "it examines nodes without a method"),
        **dict.fromkeys(("recoding", "column_recodings"), "its nodes are full-domain recodings"),
        "star": "it publishes nothing",
        "suppressed": "suppressed rows are always checked",
    },
    "spark": {
        "person": "rows are counted in Spark; keep one row of each person, or leave --engine spark out",
        "pseudonym": "rows are counted in Spark; leave --engine spark out",
        "household": "rows are counted in Spark; leave --engine spark out",
        **_WEIGHT,
        "weight_rounding": "round record weights in Spark beforehand",
        "masks": "mask columns in Spark beforehand",
        "suppress_sensitive": "sensitive values of suppressed rows are left out in memory; leave --engine spark out",
        "unify": "unify spellings in Spark beforehand",
        "missing": "make codes for missing values null in Spark beforehand",
        "order": "use another distance than ordered for words",
        "neutralise": "it writes Parquet, and no spreadsheet runs formulas from it",
        "decimal": "it reads numbers with a point; give a Parquet file",
        **dict.fromkeys(_DATABASE, "read it in Spark, and give the frame to `shoal.spark.anonymize`"),
        "to": "write `release.table` from Spark",
        **dict.fromkeys(("sheet", "header_row"), "it reads CSV and Parquet; save the sheet as one of these"),
        "memory_limit": "set the memory in the configuration of Spark",
        **dict.fromkeys(("report", *ABOUT), "use `shoal report` afterwards"),
        **dict.fromkeys(EARLIER, "earlier releases are compared in memory"),
    },
    "draft": {
        **_DESK,
        **dict.fromkeys(_DATABASE, "the page reads files"),
        **_LOCAL,
        "suppressed": "rows that are not checked are only for comparisons with ARX",
    },
}
"""By face, the settings that it does not take, each with its reason. All others it uses, or refuses in words."""


def takes_settings(face: str) -> Callable[[Function], Function]:
    """Let `help` and `inspect.signature` of a function name every setting of a request that its face takes.

    What its docstring does not explain is added there, in the words of the command line.
    """

    def with_settings(function: Function) -> Function:
        own = [one for one in signature(function).parameters.values() if one.kind != Parameter.VAR_KEYWORD]
        named = {one.name for one in own}
        taken = [one for one in fields(Request) if one.name not in (*LEFT_OUT[face], *named)]
        added = [
            Parameter(one.name, Parameter.KEYWORD_ONLY, default=_default(one.default), annotation=one.type)
            for one in taken
        ]
        text = function.__doc__ or ""
        lines = [f"    - `{one.name}`: {one.metadata['help']}" for one in taken if f"- `{one.name}`" not in text]
        function.__doc__ = "\n".join([text.rstrip(), "", *lines, "    "])
        vars(function)["__signature__"] = signature(function).replace(parameters=[*own, *added])
        return function

    return with_settings


def _default(given: object) -> object:
    """Return the default that a signature shows; that of a mapping is None, which is the same as an empty one."""
    return None if given is MISSING else given
