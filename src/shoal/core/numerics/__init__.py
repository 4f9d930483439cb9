"""Special functions and roots, where a library of them would weigh more than all else: one algorithm a file."""
