"""Numbers as people read them."""

from __future__ import annotations

from fractions import Fraction
from math import ceil


def percent(share: float) -> str:
    """Write a share so that neither few nor nearly all look like none or all.

    >>> percent(0), percent(0.00001), percent(0.123), percent(0.99999), percent(1)
    ('0 %', '<0.1 %', '12.3 %', '>99.9 %', '100 %')
    """
    if share in (0, 1):
        return f"{share:.0%}".replace("%", " %")
    return "<0.1 %" if share < 0.001 else ">99.9 %" if share > 0.999 else f"{share * 100:.1f} %"


def at_most(share: float) -> str:
    """Write a share that is an upper limit: rounded up, but for what rounding in arithmetic may have added.

    >>> at_most(0.25), at_most(0.34217), at_most(0.134 / 0.1 - 1), at_most(0.00001), at_most(12.5)
    ('25 %', '34.3 %', '34 %', '0.1 %', '1250 %')
    """
    return f"{ceil(share * 1000 - 1e-9) / 10:.10g} %"


def percents(*shares: Fraction) -> tuple[str, ...]:
    """Write exact shares with as many digits as it takes to see which differ, from each other, from none and from all.

    >>> percents(Fraction(1, 7)), percents(Fraction(2001, 10000), Fraction(1, 5)), percents(Fraction(9999, 10000))
    (('14.3 %',), ('20.01 %', '20 %'), ('99.99 %',))
    """
    told = {*shares, Fraction(0), Fraction(1)}
    for digits in range(3, 17):
        written = {share: f"{float(share) * 100:.{digits}g} %" for share in told}
        if len(set(written.values())) == len(told):
            break
    return tuple(written[share] for share in shares)


def number(level: object) -> str:
    """Write a level: up to four digits, a pair in brackets, nothing where there is none.

    >>> number(5), number(0.123456), number((0.5, 2)), number(None)
    ('5', '0.1235', '(0.5, 2)', 'unbounded')
    """
    if isinstance(level, list | tuple):
        return f"({', '.join(number(one) for one in level)})"
    return f"{level:.4g}" if isinstance(level, int | float) else "unbounded" if level is None else str(level)


def amount(value: float, digits: int = 6) -> str:
    """Write an amount with its thousands apart, and what is large without an exponent.

    >>> amount(0.3541934), amount(22400), amount(1234567.8), amount(22412.3, 4)
    ('0.354193', '22,400', '1,234,568', '22,412')
    """
    return f"{value:,.{digits}g}" if abs(value) < 10**digits - 0.5 else f"{value:,.0f}"


def counted(many: int, one: str, more: str | None = None) -> str:
    """Write how many there are of something.

    >>> counted(1, "row"), counted(1200, "row"), counted(2, "class", "classes")
    ('1 row', '1,200 rows', '2 classes')
    """
    return f"{many:,} {one if many == 1 else more or one + 's'}"
