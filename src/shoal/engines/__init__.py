"""Engines: the same steps where the rows are on many machines. What a row becomes is decided from counts, or by
the workers, each with a region of the table.

No engine is loaded before it is asked for, and none has a scheduler, a shuffle or a storage of its own.
"""
