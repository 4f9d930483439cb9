"""Hard tables with known optima: one reduction per file, found by discovery; see `base` for the contract."""
