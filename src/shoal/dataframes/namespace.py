"""The namespace `shoal` of frames: `df.shoal.anonymize(...)` gives back a frame of the same kind.

It is registered with polars, lazy frames too, and with pandas where that is installed, when this module is imported.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import polars as pl

from shoal.checking.audit import Audit
from shoal.inspection import Inspection, inspect
from shoal.inspection.warned_audit import audit
from shoal.pipeline import anonymize
from shoal.release.release import Release
from shoal.risk import Risk, measure

NAME = "shoal"


class Namespace:
    """What shoal does with a frame. All settings are those of the functions of the same name.

    >>> import polars as pl
    >>> people = pl.DataFrame({"age": [25, 25, 40, 41], "town": ["Oslo", "Oslo", "Oslo", "Bergen"]})
    >>> Namespace(people).anonymize(quasi=["age", "town"], require="k=2", recoding="suppress")["age"].to_list()
    ['25', '25', '*', '*']
    """

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def anonymize(self, **settings: Any) -> Any:
        """Return the published table as a frame of the same kind; see `release` for its certificate."""
        return indexed_like(self.release(**settings), self._frame)

    def release(self, **settings: Any) -> Release:
        """Return the release itself: the published table, its certificate, its audit; `save` writes the folder."""
        return anonymize(self._frame, **settings)

    def audit(self, **settings: Any) -> Audit:
        """Measure the frame from its own cells."""
        return audit(self._frame, **settings)

    def risk(self, **settings: Any) -> Risk:
        """Measure who could be found in the frame."""
        return measure(self._frame, **settings)

    def inspect(self, **settings: Any) -> Inspection:
        """Propose a role for every column, and find what singles people out."""
        return inspect(self._frame, **settings)


def indexed_like(release: Release, frame: Any) -> Any:
    """Return the published table as the kind of frame that came in; rows of pandas keep their index."""
    made = release.to_native()
    if release.source.origin.kind == "pandas":
        made.index = frame.index[release.classes.kept]
    return made


def _register() -> None:
    """Give every frame the namespace."""
    pl.api.register_dataframe_namespace(NAME)(Namespace)
    pl.api.register_lazyframe_namespace(NAME)(Namespace)
    if find_spec("pandas") is not None:
        import_module("pandas").api.extensions.register_dataframe_accessor(NAME)(Namespace)  # an optional extra


_register()
