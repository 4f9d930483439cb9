"""What each quasi-identifier of a release lost, in a measure that fits its recoding: the codebook states it."""

from __future__ import annotations

from shoal.costs.attribute_loss import attribute_losses
from shoal.costs.centroid_error import centroid_losses
from shoal.recoding.recode import Anatomized, Published, recoding_named


def column_losses(published: Published) -> dict[str, float]:
    """Return the loss of each quasi-identifier; nothing for two tables, in which they are published as they are."""
    if isinstance(published, Anatomized):
        return {}
    covers = recoding_named(published.recoding).covers
    return attribute_losses(published) if covers else centroid_losses(published)
