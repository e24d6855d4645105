"""The papers that are reproduced: one folder per paper, all with the same structure.

==================  ============================================================================
``scenario.toml``   the system of the paper (further scenarios beside it)
``sweeps.toml``     what is run for which figure, at each scale
``figures.py``      ``FIGURES``: functions from a table to a chart, by artefact
``measures.py``     where grids keep tables: ``derive``, which makes further measures of them
``rules.py``        the rules by which claims are judged
``claims``          ``CLAIMS``: the paper's claims with their rules, a module for some figures each
``published.csv``   the numbers that the paper's text states, each with its sentence
``readings.toml``   what the paper leaves unsaid, and how its readings are searched
``readings``        readings that are kept, a file each
==================  ============================================================================

What the last full run found does not come with the package: it is in the source tree, in a folder
``papers`` with a folder a paper, whose ``README.md`` has the question, the model and its
assumptions, the figures and the claims, and whose ``results`` has the ledger and small figures.
"""

from tcphoton.papers.paper import Paper, Runs, is_own, load, papers

__all__ = ["Paper", "Runs", "is_own", "load", "papers"]
