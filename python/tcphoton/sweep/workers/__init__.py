"""The workers of a sweep: what they do, processes of this machine, and clusters."""
