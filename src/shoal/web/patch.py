"""Drawing anew by changing what differs: what stays on the page is never taken out of it.

A control that is replaced between the press and the release of a mouse button loses the click, and one that is replaced
between two keys loses the second. So a page is drawn beside itself, compared with what is shown, and only what differs
is sent. A control is the same as before if it has the same key; it never becomes another one in place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import TypeAlias

from nicegui.element import Element

Kept: TypeAlias = dict[int, Element]
"""For the number of an element that was drawn the one that is shown in its place."""
KEY, LIVE = "data-key", "data-live"
"""The key of a control; the mark of a box whose content is drawn by itself."""


def patch(box: Element, draw: Callable[[], None]) -> Kept:
    """Draw into a box what `draw` draws, keeping every element that is there already; return which were kept."""
    with box:
        fresh = Element("div")
    box.default_slot.children.remove(fresh)
    try:
        with fresh:
            draw()
    except BaseException:
        _forget(fresh, list(fresh.descendants(include_self=True)))
        raise
    kept: Kept = {fresh.id: box}
    _merge_children(box, fresh, kept)
    _forget(box, [one for one in (box.client.elements.get(number) for number in kept) if one is not None])
    return kept


def _merge(old: Element, new: Element, kept: Kept) -> None:
    """Make one element what another is; what is below it is kept where it can be."""
    kept[new.id] = old
    if (old._props, old._classes, old._text) != (new._props, new._classes, new._text):
        old._text = new._text
        dict.clear(old._props)
        dict.update(old._props, new._props)
        old._classes[:] = new._classes
        old.update()
    if LIVE not in new._props:
        _merge_children(old, new, kept)


def _merge_children(old: Element, new: Element, kept: Kept) -> None:
    before, wanted = list(old.default_slot.children), list(new.default_slot.children)
    pairs = _paired(before, wanted)
    for one in wanted:
        if one.id in pairs:
            _merge(pairs[one.id], one, kept)
        else:
            one.parent_slot = old.default_slot
    after = [pairs.get(one.id, one) for one in wanted]
    if [one.id for one in after] == [one.id for one in before]:
        return
    stay = {one.id for one in after}
    gone = [below for one in before if one.id not in stay for below in one.descendants(include_self=True)]
    old.client.remove_elements(gone)
    old.default_slot.children[:] = after
    old.update()


def _paired(before: list[Element], wanted: list[Element]) -> dict[int, Element]:
    """Return for elements that are drawn the one that is shown, if any: by key, then by the first key below, then by
    their order.
    """
    pairs: dict[int, Element] = {}
    free = dict.fromkeys(one.id for one in before)
    for name in (_key, _first_key, _kind):
        found: dict[object, list[Element]] = defaultdict(list)
        for one in before:
            if one.id in free and (said := name(one)) is not None:
                found[said].append(one)
        for one in wanted:
            said = None if one.id in pairs else name(one)
            if said is not None and found[said]:
                pairs[one.id] = found[said].pop(0)
                del free[pairs[one.id].id]
    return pairs


def _key(one: Element) -> object:
    """Return what a control is known by; None for what is no control."""
    said = one._props.get(KEY) or one._props.get("id") or one._props.get(LIVE)
    return None if said is None else (one.tag, said)


def _first_key(one: Element) -> object:
    """Return what a box is known by: the first control in it."""
    if _key(one) is not None:
        return None
    return next(((one.tag, said) for said in _keys_below(one)), None)


def _keys_below(one: Element) -> Iterator[object]:
    for below in one.default_slot.children:
        said = _key(below)
        if said is not None:
            yield said
        else:
            yield from _keys_below(below)


def _kind(one: Element) -> object:
    """Return the kind of an element that is no control: such ones are told apart by their order alone."""
    return one.tag if _key(one) is None else None


def _forget(box: Element, drawn: list[Element]) -> None:
    """Forget elements that were drawn and are not shown: the browser never hears of them."""
    box.client.remove_elements(drawn)
    for one in drawn:
        box.client.outbox.updates.pop(one.id, None)
