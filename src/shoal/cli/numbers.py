"""Numbers as people read them."""

from __future__ import annotations


def percent(share: float) -> str:
    """Write a share so that neither few nor nearly all look like none or all.

    >>> percent(0), percent(0.00001), percent(0.123), percent(0.99999), percent(1)
    ('0 %', '<0.1 %', '12.3 %', '>99.9 %', '100 %')
    """
    if share in (0, 1):
        return f"{share:.0%}".replace("%", " %")
    return "<0.1 %" if share < 0.001 else ">99.9 %" if share > 0.999 else f"{share * 100:.1f} %"
