"""Runs: one scenario and one seed become a report, its tables and measures."""
