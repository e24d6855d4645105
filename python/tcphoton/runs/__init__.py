"""Runs: a scenario and a seed give a report with tables and measures."""
