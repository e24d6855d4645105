"""The program that fits the abstract path to the mesh at every load.

``python -m tcphoton.papers.ops.fit_mesh`` runs the NSF network of ``nsf.toml`` with ``deflect`` at
each load of the artefact ``mesh`` and prints the products of the grid ``mesh-abstract``, which
``sweeps.toml`` holds. The fit is explained in `tcphoton.papers.ops.fit`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from tcphoton.common import toml
from tcphoton.papers.ops.fit import path
from tcphoton.papers.ops.measures import MU, SIGMA, P
from tcphoton.papers.paper import load

if TYPE_CHECKING:
    from tcphoton.papers.ops.fit import Path
    from tcphoton.papers.paper import Paper

LOAD = "traffic.0.source.rate"
GRID = "mesh-abstract"


def products() -> str:
    """Run the mesh at full scale and return the text of the grid's products at both scales."""
    paper = load("ops")
    fits = _fits(paper)
    texts = []
    for scale in ("full", "quick"):
        (product,) = paper.plan["grids"]["mesh"][scale]
        for rate in product["over"][LOAD]:
            texts += [f"[[grids.{GRID}.{scale}]]", f"seeds = {product['seeds']}"]
            texts += [
                f'set."{key}" = {toml.inline(value)}'
                for key, value in product.get("set", {}).items()
            ]
            over = {
                LOAD: rate,
                P: round(fits[rate].p, 5),
                MU: f"{1e3 * fits[rate].mu:.2f} ms",
                SIGMA: f"{1e3 * fits[rate].sigma:.2f} ms",
            }
            texts += [f'over."{key}" = {toml.inline([value])}' for key, value in over.items()]
            texts.append("")
    return "\n".join(texts)


def _fits(paper: Paper) -> dict[str, Path]:
    (mesh,) = (runs for runs in paper.runs(["mesh"], "full") if runs.variant == "deflect")
    fits = {}
    for (rate,), group in mesh.sweep.run().group_by(LOAD):
        found = path(group.iter_rows(named=True))
        assert found is not None, rate
        fits[str(rate)] = found
    return fits


if __name__ == "__main__":
    sys.stdout.write(products())
