"""Several releases of the same people: the register of earlier ones, re-release, and CODIP."""
