"""A transformer of scikit-learn: the rows it is fitted to come out as they are published. Needs the extra `ml`."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, Unpack

import numpy as np
import polars as pl

from shoal.core.errors import Unsupported
from shoal.core.number_format import counted
from shoal.dataframes.namespace import indexed_like
from shoal.models import Model, Models
from shoal.pipeline import anonymize
from shoal.release.release import Release
from shoal.request import Settings, takes_settings
from shoal.tables.table import Table

try:
    from sklearn.base import BaseEstimator, TransformerMixin
except ImportError:  # the extra `ml` is not installed: who makes an `Anonymizer` is told

    class BaseEstimator:  # type: ignore[no-redef]
        """Stands for that of scikit-learn."""

    class TransformerMixin:  # type: ignore[no-redef]
        """Stands for that of scikit-learn."""


class Anonymizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Guarantees that what `fit_transform` returns is the published table of a release, or an error is raised.

    It takes frames of pandas and polars, and gives back the same kind, row by row in the same order, pandas with its
    index: so `y` fits as before. Identifiers and columns that are left out are gone; `get_feature_names_out` names the
    others. `release_` is the release, with its certificate. The parameters are the settings of `shoal.anonymize`.

    A release speaks of the rows it was made of. Other rows have no class in it, so `transform` of other rows is
    refused: fit on all rows that are to be published.
    """

    @takes_settings("anonymize")
    def __init__(
        self, *, quasi: Sequence[str] = (), require: str | Model | Models = "k=5", **settings: Unpack[Settings]
    ) -> None:
        if find_spec("sklearn") is None:
            raise Unsupported("a transformer needs scikit-learn", hint="pip install 'shoal[ml]'")
        self.quasi, self.require = quasi, require
        for name, default in self._defaults().items():
            setattr(self, name, settings.get(name, default))

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        """Return the settings that may be left out, with their defaults."""
        return {name: one.default for name, one in cls._signature().items() if name not in ("self", "quasi", "require")}

    @classmethod
    def _signature(cls) -> dict[str, Any]:
        return dict(cls.__init__.__signature__.parameters)  # type: ignore[attr-defined]

    def fit(self, X: Any, y: object = None) -> Anonymizer:  # noqa: N803 - the library's names
        """Make a release of some rows, none of which may be dropped."""
        asked = {name: given for name, given in self.get_params(deep=False).items() if given is not None}
        self.release_ = anonymize(X, **asked)
        if dropped := self.release_.certificate.dropped:
            raise Unsupported(
                f"the release drops {counted(dropped, 'row')}, and a transformer must keep all of them",
                hint="leave max_dropped out",
            )
        self.n_features_in_ = len(self.release_.source.columns)
        self.feature_names_in_ = np.array(self.release_.source.columns, dtype=object)
        return self

    def fit_transform(self, X: Any, y: object = None, **fit_params: Any) -> Any:  # noqa: N803
        """Return the rows as they are published."""
        return self.fit(X, y).transform(X)

    def transform(self, X: Any) -> Any:  # noqa: N803
        """Return the rows as they are published, if they are those that the release was made of."""
        release = self._fitted()
        if not _same(Table.of(X).frame, release.original):
            raise Unsupported(
                "these are not the rows that the release was made from, and other rows have no class in it",
                hint="use fit_transform on all rows that are to be published",
            )
        return indexed_like(release, X)

    def get_feature_names_out(self, input_features: object = None) -> Any:
        """Return the names of the published columns."""
        return np.array(self._fitted().table.columns, dtype=object)

    def _fitted(self) -> Release:
        """Return the release, or raise where there is none yet."""
        if not hasattr(self, "release_"):
            raise Unsupported("nothing was fitted yet, so there is no release", hint="call fit_transform first")
        return self.release_


def _same(frame: pl.DataFrame, other: pl.DataFrame) -> bool:
    """Whether two frames have the same columns and rows."""
    return frame.columns == other.columns and frame.equals(other)
