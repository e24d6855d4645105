"""The papers that are reproduced: one folder a paper, all with the same inside.

==================  ============================================================================
``README.md``       the question, the model and its assumptions, the figures, the claims
``scenario.toml``   the system of the paper (further scenarios beside it)
``sweeps.toml``     what is run for which figure, at each scale
``figures.py``      ``FIGURES``: functions from a table to a chart, by artefact
``measures.py``     where grids keep tables: ``derive``, which makes further measures of them
``claims.py``       ``CLAIMS``: the paper's claims with their rules
``published.csv``   the numbers that the paper's text states, each with its sentence
``results``         what the last full run found
==================  ============================================================================
"""

from tcphoton.papers.paper import Paper, Runs, load, papers

__all__ = ["Paper", "Runs", "load", "papers"]
