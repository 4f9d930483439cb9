"""What everything else rests on and that knows nothing of tables: errors, parameters, array types, discovery, sorting,
the limit on memory, markup, plots, the compiler, the solver, and work that a deadline can end.
"""
