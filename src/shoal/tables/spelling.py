"""What texts say: the type of their values, which of them say the same value, and which look as if they did.

Texts that are equal as numbers, dates or moments are one value to shoal: `1000`, `1000.0` and `1e3`, or `0.0` and
`-0.0`. Were they several, a spelling would single people out, and a class of one salary would pass as diverse. Leading
zeros (`007`) make a code, which is never taken for a number. Texts that differ in spaces, letter case, Unicode form,
leading zeros or the form of a date are told of, and are made one value where that is asked for (`unify`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import polars as pl

from shoal.core.number_format import counted

CODE = r"^[+-]?0[0-9]"
"""A text of digits that is no number: it begins with a zero too many."""
NUMBER = r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$"
INVISIBLE = r"[\u00AD\u200B-\u200D\u2060\uFEFF]"
DAYS = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%b %d %Y", "%B %d %Y")
MONTHS = ("%Y-%m", "%Y/%m", "%m/%Y", "%b %Y", "%B %Y", "%b-%Y", "%Y %b", "%Y %B")
"""Forms of dates that can be read in one way only; 03/04/2020 cannot."""
_MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
DATED = (
    r"^[0-9]{1,4}[-/.][0-9]{1,4}(?:[-/.][0-9]{1,4})?$|^[0-9]{4} "
    f"{_MONTH}$|^(?:[0-9]{{1,2}} )?{_MONTH}[ -](?:[0-9]{{1,2}},? )?[0-9]{{4}}$"
)
"""What any of these forms looks like, in small letters."""
FEW = 10
"""Values that are tried before all are."""


def infer(column: pl.Series, *, commas: bool = False) -> pl.Series:
    """Give a column of text the type its values have, if no two different values would become one.

    So `01234` stays text (a postcode), and so do whole numbers too long for a floating-point number.

    >>> infer(pl.Series(["1", "2"])).dtype, infer(pl.Series(["01", "2"])).dtype, infer(pl.Series(["1.1", "1.10"])).dtype
    (Int64, String, Float64)
    >>> infer(pl.Series(["2024-02-29", None])).dtype, infer(pl.Series(["1,5"]), commas=True).dtype
    (Date, Float64)
    """
    distinct = column.unique().drop_nulls() if column.dtype == pl.String else column.clear()
    if distinct.is_empty():
        return column
    if set(distinct.head(3)) <= {"true", "false"}:
        return column == "true"
    if distinct.str.contains(CODE).any():
        return column
    for dtype in (pl.Int64, pl.Float64, pl.Date, pl.Datetime("us")):
        if _cast(distinct.head(FEW), dtype, commas).null_count():
            continue
        typed = _cast(distinct, dtype, commas)
        if typed.null_count() == 0 and not _blurred(_points(distinct) if commas else distinct, typed):
            return _cast(column, dtype, commas)
    return column


def infer_dates(column: pl.Series) -> pl.Series:
    """Give a column of text whose values are all dates that type; numbers that are written as text stay text.

    >>> infer_dates(pl.Series(["2024-02-29", None])).dtype, infer_dates(pl.Series(["2024"])).dtype
    (Date, String)
    """
    typed = infer(column)
    return typed if typed.dtype.is_temporal() else column


def infer_file(column: pl.Series, *, commas: bool = False) -> pl.Series:
    """Give a column of a text file the type its values have; `NaN` among numbers with a point is missing.

    So a column of floats that was written as text reads as it was.

    >>> infer_file(pl.Series(["1.5", "NaN"])).to_list(), infer_file(pl.Series(["1", "NaN"])).to_list()
    ([1.5, None], ['1', 'NaN'])
    """
    typed = infer(column.set(column == "NaN", None), commas=commas)
    return typed if typed.dtype.is_float() else infer(column, commas=commas)


def _blurred(written: pl.Series, typed: pl.Series) -> bool:
    """Whether values of the type would say less than the texts: NaN, or two different values that become one."""
    merged = typed.n_unique() < len(written)
    if typed.dtype.is_float():
        long = written.str.contains(r"^[+-]?[0-9]{16,}$").any()
        return bool(typed.is_nan().any() or long or (merged and number_keys(written).n_unique() > typed.n_unique()))
    return bool(merged and typed.dtype == pl.Datetime and written.str.contains(r"\.[0-9]{6}[0-9]*[1-9]").any())


def _cast(column: pl.Series, dtype: pl.DataType | type[pl.DataType], commas: bool) -> pl.Series:
    if dtype == pl.Float64 and commas:
        column = _points(column)
    if dtype == pl.Date:
        return column.str.to_date("%Y-%m-%d", strict=False)
    if isinstance(dtype, pl.Datetime):
        spaced = column.str.replace(r"^([0-9]{4}-[0-9]{2}-[0-9]{2})T", "$1 ")
        return spaced.str.to_datetime("%Y-%m-%d %H:%M:%S%.f", time_unit=dtype.time_unit, strict=False)
    return column.cast(dtype, strict=False)


def _points(column: pl.Series) -> pl.Series:
    """Return texts with a decimal point where they have a decimal comma."""
    return column.str.replace(r"^([+-]?[0-9]+),([0-9]+)$", "$1.$2")


def number_keys(texts: pl.Series) -> pl.Series:
    """Return for each number a text that all its spellings share, without rounding; null for what is no number.

    >>> number_keys(pl.Series(["1000", "1e3", "+1000.00", "-0.0", "0", "0.10", "x"])).to_list()
    ['1e3', '1e3', '1e3', '0', '0', '1e-1', None]
    """
    text = pl.col("text")
    whole = text.str.extract(r"^[+-]?([0-9]*)").fill_null("")
    fraction = text.str.extract(r"\.([0-9]*)").fill_null("")
    power = text.str.extract(r"[eE]([+-]?[0-9]+)$").fill_null("0").cast(pl.Int64, strict=False)
    digits = (whole + fraction).str.strip_chars_start("0")
    short = digits.str.strip_chars_end("0")
    shift = power - fraction.str.len_bytes().cast(pl.Int64)
    shift += digits.str.len_bytes().cast(pl.Int64) - short.str.len_bytes().cast(pl.Int64)
    sign = pl.when(text.str.starts_with("-")).then(pl.lit("-")).otherwise(pl.lit(""))
    key = pl.when(short == "").then(pl.lit("0")).otherwise(sign + short + "e" + shift.cast(pl.String))
    return texts.to_frame("text").select(pl.when(text.str.contains(NUMBER)).then(key).alias("key")).to_series()


def equal_keys(texts: pl.Series, *, commas: bool = False) -> pl.Series:
    """Return for each text one that all texts of the same number, date or moment share."""
    written = _points(texts) if commas else texts
    typed = infer(written)
    if typed.dtype.is_temporal():
        return typed.cast(pl.String)
    numbers = written.set(~written.str.contains(NUMBER) | written.str.contains(CODE), None)
    known = numbers.drop_nulls()
    if known.cast(pl.Float64).n_unique() == len(known):  # equal numbers would be rounded to the same
        return "~" + written
    return _first_of(written, number_keys(numbers))


def alike_keys(texts: pl.Series) -> pl.Series:
    """Return for each text one that all texts share which differ in spaces, case, Unicode or form alone.

    >>> alike_keys(pl.Series([" New  York", "new\\u00a0york", "007", "7.0", "Jan 2020", "2020-01"])).to_list()
    ['~new york', '~new york', '=7e0', '=7e0', '=2020-01', '=2020-01']
    """
    plain = texts
    if texts.str.contains(r"[^\x00-\x7F]").any():
        plain = texts.str.normalize("NFKC").str.replace_all(INVISIBLE, "")
    plain = plain.str.replace_all(r"\s+", " ").str.strip_chars(" ").str.to_lowercase()
    if not _has_digits(plain):  # neither numbers nor dates
        return "~" + plain
    return _first_of(plain, number_keys(plain), *_date_keys(plain))


def _date_keys(texts: pl.Series) -> list[pl.Series]:
    """Return for each form of a date the day or month of the texts that have it."""
    dated = texts.set(~texts.str.contains(DATED), None)
    if dated.null_count() == len(texts):
        return []
    days = [_dated(dated, form, "%Y-%m-%d") for form in DAYS]
    return days + [_dated("1 " + dated, f"%d {form}", "%Y-%m") for form in MONTHS]


def first_days(texts: pl.Series) -> pl.Series:
    """Return the day that each text says in a form that can be read in one way only, of a month its first day.

    >>> first_days(pl.Series(["7 Mar 2024", "07-MAR-2024", "March 2024", "03/04/2024"])).cast(pl.String).to_list()
    ['2024-03-07', '2024-03-07', '2024-03-01', None]
    """
    plain = texts.str.to_lowercase().str.replace_all(r"([0-9])-([a-z])", "$1 $2").str.replace_all(r"([a-z])-", "$1 ")
    dated = plain.set(~plain.str.contains(DATED), None)
    found = pl.Series([None] * len(texts), dtype=pl.Date)
    if dated.null_count() == len(texts):
        return found
    for form in DAYS:
        found = found.fill_null(_in_form(dated, form))
    for form in MONTHS:
        found = found.fill_null(_in_form("1 " + dated, f"%d {form}"))
    return found


def _dated(texts: pl.Series, form: str, key: str) -> pl.Series:
    """Return the key of each text that is a date of a form."""
    return _in_form(texts, form).dt.strftime(key)


def _in_form(texts: pl.Series, form: str) -> pl.Series:
    """Return the texts that are dates of a form, with a year of four digits, as dates."""
    date = texts.str.to_date(form, strict=False)
    return date.set(date.dt.year() < 1000, None)


def _first_of(texts: pl.Series, *keys: pl.Series) -> pl.Series:
    """Return the first key that is there, marked as that of a value; else the text itself."""
    found = [pl.lit("=" + key) for key in keys]
    return texts.to_frame("text").select(pl.coalesce(*found, pl.lit("~") + pl.col("text"))).to_series()


def one_spelling(column: pl.Series, *, commas: bool = False) -> pl.Series:
    """Return a column of text in which equal numbers, dates and moments are spelt in one way: the shortest.

    >>> one_spelling(pl.Series(["1000.0", "1000", None, "n/a", "007", "7"])).to_list()
    ['1000', '1000', None, 'n/a', '007', '7']
    """
    return _spelt(column, _equal(column.unique().drop_nulls(), commas))


def spelt_like(column: pl.Series, other: pl.Series) -> pl.Series:
    """Return a column of text whose numbers and dates are spelt as an equal one of another column is.

    >>> spelt_like(pl.Series(["1000.0", "5", "x"]), pl.Series(["1000", "x"])).to_list()
    ['1000', '5', 'x']
    """
    if column.dtype != pl.String or other.dtype != pl.String:
        return column
    texts = pl.concat([column, other]).unique().drop_nulls()
    own = texts.is_in(other.unique().implode()).cast(pl.Int64)
    return _spelt(column, _groups(texts, equal_keys(texts), own))


def unified(column: pl.Series) -> pl.Series:
    """Return a column in which texts that are alike are spelt as most rows spell them; numbers are left as they are.

    >>> unified(pl.Series(["Oslo", "oslo ", "Oslo", None, "Bergen"])).to_list()
    ['Oslo', 'Oslo', 'Oslo', None, 'Bergen']
    """
    if column.dtype not in (pl.String, pl.Enum):
        return column
    counted = column.cast(pl.String).drop_nulls().alias("text").value_counts(name="times")
    groups = _groups(counted["text"], alike_keys(counted["text"]), counted["times"].cast(pl.Int64))
    return _spelt(column.cast(pl.String), groups).cast(column.dtype)


def spelling_notes(columns: Iterable[pl.Series], *, commas: bool = False) -> dict[str, tuple[str, ...]]:
    """Say by name which columns of text spell values in several ways: in counts, never by a cell.

    >>> spelling_notes([pl.Series("pay", ["1000", "1000.0", "n/a"])])
    {'pay': ("column 'pay': 2 spellings of 1 equal number or date are read as one value each",)}
    >>> spelling_notes([pl.Series("town", ["Oslo", "oslo ", "Bergen"])])["town"][0].split(";")[1]
    " unify them with unify=['town'] or --unify town if they mean the same"
    """
    texts = (column for column in columns if column.dtype in (pl.String, pl.Categorical))
    found = {column.name: tuple(_notes(column.unique().cast(pl.String), commas)) for column in texts}
    return {name: notes for name, notes in found.items() if notes}


def _notes(column: pl.Series, commas: bool) -> Iterator[str]:
    texts = column.unique().drop_nulls()
    equal = _equal(texts, commas)
    if equal.height:
        values = counted(equal["key"].n_unique(), "equal number or date", "equal numbers or dates")
        yield f"column {column.name!r}: {equal.height:,} spellings of {values} are read as one value each"
    texts = _spelt(texts, equal).unique()
    alike = _groups(texts, alike_keys(texts)) if infer(texts, commas=commas).dtype == pl.String else texts.clear()
    if len(alike):
        yield (
            f"column {column.name!r}: {len(alike):,} different texts differ from another one in spaces, letter case, "
            f"Unicode form, leading zeros or the form of a date alone; unify them with unify=[{column.name!r}] or "
            f"--unify {column.name} if they mean the same"
        )


def _equal(texts: pl.Series, commas: bool) -> pl.DataFrame:
    """Return the texts of equal numbers, dates or moments, of texts that all differ."""
    texts = texts if _has_digits(texts) else texts.clear()
    return _groups(texts, equal_keys(texts, commas=commas) if len(texts) else texts)


def _has_digits(texts: pl.Series) -> bool:
    """Whether any text has a digit: without one there are neither numbers nor dates, and much need not be looked at."""
    return bool(texts.str.contains("[0-9]").any())


def _groups(texts: pl.Series, keys: pl.Series, times: pl.Series | None = None) -> pl.DataFrame:
    """Return the texts that share a key with another, and what stands for each: the commonest, then the shortest."""
    if keys.n_unique() == len(keys):
        return pl.DataFrame(schema={"text": pl.String, "key": pl.String, "n": pl.Int64, "shown": pl.String})
    rank = pl.zeros(len(texts), pl.Int64, eager=True) if times is None else times
    shared = pl.DataFrame({"text": texts, "key": keys, "n": rank}).filter(pl.col("key").is_duplicated())
    order = shared.sort("n", pl.col("text").str.len_chars(), "text", descending=[True, False, False])
    return order.with_columns(pl.col("text").first().over("key").alias("shown"))


def _spelt(column: pl.Series, groups: pl.DataFrame) -> pl.Series:
    """Return a column in which each text is what stands for it."""
    return column.replace(groups["text"], groups["shown"]) if groups.height else column
