"""Scenarios: files, examples, and networks imported from files."""
