"""The claims of the paper in the order of its sheet, with what is looked at for each."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tcphoton.papers.comparisons import (
    all_of,
    between,
    changes_by,
    fewer,
    hardly_moves,
    is_about,
    less,
    lies,
    more,
    rises_with,
)
from tcphoton.papers.ledger import Claim, Part
from tcphoton.papers.parts import under
from tcphoton.papers.sync.measures import (
    BURST,
    FLOWS,
    INDICES,
    LOSS,
    PUBLISHED,
    QUEUES,
    SAMPLE,
    START,
    TIMEOUT,
    TOP,
    scheme,
)
from tcphoton.papers.sync.rules import (
    close_at,
    closer,
    loss_multiplies,
    moves,
    no_lower,
    steeper,
    steps_up,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tcphoton.papers.rules import Rule

__all__ = ["CLAIMS", "DRAWN", "TABLE_2"]

PF, MF, SMQ = (scheme(name).at for name in ("PF", "MF", "SMQ"))
TABLE_2 = ("MF", "SMQ", "DMQ-2", "DMQ-4", "DMQ-8")
DYNAMIC = TABLE_2[2:]
DRAWN = (10, 15, 25)
"""Numbers of flows that figures 2, 3, 4 and 11 draw."""
COUNTS = (10, 15, 20, 25)
LOSSES = (0.0001, 0.0005, 0.001, 0.005, 0.01)
SHORT, MIDDLE, LONG = TIMEOUTS = ("1 ms", "3 ms", "5 ms")
GIVEN = 0.001
"""Table 1's drop probability."""

FLAT = SAW = 10.0
"""Per cent: a throughput is nearly flat with a coefficient of variation below it (the house's
"hardly"), and a saw-tooth where it falls by more around a loss."""
HALF = 3.5
"""Percentage points around a published share of bursts. The paper has 62 % and 55 % for one
setting: with half their distance a measured share cannot be both."""
WHOLE = 98.0
"""Per cent of bursts from which all are meant."""
TWICE = 100.0
"""Per cent more from which a deviation is much higher."""
SEVERAL = 3.0
"""Seconds between losses from which they are several; below it is of the order of one."""

ASSUMED_OF_ACCESS = (
    "as assumed",
    "packets of 1040 B",
    "electronic way back",
    "queue of 50 packets",
    "round trip of 200 ms",
    "receivers 100 ms away",
    "from the start",
    "minimum RTO of 1 s",
)
SAMPLES = ("as assumed", "samples of 0.4 s", "samples of 1.4 s")
ASSUMED_OF_NSF = (
    "as assumed",
    "inland edges",
    "every other edge",
    "up to 40 MB",
    "up to 400 MB",
    "literal Pareto",
    "random loss of 2 %",
    "one cycle for all queues",
    "loss told by what is resent",
    "access of 1 ms",
    "access of 50 ms",
    "packets of 1040 B",
    "offset of 100 us",
    "fewest hops",
)


def _at(flows: int, which: Mapping[str, Any]) -> dict[str, Any]:
    return {**which, FLOWS: flows}


def _given(timeout: str) -> dict[str, Any]:
    return {TIMEOUT: timeout, LOSS: GIVEN}


def _share(name: str) -> Rule:
    """Judge a share of bursts by the number that the paper has for it."""
    return lies(TOP, _given(name.removeprefix("T = ")), *_band("sync.4", name))


def _band(claim: str, what: str) -> tuple[float, float]:
    published = PUBLISHED[claim, what]
    return published - HALF, published + HALF


def _index_cell(name: str, at: Mapping[str, Any]) -> Rule:
    return is_about(BURST, at, PUBLISHED["sync.10", f"{name} index"], "")


def _cut(name: str) -> float:
    """Return by how many per cent a scheme cuts MF's standard deviation in Table 2."""
    return 100 * (PUBLISHED["sync.10", f"{name} std"] / PUBLISHED["sync.10", "MF std"] - 1)


