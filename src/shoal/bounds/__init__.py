"""Lower bounds, one per file; see `base` for the contract."""
