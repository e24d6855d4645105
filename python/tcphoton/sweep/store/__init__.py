"""The store of a sweep: the form of a kept run, and the runs of a folder."""
