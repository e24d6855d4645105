"""The documentation site: what is in `docs` and the papers' folders, as pages that open offline.

``python -m builder OUT`` (see the Makefile) gathers all pages in a folder of its own, writes those
that are generated, and hands them to Sphinx, for which every warning is an error.
"""
