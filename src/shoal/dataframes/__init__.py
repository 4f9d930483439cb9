"""Frames of polars and pandas, and pipelines of scikit-learn: importing this package gives every frame `df.shoal`.

    import shoal.dataframes
    df.shoal.anonymize(quasi=["age", "town"], require="k=5", leave_out="rest")

`Anonymizer` is a transformer of scikit-learn; it is loaded when it is first used.
"""

from typing import TYPE_CHECKING

from shoal.core.on_demand import on_demand
from shoal.dataframes.namespace import Namespace

if TYPE_CHECKING:
    from shoal.dataframes.transformer import Anonymizer

__all__ = ["Anonymizer", "Namespace"]

__getattr__ = on_demand(__name__)
