"""Methods that choose one level of its hierarchy for every column, with the lattice they search."""
