"""Synthetic tables about people who do not exist, for examples, tests and measurements."""

from shoal.studies.synth.census import ATTRIBUTES, QUASI, SENSITIVE, Attribute, census, census_hierarchies
from shoal.studies.synth.files import write_census

__all__ = ["ATTRIBUTES", "QUASI", "SENSITIVE", "Attribute", "census", "census_hierarchies", "write_census"]