def _posteriori(name: str) -> Mapping[str, Any]:
    return scheme(f"{name} a posteriori").at if name in DYNAMIC else scheme(name).at


def _table_2() -> Iterator[Part]:
    """Give what Table 2 has beside the index, as it is printed."""
    cells = (("mean", "span-mean"), ("std", "span-std"), ("min", "span-min"), ("max", "span-max"))
    for name in TABLE_2:
        for cell, value in cells:
            published = PUBLISHED["sync.10", f"{name} {cell}"]
            rule = is_about(value, scheme(name).at, published, "Mb/s")
            yield Part(f"{name}, {cell}", f"{published:g} Mb/s", "table2", rule, counts=False)


def _a_posteriori() -> Iterator[Part]:
    """Give the rules of sync.10 for the other allocation."""
    for name, before in zip(TABLE_2[1:], TABLE_2, strict=False):
        rule = less(BURST, _posteriori(name), _posteriori(before))
        yield Part(f"a posteriori, {name} below {before}", "below", "table2", rule)
    for name in DYNAMIC:
        at, cut = _posteriori(name), _cut(name)
        published = PUBLISHED["sync.10", f"{name} index"]
        yield Part(
            f"a posteriori, {name}, index", f"about {published:g}", "table2", _index_cell(name, at)
        )
        yield Part(
            f"a posteriori, {name}, deviation cut",
            f"about {-cut:.0f} %",
            "table2",
            changes_by("span-std", at, MF, cut),
        )


def _elsewhere() -> Iterator[Part]:
    """Give the rules of sync.10 under other assumptions; DMQ with one queue is MF."""
    for variant in ASSUMED_OF_NSF:
        mixed, two, eight = ({"variant": variant, QUEUES: queues} for queues in (1, 2, 8))
        yield Part(
            f"{variant}, MF, index",
            f"about {PUBLISHED['sync.10', 'MF index']:g}",
            "assumptions-nsf",
            _index_cell("MF", mixed),
        )
        for name, at in (("DMQ-2", two), ("DMQ-8", eight)):
            cut = _cut(name)
            yield Part(
                f"{variant}, {name}, index",
                f"about {PUBLISHED['sync.10', f'{name} index']:g}",
                "assumptions-nsf",
                _index_cell(name, at),
            )
            yield Part(
                f"{variant}, {name}, deviation cut",
                f"about {-cut:.0f} %",
                "assumptions-nsf",
                changes_by("span-std", at, mixed, cut),
            )


def _numbers_and_losses(value: str) -> dict[str, Rule]:
    """Return what must hold where the index depends on losses and on flows a burst alone."""
    lowest, highest = (PUBLISHED["sync.9", f"{end} loss"] / 100 for end in ("lowest", "highest"))
    few, many = ({"variant": f"{rate} flows/s"} for rate in (25, 100))
    one = {"variant": "", LOSS: 0.02}
    found = {}
    for name, at in (("MF", MF), ("SMQ", SMQ)):
        found[f"{name}, four times the flows"] = hardly_moves(value, at | many, at | few)
        low, high = ({**at, "variant": "", LOSS: loss} for loss in (lowest, highest))
        found[f"{name}, ten times the loss"] = moves(value, high, low)
    found["half of the flows a burst"] = moves(value, SMQ | one, MF | one)
    return found


def _access(claim: str) -> Iterator[Part]:
    """Give a rule of the access network under other assumptions."""
    return under(ASSUMED_OF_ACCESS, "assumptions-access", claim, _rules_of_access)


def _rules_of_access(variant: str) -> dict[str, list[tuple[str, str, Rule]]]:
    mixed, apart = ({**at, "variant": variant} for at in (MF, PF))
    return {
        "sync.1": [("PF", "nearly flat", lies("throughput-cov", apart, -math.inf, FLAT))],
        "sync.4": [("T = 3 ms", "62 %", lies(TOP, mixed, *_band("sync.4", "T = 3 ms")))],
        "sync.8": [("MF over PF", "much higher", more("throughput-std", mixed, apart, by=TWICE))],
    }


