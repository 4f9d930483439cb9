"""Methods for l-diversity, and those along the Hilbert curve that refine them."""
