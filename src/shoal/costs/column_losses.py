"""What each quasi-identifier of a release lost, in a measure that fits its recoding: the codebook states it."""

from __future__ import annotations

from shoal.costs.attribute_loss import attribute_losses
from shoal.costs.centroid_error import centroid_losses
from shoal.recoding.recode import Anatomized, Published


def column_losses(published: Published) -> dict[str, float]:
    """Return the loss of each quasi-identifier; nothing for two tables, in which they are published as they are."""
    if isinstance(published, Anatomized):
        return {}
    return centroid_losses(published) if published.recoding == "centroid" else attribute_losses(published)
