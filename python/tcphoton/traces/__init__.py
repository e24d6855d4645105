"""Traces: the single packets of a run, and the files that other programs read."""
