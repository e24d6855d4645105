"""Sweeps: many points and seeds on many workers, kept in a folder."""
