"""Scenarios: files, examples, and networks made of files."""
