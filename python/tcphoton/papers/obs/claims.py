"""The claims of the paper in the order of its sheet, with what is looked at for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tcphoton.papers.ledger import Claim, Part
from tcphoton.papers.obs.measures import EIGHT, HIGH, LOW, SESSIONS, TIMEOUT
from tcphoton.papers.obs.measures import LOSS as P
from tcphoton.papers.obs.rules import (
    adds_about,
    adds_at_most,
    equals_its_rate,
    falls_about,
    flat_from_200,
    gains_about,
    grows_with_p,
    grows_with_size,
    hardly_moved_by_size,
    hardly_moved_by_timeout,
    reaches_full_rate_earlier,
    rises_to_200,
    severe,
    timeout_costs_about,
    timeout_delays_about,
    timeout_matters_less,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["CLAIMS"]

FAST, SLOW = SESSIONS[1000], SESSIONS[200]
WINDOW = ("no validation", "validation", "ssthresh from flight")
ASSUMED = ("warm-up of 2 s", "ingress drops", "no fibre delays", "one void", "first fit")
ASSUMED_OF_THREE = (
    "as assumed",
    *ASSUMED,
    "access at 100 Gb/s",
    "no access links",
    "no access links; drops",
)
ASSUMED_OF_EIGHT = ("as assumed", *ASSUMED, "four edges on C1")


def _variants(three: bool) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Give name, artefact and rows of each assumption under which a claim is looked at again."""
    network = "three" if three else "eight"
    for variant in WINDOW:
        yield variant, "window", {"grid": f"window-{network}", "variant": variant}
    for seconds in (5, 20, 60):
        at = {"grid": f"length-{network}", "run.duration": f"{seconds} s"}
        yield f"{seconds} s", "length", at


def _assumptions(three: bool) -> Iterator[tuple[str, str, dict[str, Any]]]:
    network = "three" if three else "eight"
    for variant in ASSUMED_OF_THREE if three else ASSUMED_OF_EIGHT:
        at = {"grid": f"assumptions-{network}", "variant": variant}
        yield variant, "assumptions", at


def _stored(three: bool) -> dict[str, Any]:
    network = "three" if three else "eight"
    return {"grid": f"forwarding-{network}", "variant": "store-and-forward"}


def _delays_at(p: float, timeout: str) -> dict[str, Any]:
    return {P: p, TIMEOUT: timeout}


