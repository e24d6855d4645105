"""The papers that are reproduced: one folder per paper, all with the same structure.

==================  ============================================================================
``scenario.toml``   the system of the paper (further scenarios beside it)
``sweeps.toml``     what is run for which figure, at each scale
``claims.toml``     the paper's claims with their rules, see `tcphoton.papers.claims`
``rules.py``        the rules of its own, which `tcphoton.papers.comparisons` has no word for
``measures.py``     ``measured`` adds what rules look at to a table; ``derive`` makes further
                    measures of the tables that grids keep
``figures.py``      ``FIGURES``: functions from a table to a chart, by artefact; ``of_claims``:
                    those of what claims give under other assumptions
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
