"""The documentation site: `docs` and the papers' folders, as pages that work offline.

``python -m builder OUT`` (see the Makefile) collects all pages in a separate folder, writes the
generated ones, and runs Sphinx, for which every warning is an error.
"""
