"""Readings of a paper: which of its unstated assumptions make its numbers come out.

A search evaluates many readings in waves, excludes those that a published number contradicts, and
says of each claim under which readings it agrees. See `tcphoton.readings.search`.
"""
