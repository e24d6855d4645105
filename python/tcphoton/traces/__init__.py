"""Traces: the single packets of a run, and files of them for other programs."""