CLAIMS = (
    Claim(
        "obs.1",
        "Without losses each session's throughput equals its source's rate, whatever the burst "
        "size.",
        "As seen in the Figure 2(a), for a data-burst drop probability of 0, the throughput for "
        "each session is a constant that equals the session's traffic arrival rate.",
        "p = 0, timeout 1 ms: at every burst size the interval of the throughput lies within 2 % "
        "of the source's rate.",
        tuple(
            Part(session.name, f"{session.rate:.0f} Mb/s", artefact, equals_its_rate(session))
            for session, artefact in (
                (SESSIONS[1000], "fig2a"),
                (SESSIONS[400], "fig2-400"),
                (SESSIONS[200], "fig2b"),
            )
        ),
    ),
    Claim(
        "obs.2",
        "Delay grows with the maximum burst size.",
        "Since the maximum data-burst size increases the burstification delay, the per packet "
        "end-to-end delay is also shown to increase correspondingly (Figure 3).",
        "The slope of the delay over all burst sizes lies above 0: in figure 3 (p = 0.002, "
        "timeouts 1 and 5 ms), without losses, and in figure 5(b) at p = 0.001.",
        (
            Part("1000 Mb/s, p = 0", "grows", "fig2a",
                 grows_with_size(FAST, "delay", "ms", _delays_at(0.0, "1 ms"))),
            *(
                Part(f"{session.name}, p = 0.002, timeout {timeout}", "grows", artefact,
                     grows_with_size(session, "delay", "ms", _delays_at(0.002, timeout)))
                for session, artefact in ((FAST, "fig3a"), (SLOW, "fig3b"))
                for timeout in ("1 ms", "5 ms")
            ),
            Part("eight nodes, p = 0.001", "grows", "fig5b",
                 grows_with_size(EIGHT, "delay", "ms", _delays_at(0.001, "1 ms"))),
        ),
        sensitivity=(
            Part("store-and-forward", "grows", "forwarding",
                 grows_with_size(FAST, "delay", "ms",
                                 _delays_at(0.002, "1 ms") | _stored(three=True))),
        ),
    ),
    Claim(
        "obs.3",
        "Three nodes, 1000 Mb/s, 260 kB: against p = 0 the throughput falls by about 10 % at "
        "p = 0.001 and by about 50 % at p = 0.003.",
        "For example, for the 1000 Mbps session at 260 Kbytes burstsize, the throughput drops by "
        "10% and 50% for drop probabilities of 0.001 and 0.003 respectively, compared to the "
        "system with no burst drops.",
        "The interval of the fall overlaps 10 % ± 2.5 %, and 50 % ± 12.5 %.",
        tuple(
            Part(f"p = {p}", f"about {fall} %", "fig2a", falls_about(p))
            for p, fall in ((0.001, 10), (0.003, 50))
        ),
        sensitivity=tuple(
            Part(f"{name}, p = {p}", f"about {fall} %", artefact, falls_about(p, at))
            for p, fall in ((0.001, 10), (0.003, 50))
            for name, artefact, at in (*_variants(three=True), *_assumptions(three=True))
        ),
    ),
    Claim(
        "obs.4",
        "Three nodes, 400 Mb/s: from 20 kB to 120 kB the throughput grows by about 167 %, at a "
        "low p that is not named.",
        "For example, for the 400 Mbps sessions (not shown here), increasing the burstsize from "
        "20 Kbytes to 120 Kbytes increases the throughput by about 167%.",
        "The interval of the growth overlaps 167 % ± 41.75 % at one of the drop probabilities "
        "that the text calls low (0.003 and less). It differs when it differs at all of them. "
        "Higher ones are shown beside.",
        tuple(
            Part(f"p = {p}", "about 167 %", "fig2-400", gains_about(p), counts=p in LOW)
            for p in (*LOW, 0.01, *HIGH)
        ),
        combine="any",
        sensitivity=tuple(
            Part(f"{name}, p = {p}", "about 167 %", artefact, gains_about(p, at))
            for p in LOW
            for name, artefact, at in _variants(three=True)
        ),
    ),
    Claim(
        "obs.5",
        "At a high drop probability the throughput hardly depends on the burst size.",
        "For high burst drop rates, the TCP sessions operate continuously at smaller window "
        "sizes. Hence, throughput does not increase significantly with increasing burst sizes.",
        "From 20 kB to 300 kB the throughput changes by less than 10 %, at p = 0.05 and 0.1 (the "
        "ones that figure 6 has as high), for the sessions of figures 2(a), 2(b) and 5(a).",
        tuple(
            Part(f"{name}, p = {p}", "hardly", artefact, hardly_moved_by_size(session, p))
            for name, session, artefact in (
                ("1000 Mb/s", FAST, "fig2a"),
                ("200 Mb/s", SLOW, "fig2b"),
                ("eight nodes", EIGHT, "fig5a"),
            )
            for p in HIGH
        ),
    ),
    Claim(
        "obs.6",
        "Slower sessions (200 Mb/s) reach their full rate at much smaller bursts.",
        "We also observe that lower traffic rate sessions (e.g. 200 Mbps) achieve the maximum "
        "possible throughput at much smaller burst sizes.",
        "A session is at its full rate where its throughput is 95 % of its source's rate or more. "
        "Much smaller means half or less: 200 Mb/s are surely at full rate at a burst size, and "
        "1000 Mb/s surely not yet at twice that size. It must be so at one low drop probability "
        "(0.003 and less) and contradicted at none. A p at which neither is ever at full rate, or "
        "both always are, says nothing.",
        tuple(
            Part(f"p = {p}", "much smaller", "fig2b", reaches_full_rate_earlier(p)) for p in LOW
        ),
        combine="some",
    ),
    Claim(
        "obs.7",
        "Three nodes: with a timeout of 1 ms the delay reaches its maximum near 200 kB and is flat "
        "after; a timeout of 5 ms adds about 10 % at most.",
        "As expected, the delays experienced by all sessions for a 1 ms burst time-out reaches a "
        "maximum at 200 KBytes and the increase is relatively marginal thereafter. The maximum "
        "increase in delay observed by increasing the timeout from 1 ms to 5 ms, was only 10%.",
        "p = 0.002, every session. Rises: the slope of the delay from 20 kB to 200 kB lies above "
        "0. Flat: from 200 kB to 300 kB it changes by less than 10 % of its rise from 20 kB to "
        "200 kB. Adds: at every burst size 5 ms in place of 1 ms raise the delay by 12.5 % or "
        "less. Whether the largest of these increases is itself about 10 % is shown beside.",
        tuple(
            part
            for session in SESSIONS.values()
            for artefact in ("fig3b" if session is SLOW else "fig3a",)
            for part in (
                Part(f"{session.name}, rises to 200 kB", "grows", artefact,
                     rises_to_200(session)),
                Part(f"{session.name}, flat from 200 kB", "hardly", artefact,
                     flat_from_200(session)),
                Part(f"{session.name}, 5 ms adds", "about 10 % at most", artefact,
                     adds_at_most(session)),
                Part(f"{session.name}, 5 ms adds at most", "about 10 %", artefact,
                     adds_about(session), counts=False),
            )
        ),
        sensitivity=(
            Part("store-and-forward, 1000 Mb/s, flat from 200 kB", "hardly", "forwarding",
                 flat_from_200(FAST, _stored(three=True))),
            Part("store-and-forward, 1000 Mb/s, 5 ms adds", "about 10 % at most", "forwarding",
                 adds_at_most(FAST, _stored(three=True))),
        ),
    ),
    Claim(
        "obs.8",
        "Eight nodes: larger bursts give more throughput.",
        "As earlier, we observe that larger burst sizes yield higher throughput.",
        "The slope of the throughput over all burst sizes lies above 0 at p = 0.001 and 0.003 "
        "(the text has it for low drop probabilities).",
        tuple(
            Part(f"p = {p}", "grows", "fig5a",
                 grows_with_size(EIGHT, "throughput", "Mb/s", _delays_at(p, "1 ms")),
                 counts=p != 0.002)  # noqa: PLR2004 - quick leaves it out
            for p in LOW
        ),
    ),
    Claim(
        "obs.9",
        "Eight nodes, p = 0.001: a timeout of 8 ms in place of 1 ms lowers the throughput by about "
        "27 % and raises the delay by about 53 %.",
        "For instance, the throughput drops by 27% when timeout value is increased from 1 ms to "
        "8 ms, for drop probability of 0.001. […] For instance, the delay increases by as much as "
        "53% when timeout value is increased from 1 ms to 8 ms, for drop probability of 0.001.",
        "The interval of the fall overlaps 27 % ± 6.75 %, that of the rise 53 % ± 13.25 %. The "
        "delay from the first transmission (first sent) is shown beside.",
        (
            Part("throughput falls", "about 27 %", "fig6a", timeout_costs_about()),
            Part("delay rises", "about 53 %", "fig6b", timeout_delays_about("delay")),
            Part("delay, first sent, rises", "about 53 %", "fig6b",
                 timeout_delays_about("delay-first"), counts=False),
        ),
        sensitivity=tuple(
            part
            for name, artefact, at in (
                *_variants(three=False),
                ("store-and-forward", "forwarding", _stored(three=False)),
                *_assumptions(three=False),
            )
            for part in (
                Part(f"{name}, throughput falls", "about 27 %", artefact, timeout_costs_about(at)),
                Part(f"{name}, delay rises", "about 53 %", artefact,
                     timeout_delays_about("delay", at)),
            )
        ),
    ),
    Claim(
        "obs.10",
        "Eight nodes: at higher drop probabilities the timeout matters less, for throughput and "
        "for delay.",
        "For higher drop probabilities, the drop in throughput is not as significant. The delay "
        "values increase with increasing timeout values. Again, the increase is seen to be "
        "significant for lower drop probability values.",
        "What 8 ms in place of 1 ms change at p = 0.001, less what they change at a higher p, lies "
        "above 0 (both in per cent, whatever their signs).",
        tuple(
            Part(f"{what}, p = {p}", "less than at 0.001", artefact,
                 timeout_matters_less(what, p))
            for what, artefact in (("throughput", "fig6a"), ("delay", "fig6b"))
            for p in HIGH
        ),
    ),
    Claim(
        "obs.11",
        "Three nodes: throughput hardly depends on the timeout (1 to 5 ms, p = 0.002).",
        "We only present the delay performance here since the throughput values did not vary much "
        "with burst timeout values.",
        "At every burst size 5 ms in place of 1 ms change the throughput by less than 10 %.",
        tuple(
            Part(session.name, "hardly", "fig3b" if session is SLOW else "fig3a",
                 hardly_moved_by_timeout(session))
            for session in SESSIONS.values()
        ),
    ),
    Claim(
        "obs.12",
        "Delay grows with the drop probability.",
        "The packet delay values behaved as expected with higher delays for large burst sizes and "
        "higher drop probabilities.",
        "The slope over p of the delay, averaged over the burst sizes, lies above 0: over low drop "
        "probabilities (up to 0.003) and over all of them, with a timeout of 1 ms. The delay from "
        "the first transmission (first sent) is shown beside.",
        tuple(
            Part(f"{name}, p ≤ {up_to}{first}", "grows", artefact,
                 grows_with_p(session, value, up_to), counts=not first)
            for name, session, artefact in (
                ("1000 Mb/s", FAST, "fig2a"),
                ("200 Mb/s", SLOW, "fig2b"),
                ("eight nodes", EIGHT, "fig5b"),
            )
            for value, first in (("delay", ""), ("delay-first", ", first sent"))
            for up_to in (LOW[-1], HIGH[-1])
        ),
    ),
    Claim(
        "obs.13",
        "The degradation is severe already at p = 0.003.",
        "Higher drop probabilities resulted in poorer performance and the performance degradation "
        "was severe for drop probability as low as 0.003 for the studied cases.",
        "At p = 0.003 and every burst size the throughput of 1000 Mb/s sessions is a quarter or "
        "more below the source's rate, in both networks. Slower sessions are shown beside.",
        tuple(
            Part(name, "severe", artefact, severe(session), counts=session.rate == FAST.rate)
            for name, session, artefact in (
                ("three nodes, 1000 Mb/s", FAST, "fig2a"),
                ("eight nodes, 1000 Mb/s", EIGHT, "fig5a"),
                ("three nodes, 400 Mb/s", SESSIONS[400], "fig2-400"),
                ("three nodes, 200 Mb/s", SLOW, "fig2b"),
            )
        ),
    ),
)  # fmt: skip
