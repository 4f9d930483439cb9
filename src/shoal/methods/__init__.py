"""Methods: one algorithm per file, found by discovery; see `base` for the contract."""