def _one_queue(claim: str) -> Iterator[Part]:
    """Give the rules of the access network where all flows share one queue and one link."""
    return under(["one queue for all"], "one-queue", claim, lambda _: _rules_of_one_queue())


def _rules_of_one_queue() -> dict[str, list[tuple[str, str, Rule]]]:
    mixed, static, apart = (_at(DRAWN[-1], at) for at in (MF, SMQ, PF))
    together, spread = (
        {"grid": "one-queue-starts", START: start, TIMEOUT: MIDDLE} for start in ("0 s", "50 s")
    )
    return {
        "sync.1": [
            ("PF", "nearly flat", lies("throughput-cov", apart, -math.inf, FLAT)),
            ("MF", "saw-tooth", lies("fall-share", mixed, SAW, math.inf)),
            ("SMQ, from PF to MF", "in between, closer to PF",
             closer("throughput-cov", static, apart, mixed, low=0)),
        ],
        "sync.4": [("T = 3 ms", "62 %", lies(TOP, spread, *_band("sync.4", "T = 3 ms")))],
        "sync.6": [
            ("starting together", "100 %", lies(TOP, together, WHOLE, math.inf)),
            ("starting within 50 s", "55 %",
             lies(TOP, spread, *_band("sync.6", "starting within 50 s"))),
        ],
        "sync.8": [("MF over PF", "much higher", more("throughput-std", mixed, apart, by=TWICE))],
        "sync.13": [("MF over PF, index", "higher", more(SAMPLE, mixed, apart))],
    }  # fmt: skip


