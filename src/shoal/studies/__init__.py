"""Studies: methods compared, the frontier, hard tables, a synthetic census, tables of other tools, ARX."""
