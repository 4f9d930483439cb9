"""Benchmarks: side by side in one run, ratios rather than seconds, never a test."""
