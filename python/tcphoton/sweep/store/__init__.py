"""The store of a sweep: the format of a kept run, and the runs of a folder."""