SHARES = (
    "Shares are compared by their difference in percentage points and no longer by their quotient, "
    "which has no interval where a share may be 0. Changed after the first quick runs, before any "
    "full one."
)

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
                    lies("throughput-cov", _at(flows, PF), -math.inf, FLAT),
                ),
                Part(
                    f"MF, {flows} flows",
                    "saw-tooth",
                    "fig13",
                    lies("fall-share", _at(flows, MF), SAW, math.inf),
                ),
                Part(
                    f"SMQ, {flows} flows, from PF to MF",
                    "in between, closer to PF",
                    "fig13",
                    closer(
                        "throughput-cov", _at(flows, SMQ), _at(flows, PF), _at(flows, MF), low=0
                    ),
                ),
            )
        ),
        sensitivity=(*_access("sync.1"), *_one_queue("sync.1")),
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
        "sync.3",
        "A longer timeout brings the normalized window closer to 1, with rarer but deeper drops.",
        "As shown in Fig. 6, when the assembly time increases the value of the normalized "
        "congestion window gets close to 1. The figure shows also that the fluctuation of the "
        "normalized congestion window for a 5-ms timer is less frequent but more evident than for "
        "1- and 3-ms timers.",
        "MF, 15 flows, p = 0.001. Closer to 1: the mean window with 5 ms lies above that with 3 "
        "ms, and that above the one with 1 ms. Rarer and deeper: with 5 ms the time between lost "
        "bursts, and the fall of the window around a loss, lie above those with 3 and with 1 ms. "
        "The caption of figure 6 has seconds for milliseconds.",
        (
            *(
                Part(
                    f"window, {long} against {short}",
                    "closer to 1",
                    "fig8",
                    more("window-mean", _given(long), _given(short)),
                )
                for short, long in ((SHORT, MIDDLE), (MIDDLE, LONG))
            ),
            *(
                Part(
                    f"{what}, {LONG} against {short}",
                    published,
                    "fig8",
                    more(value, _given(LONG), _given(short)),
                )
                for what, published, value in (
                    ("time between losses", "rarer", "loss-interval"),
                    ("fall of the window", "deeper", "window-fall"),
                )
                for short in (SHORT, MIDDLE)
            ),
        ),
    ),
    Claim(
        "sync.4",
        "Bursts that hold more than 80 % of the flows (MF, 15 flows): most with a timeout of 3 ms, "
        "about 62 %; about 55 % with 5 ms; fewer with 1 ms. Section 3.3 has 55 % for the setting "
        "that has 62 % here (sync.6), and both cannot be.",
        "The percentage of bursts with the highest number of flows inside reaches its highest "
        "value, about 62%, for timeout=3 ms. […] When the timeout is very high, the percentage of "
        "bursts with a high number of flows inside decreases, since more flows are awaiting longer "
        "for acknowledgments. Still, the percentage of burst with at least one segment per flow is "
        "55%.",
        "p = 0.001. The share of bursts in the class 80 to 100 % lies within 3.5 percentage points "
        "of 62 % with 3 ms and of 55 % with 5 ms: half the distance of the two numbers that the "
        "paper has for 3 ms, so that no share is both. With 3 ms it lies above those with 5 and "
        "with 1 ms.",
        (
            Part(f"T = {MIDDLE}", "about 62 %", "fig7", _share(f"T = {MIDDLE}")),
            Part(f"T = {LONG}", "about 55 %", "fig7", _share(f"T = {LONG}")),
            *(
                Part(
                    f"T = {other} against {MIDDLE}",
                    "fewer",
                    "fig7",
                    fewer(TOP, _given(other), _given(MIDDLE)),
                )
                for other in (SHORT, LONG)
            ),
        ),
        sensitivity=(*_access("sync.4"), *_one_queue("sync.4")),
        changes=(SHARES,),
    ),
    Claim(
        "sync.5",
        "The CoV of the aggregate throughput falls as the timeout grows, rises with p, and is the "
        "same for all timeouts at high p.",
        "Figure 8 shows how, given the loss probability, the CoV decreases when the timeout value "
        "increases. […] It is very interesting to see that when the loss probability is very high, "
        "the CoVs with different timeout values are close […] When the loss probability increases, "
        "the number of the losses is higher and the coefficient value increases.",
        "MF, 15 flows. Falls: the slope of the CoV over the timeout lies below 0, at every p but "
        "the highest. Rises: it grows at every step of p, with every timeout. Close: at p = 0.01 "
        "those with 1 and with 3 ms differ from that with 5 ms by less than 10 %.",
        (
            *(
                Part(
                    f"p = {p:g}",
                    "falls",
                    "fig8",
                    rises_with(
                        "throughput-cov", TIMEOUT, {LOSS: p}, "% per ms", scale=1e-3, down=True
                    ),
                )
                for p in LOSSES[:-1]
            ),
            *(
                Part(
                    f"T = {timeout}",
                    "rises with p",
                    "fig8",
                    steps_up("throughput-cov", LOSS, {TIMEOUT: timeout}, LOSSES),
                )
                for timeout in TIMEOUTS
            ),
            Part(
                "p = 0.01",
                "close",
                "fig8",
                close_at("throughput-cov", TIMEOUT, {LOSS: LOSSES[-1]}, TIMEOUTS),
            ),
        ),
    ),
    Claim(
        "sync.6",
        "With T = 3 ms and all flows starting together 100 % of bursts hold every flow; with "
        "starts over 50 s about 55 %. Figure 7 has 62 % for the latter (sync.4), and both cannot "
        "be.",
        "Figure 9 shows that when the flows start their transmission at the same time, there are "
        "100% of bursts with at least one segment per flow, i.e., complete flow synchronization. "
        "In contrast, when flows start their transmission in a range of 0–50 s the percentage of "
        "the bursts with at least one segment per flows is 55% and the distribution of the flows "
        "is more uniform (see Fig. 10). […] if the range of their arrival time grows, then the "
        "flows get less synchronized.",
        "MF, 15 flows, p = 0.001. The figures have classes of 20 % of the flows, so the share is "
        "that of the class 80 to 100 %: above 98 % where all start together, within 3.5 percentage "
        "points of 55 % with starts over 50 s. Beside: bursts that hold every flow, and figure 9's "
        "other timeouts. (Of one queue for all, a burst of 1 ms has room for 9 packets.)",
        (
            Part(
                "starting together",
                "100 %",
                "fig10",
                lies(TOP, {START: "0 s", TIMEOUT: MIDDLE}, WHOLE, math.inf),
            ),
            Part(
                "starting within 50 s",
                "55 %",
                "fig10",
                lies(
                    TOP, {START: "50 s", TIMEOUT: MIDDLE}, *_band("sync.6", "starting within 50 s")
                ),
            ),
            Part(
                "within 0.1 s against together",
                "fewer",
                "fig10",
                fewer(TOP, *({START: start, TIMEOUT: MIDDLE} for start in ("0.1 s", "0 s"))),
                counts=False,
            ),
            Part(
                "within 50 s against 0.1 s",
                "fewer",
                "fig10",
                fewer(TOP, *({START: start, TIMEOUT: MIDDLE} for start in ("50 s", "0.1 s"))),
                counts=False,
            ),
            *(
                Part(
                    f"every flow, {name}",
                    published,
                    "fig10",
                    lies("flows-all", {START: start, TIMEOUT: MIDDLE}, low, high),
                    counts=False,
                )
                for name, start, published, low, high in (
                    ("starting together", "0 s", "100 %", WHOLE, math.inf),
                    (
                        "starting within 50 s",
                        "50 s",
                        "55 %",
                        *_band("sync.6", "starting within 50 s"),
                    ),
                )
            ),
            *(
                Part(
                    f"starting together, T = {timeout}",
                    "100 %",
                    "fig9",
                    lies(TOP, {START: "0 s", TIMEOUT: timeout}, WHOLE, math.inf),
                    counts=False,
                )
                for timeout in (SHORT, LONG)
            ),
        ),
        sensitivity=tuple(_one_queue("sync.6")),
        changes=(SHARES,),
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
                    hardly_moves("throughput-mean", _at(flows, at), _at(flows, PF)),
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
                    less("throughput-mean", _at(COUNTS[0], PF), _at(COUNTS[0], at)),
                )
                for name, at in (("MF", MF), ("SMQ", SMQ))
            ),
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
                    more("throughput-std", _at(flows, MF), _at(flows, PF), by=TWICE),
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
                    closer("throughput-std", _at(flows, SMQ), _at(flows, PF), _at(flows, MF)),
                )
                for flows in COUNTS
            ),
        ),
        sensitivity=(*_access("sync.8"), *_one_queue("sync.8")),
    ),
    Claim(
        "sync.9",
        "NSF: the index triples from 0.5 % to 5 % burst loss.",
        "As expected, TCP synchronization increases with the increase of losses and, in "
        "particular, it triples when loss increases from 0.5 to 5%.",
        "Losses by contention, of every load and kind of conversion: a line through the logarithms "
        "of index and measured loss rises by a factor of 3 ± 0.75 from 0.5 % to 5 %, under MF and "
        "under SMQ. What a sample is, is not said for this network: it must be so with one of the "
        "two indices. The same with losses at random is shown beside.",
        tuple(
            Part(
                what,
                "triples",
                "fig14",
                all_of(
                    {name: loss_multiplies(value, at) for name, at in (("MF", MF), ("SMQ", SMQ))}
                ),
            )
            for what, value in INDICES.items()
        ),
        combine="any",
        sensitivity=tuple(
            Part(
                f"at random, {what}, {name}", "triples", "fig14-random", loss_multiplies(value, at)
            )
            for what, value in INDICES.items()
            for name, at in (("MF", MF), ("SMQ", SMQ))
        ),
    ),
    Claim(
        "sync.10",
        "NSF: the index falls from MF over SMQ, DMQ-2 and DMQ-4 to DMQ-8 (0.26 … 0.011); DMQ cuts "
        "the standard deviation of the throughput by 44 … 57 % against MF, and its mean is no "
        'lower. The conclusions have "more than 50%", which DMQ-2 contradicts.',
        "In particular, average aggregated throughput of all sources for a specific "
        "source-destination pair was measured to be ~35 Mb/s in both the MF and SMQ schemes but "
        "the relative standard deviations were found to be 61.1 and 54, respectively. Similarly, "
        "the synchronization index metric was 0.26 and 0.13. […] In the results shown in Fig. 16, "
        "the standard deviation has been reduced to 34 and 29 for the DMQ-2 and DMQ-4 schemes, "
        "respectively. […] It was shown that a dynamic flow allocation to more than one assembly "
        "queue may provide a significant gain and reduce synchronization by more than 50%.",
        "Proactive allocation, losses by contention, the index per lost burst, means over all "
        "pairs. Order: each scheme's index lies below that of the one before. Index: its interval "
        "overlaps each of Table 2 ± 25 %. Cut: against MF the standard deviation falls by 44, 51 "
        "and 57 %, each ± a quarter. No lower: the mean is at most 5 % below that of MF. The other "
        "cells of Table 2, the state of the network, the index by samples of 0.7 s and the "
        "conclusions' number are shown beside; allocation a posteriori and other assumptions "
        "below.",
        (
            *(
                Part(
                    f"{name} below {before}",
                    "below",
                    "table2",
                    less(BURST, scheme(name).at, scheme(before).at),
                )
                for name, before in zip(TABLE_2[1:], TABLE_2, strict=False)
            ),
            *(
                Part(
                    f"{name}, index",
                    f"about {PUBLISHED['sync.10', f'{name} index']:g}",
                    "table2",
                    _index_cell(name, scheme(name).at),
                )
                for name in TABLE_2
            ),
            *(
                Part(
                    f"{name}, deviation cut",
                    f"about {-_cut(name):.0f} %",
                    "table2",
                    changes_by("span-std", scheme(name).at, MF, _cut(name)),
                )
                for name in DYNAMIC
            ),
            *(
                Part(
                    f"{name}, mean against MF",
                    "no lower",
                    "table2",
                    no_lower("span-mean", scheme(name).at, MF),
                )
                for name in DYNAMIC
            ),
            *_table_2(),
            *(
                Part(
                    f"{name} below {before}, samples of 0.7 s",
                    "below",
                    "table2",
                    less(SAMPLE, scheme(name).at, scheme(before).at),
                    counts=False,
                )
                for name, before in zip(TABLE_2[1:], TABLE_2, strict=False)
            ),
            *(
                Part(
                    f"{name}, deviation cut, conclusions",
                    "more than 50 %",
                    "table2",
                    between(
                        "span-std",
                        scheme(name).at,
                        MF,
                        -math.inf,
                        -PUBLISHED["sync.10", "reduced by more than"],
                    ),
                    counts=False,
                )
                for name in DYNAMIC
            ),
            Part(
                "MF, active flows",
                "about 2000",
                "table2",
                is_about("active-flows", MF, PUBLISHED["sync.10", "active flows"], ""),
                counts=False,
            ),
            Part(
                "MF, bursts lost",
                "2 %",
                "table2",
                is_about("burst-loss", MF, PUBLISHED["sync.10", "burst loss"]),
                counts=False,
            ),
        ),
        sensitivity=(*_a_posteriori(), *_elsewhere()),
    ),
    Claim(
        "sync.11",
        "Mean aggregate throughput grows with the timeout (MF, 15 flows).",
        "In fact, when the timeout value increases, the bursts are able to aggregate more segments "
        "per flow so that the mean value of aggregate throughput grows",
        "The slope of the mean over the timeout lies above 0 at p = 0.001. Other drop "
        "probabilities are shown beside.",
        tuple(
            Part(
                f"p = {p:g}",
                "grows",
                "fig8",
                rises_with("throughput-mean", TIMEOUT, {LOSS: p}, "Mb/s per ms", scale=1e-3),
                counts=p == GIVEN,
            )
            for p in LOSSES
        ),
    ),
    Claim(
        "sync.12",
        "Many flows do not cure it: under MF and SMQ the index depends on burst loss and on flows "
        "a burst, not on the number of active flows.",
        "However, as mentioned above, TCP synchronization in OBS networks does not depend actually "
        "on the number of flows being active but primarily on the burst losses and the "
        "distribution of flows over the transmitted bursts. […] The number of flows increase does "
        "not weaken synchronization but it is only the burst loss ratio and flow-to-burst "
        "distribution that matters.",
        "NSF network, losses at random, full conversion. Four times the arrivals and active flows, "
        "at a loss of 2 %, change the index by less than 10 %; a loss of 5 % in place of 0.5 %, "
        "and SMQ in place of MF (half of the flows a burst), change it by more. All of it must "
        "hold with one of the two indices. Each part, and the access network's index with 25 "
        "flows in place of 10, are shown beside.",
        (
            *(
                Part(what, "not on their number", "active", all_of(_numbers_and_losses(value)))
                for what, value in INDICES.items()
            ),
            *(
                Part(
                    f"{what}: {name}",
                    "hardly" if "flows" in name and "half" not in name else "matters",
                    "active",
                    rule,
                    counts=False,
                )
                for what, value in INDICES.items()
                for name, rule in _numbers_and_losses(value).items()
            ),
            *(
                Part(
                    f"{what}: access network, {name}",
                    "hardly",
                    "fig12",
                    hardly_moves(value, _at(COUNTS[-1], at), _at(COUNTS[0], at)),
                    counts=False,
                )
                for what, value in INDICES.items()
                for name, at in (("MF", MF), ("SMQ", SMQ))
            ),
        ),
        combine="any",
    ),
    Claim(
        "sync.13",
        "Long timeouts: strong synchronization over several seconds; short ones: weaker, within "
        "seconds.",
        "It was shown that the increase of assembly time results in a slow (multi-sec) but strong "
        "synchronization of a large number of flows, while shorter timeouts to weaker but fast "
        "(sec scale) synchronization effect.",
        "MF, 15 flows, p = 0.001. Strong: the slope of the index over the timeout lies above 0. "
        "Slow: with 5 ms a burst is lost every 3 s or less often, with 1 ms more often.",
        (
            Part(
                "index",
                "grows",
                "fig8",
                rises_with(SAMPLE, TIMEOUT, {LOSS: GIVEN}, "per ms", scale=1e-3),
            ),
            Part(
                f"T = {LONG}, time between losses",
                "several seconds",
                "fig8",
                lies("loss-interval", _given(LONG), SEVERAL, math.inf, "s"),
            ),
            Part(
                f"T = {SHORT}, time between losses",
                "within seconds",
                "fig8",
                lies("loss-interval", _given(SHORT), 0, SEVERAL, "s"),
            ),
            Part(
                "index per lost burst",
                "grows",
                "fig8",
                rises_with(BURST, TIMEOUT, {LOSS: GIVEN}, "per ms", scale=1e-3),
                counts=False,
            ),
        ),
        sensitivity=(
            *_one_queue("sync.13"),
            *(
                Part(
                    f"{variant}, MF over PF, index",
                    "higher",
                    "assumptions-access",
                    more(SAMPLE, {**MF, "variant": variant}, {**PF, "variant": variant}),
                )
                for variant in SAMPLES
            ),
        ),
    ),
)
