"""The claims on schemes of assembly and numbers of flows: figures 2 to 5, 12 and 13."""

from __future__ import annotations

import math

from tcphoton.papers.comparisons import hardly_moves, less, lies, more, rises_with
from tcphoton.papers.ledger import Claim, Part
from tcphoton.papers.sync.claims.assumed import on_access, on_one_queue
from tcphoton.papers.sync.claims.shared import (
    COUNTS,
    DRAWN,
    FLAT,
    MF,
    PF,
    SAW,
    SMQ,
    TWICE,
    with_flows,
)
from tcphoton.papers.sync.measures import FLOWS
from tcphoton.papers.sync.rules import closer, steeper

__all__ = ["CLAIMS"]


CLAIMS = (
    Claim(
        "sync.1",
        "Aggregate throughput is nearly flat under PF and a saw-tooth under MF; SMQ lies in "
        "between, close to PF.",
        "In the case of no synchronization, the aggregated throughput would exhibit a nearly flat "
        "profile as shown in Fig. 2 for the ideal case of PF queuing. In case of synchronization, "
        "the profile is expected to have a saw-tooth profile, as shown in Figs. 3 and 4 for MF "
        "assembly […] The aggregated behavior with smoother peaks of the multiple queue scheme is "
        "more similar to the PF behavior, shown in Fig. 2.",
        "10, 15 and 25 flows. Flat: the coefficient of variation of the aggregate throughput lies "
        "below 10 %. Saw-tooth: around a sample with a loss it falls by more than 10 % of its "
        "mean. In between and close to PF: the CoV of SMQ lies above that of PF by less than half "
        "of what that of MF does.",
        tuple(
            part
            for flows in DRAWN
            for part in (
                Part(
                    f"PF, {flows} flows",
                    "nearly flat",
                    "fig13",
                    lies("throughput-cov", with_flows(flows, PF), -math.inf, FLAT),
                ),
                Part(
                    f"MF, {flows} flows",
                    "saw-tooth",
                    "fig13",
                    lies("fall-share", with_flows(flows, MF), SAW, math.inf),
                ),
                Part(
                    f"SMQ, {flows} flows, from PF to MF",
                    "in between, closer to PF",
                    "fig13",
                    closer(
                        "throughput-cov",
                        with_flows(flows, SMQ),
                        with_flows(flows, PF),
                        with_flows(flows, MF),
                        low=0,
                    ),
                ),
            )
        ),
        sensitivity=(*on_access("sync.1"), *on_one_queue("sync.1")),
        because=(
            "For flows that are equally correlated within a queue SMQ is 44 to 48 % of the way "
            "from PF to MF in variance, and so cannot be below half of it in standard deviation."
        ),
    ),
    Claim(
        "sync.2",
        "Under MF more flows make the fluctuations sharper, and there are more distinct flows in a "
        "burst.",
        "As shown in Fig. 3, when the number of flows increases the throughput dropped is more "
        "evident. […] At the same time, the mean number of different flows per burst transmitted "
        "is getting higher as shown in Fig. 5. In addition, it can be seen that fluctuations "
        "become sharper, when the number of flows increases (see Fig. 4) in the case of MF "
        "strategy.",
        "MF, 10 to 25 flows: the slope over the number of flows lies above 0, for the fall of the "
        "aggregate throughput around a loss, for its standard deviation, and for the mean number "
        "of distinct flows in a burst. Relative to the mean both are shown beside.",
        (
            Part("fall", "grows", "fig13", rises_with("fall", FLOWS, MF, "Mb/s a flow")),
            Part(
                "standard deviation",
                "grows",
                "fig13",
                rises_with("throughput-std", FLOWS, MF, "Mb/s a flow"),
            ),
            Part(
                "distinct flows in a burst",
                "grows",
                "fig5",
                rises_with("bursts.flows-mean", FLOWS, MF, "a flow"),
            ),
            Part(
                "fall, of the mean",
                "grows",
                "fig13",
                rises_with("fall-share", FLOWS, MF, "% a flow"),
                counts=False,
            ),
            Part(
                "CoV",
                "grows",
                "fig13",
                rises_with("throughput-cov", FLOWS, MF, "% a flow"),
                counts=False,
            ),
        ),
    ),
    Claim(
        "sync.7",
        "Mean aggregate throughput is about the same under PF, MF and SMQ and grows with the "
        "number of flows; PF is the worst with few flows.",
        "In Fig. 12, the average throughput is very similar in all the assembly schemes and "
        "increases with the number of flows, in spite of the higher synchronization. […] when few "
        "flows are connected, a higher number of segment are aggregated in the same longer bursts "
        "which make loss recovery slower and this cause PF performance worst than MF and SMQ.",
        "About the same: those of MF and of SMQ differ from that of PF by less than 10 %, at every "
        "number of flows. Grows: the slope over the number of flows lies above 0. Worst: with 10 "
        "flows that of PF lies below those of MF and of SMQ.",
        (
            *(
                Part(
                    f"{name} against PF, {flows} flows",
                    "very similar",
                    "fig12",
                    hardly_moves("throughput-mean", with_flows(flows, at), with_flows(flows, PF)),
                )
                for name, at in (("MF", MF), ("SMQ", SMQ))
                for flows in COUNTS
            ),
            *(
                Part(
                    name, "grows", "fig12", rises_with("throughput-mean", FLOWS, at, "Mb/s a flow")
                )
                for name, at in (("PF", PF), ("MF", MF), ("SMQ", SMQ))
            ),
            *(
                Part(
                    f"PF against {name}, {COUNTS[0]} flows",
                    "worse",
                    "fig12",
                    less("throughput-mean", with_flows(COUNTS[0], PF), with_flows(COUNTS[0], at)),
                )
                for name, at in (("MF", MF), ("SMQ", SMQ))
            ),
        ),
        because=(
            "Differences of a few per cent between schemes lie within a run's noise of 4 to 5 %, "
            "and the rule asks for PF strictly lowest at ten flows."
        ),
    ),
    Claim(
        "sync.8",
        "The standard deviation of the aggregate throughput is far higher under MF than under PF "
        "and grows with the number of flows; SMQ is less sensitive to it and close to PF.",
        "In fact, the standard deviation of the aggregated throughput well represents the dynamic "
        "of the transmission, which is much higher for MF than for PF. In the MF case, throughput "
        "stability sensibly depends on the number of aggregated flows, as can be seen by the "
        "increase of standard deviation with the number of flows. The SMQ scheme is less sensitive "
        "to the number of flows and its performance is closer to the PF case.",
        "Much higher: that of MF is more than twice that of PF, at every number of flows. Grows: "
        "the slope of MF over the number of flows lies above 0. Less sensitive: the slope of SMQ "
        "is less steep. Closer to PF: that of SMQ lies above that of PF by less than half of what "
        "that of MF does, at every number of flows.",
        (
            *(
                Part(
                    f"MF over PF, {flows} flows",
                    "much higher",
                    "fig13",
                    more("throughput-std", with_flows(flows, MF), with_flows(flows, PF), by=TWICE),
                )
                for flows in COUNTS
            ),
            Part("MF", "grows", "fig13", rises_with("throughput-std", FLOWS, MF, "Mb/s a flow")),
            Part(
                "SMQ",
                "less sensitive than MF",
                "fig13",
                steeper("throughput-std", FLOWS, MF, SMQ, "Mb/s a flow"),
            ),
            *(
                Part(
                    f"SMQ, {flows} flows, from PF to MF",
                    "closer to PF",
                    "fig13",
                    closer(
                        "throughput-std",
                        with_flows(flows, SMQ),
                        with_flows(flows, PF),
                        with_flows(flows, MF),
                    ),
                )
                for flows in COUNTS
            ),
        ),
        sensitivity=(*on_access("sync.8"), *on_one_queue("sync.8")),
        because=(
            "MF over twice PF and SMQ nearer to PF in standard deviation exclude each other for "
            "flows that are equally correlated within a queue."
        ),
    ),
)
