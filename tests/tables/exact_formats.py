"""Formats by what their files can hold."""

from shoal.tables import writers
from shoal.tables.readers.base import installed
from shoal.tables.writers.base import LabelWriter, Writer

EXACT = tuple(kind for kind in installed(writers, Writer) if not issubclass(kind, LabelWriter))
"""Writers of any table whatever, with all its types; the others read back what they wrote, and refuse what differs."""
EXACT_FORMATS = tuple(kind.name for kind in EXACT)
EXACT_SUFFIXES = tuple(suffix for kind in EXACT for suffix in kind.suffixes)
