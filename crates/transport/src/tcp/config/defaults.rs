//! The defaults of TCP's options in each profile. They affect published numbers more than any mechanism
//! does, so every value is listed here with its reason.

use units::{Bytes, Span};

use super::kinds::{Preset, ReceiveWindowGrowth, RtoLaw, SsthreshFrom, WindowValidation};
use crate::profile::Profile;
use crate::tcp::congestion::cubic::{self, Law};
use crate::tcp::congestion::slow_start::{self, hystart, standard};
use crate::tcp::congestion::{self, Growth};
use crate::tcp::recovery::newreno::{Deflation, Exit, Inflation, Timer};
use crate::tcp::recovery::{Options, newreno, rack, reno, sack};
use crate::window_size::WindowSize;

/// The data of a full segment.
pub(super) enum FullSegment {
    /// So many octets, whatever the header.
    Data(Bytes),
    /// What a packet of so many octets has room for.
    Packet(Bytes),
}

impl FullSegment {
    /// Its data beside a header; none where that leaves no room.
    pub(super) fn beside(&self, header: Bytes) -> Bytes {
        match *self {
            Self::Data(octets) => octets,
            Self::Packet(octets) => Bytes(octets.0.saturating_sub(header.0)),
        }
    }
}

/// What a profile says of the options; `None` where the default follows from another option.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(super) struct TcpDefaults {
    pub(super) preset: Preset,
    /// That of presets which are named by their window alone.
    pub(super) recovery: Options,
    /// What recoveries do where they are told nothing, whichever it is that a connection has.
    pub(super) recoveries: &'static [Options],
    /// What window rules do where they are told nothing.
    pub(super) congestions: &'static [congestion::Options],
    pub(super) slow_start: slow_start::Options,
    pub(super) segment: FullSegment,
    /// Octets that a link adds to each packet.
    pub(super) framing: Bytes,
    pub(super) initial_window: WindowSize,
    /// `None`: the largest window.
    pub(super) initial_ssthresh: Option<WindowSize>,
    pub(super) max_window: WindowSize,
    /// `None`: the largest window.
    pub(super) receive_window: Option<WindowSize>,
    pub(super) receive_window_growth: ReceiveWindowGrowth,
    /// That of presets which have none of their own.
    pub(super) rto_law: RtoLaw,
    pub(super) min_rto: Span,
    pub(super) max_rto: Span,
    pub(super) initial_rto: Span,
    pub(super) granularity: Span,
    pub(super) ack_every: u32,
    pub(super) ack_delay: Span,
    pub(super) quick_acks: u32,
    pub(super) timestamps: bool,
    pub(super) window_scaling: bool,
    pub(super) silly_window_avoidance: bool,
    pub(super) limited_transmit: bool,
    pub(super) dup_acks: u32,
    pub(super) growth: Growth,
    pub(super) window_validation: WindowValidation,
    pub(super) slow_start_after_idle: bool,
    pub(super) ssthresh_from: SsthreshFrom,
    pub(super) handshake: bool,
    pub(super) release: bool,
    /// `None`: what the TCP options have room for.
    pub(super) sack_blocks: Option<u32>,
    pub(super) ecn: bool,
    pub(super) pacing: bool,
}

impl TcpDefaults {
    pub(super) const fn of(profile: Profile) -> Self {
        match profile {
            Profile::Modern => MODERN,
            Profile::ModernSack => MODERN_SACK,
            Profile::Linux => LINUX,
            Profile::Ns2_2003 => NS2_2003,
            Profile::Ns2_2008 => NS2_2008,
            Profile::Inet2_1 => INET_2_1,
        }
    }
}

/// Recovery without, and with, what Linux adds to the RFCs of it: proportional rate reduction and Eifel.
const fn sack(linux: bool) -> Options {
    Options::Sack(sack::Options { prr: Some(linux), undo: false, eifel: Some(linux) })
}

const fn rack(linux: bool) -> Options {
    Options::Rack(rack::Options { undo: true, prr: Some(linux), eifel: Some(linux) })
}

/// The recovery of a rule that models the path, which determines the window in a recovery by itself.
pub(super) const RACK_ALONE: Options =
    Options::Rack(rack::Options { undo: true, prr: Some(false), eifel: None });

const fn cubic(law: Law) -> congestion::Options {
    congestion::Options::Cubic(cubic::Options { law: Some(law) })
}

/// The slow start of RFC 5681.
pub(super) const STANDARD: slow_start::Options =
    slow_start::Options::Standard(standard::Options {});
const SACK: Options = sack(false);

const fn reno(repeated: bool) -> Options {
    Options::Reno(reno::Options { repeated_fast_retransmit: Some(repeated) })
}

const fn newreno(exit: Exit, timer: Timer) -> Options {
    // RFC 6582, in every profile.
    let (deflation, inflation) = (Some(Deflation::Floor), Some(Inflation::Each));
    Options::NewReno(newreno::Options {
        exit: Some(exit),
        timer: Some(timer),
        deflation,
        inflation,
    })
}

const MODERN: TcpDefaults = TcpDefaults {
    // The default of Linux, and a standard since RFC 9438.
    preset: Preset::Cubic,
    // Linux. RFC 8985 is a standard.
    recovery: rack(false),
    // RFC 9438 for all but `linux`.
    congestions: &[cubic(Law::Rfc9438)],
    // RFC 5681 section 3.1. RFC 9438 section 4.10 recommends `HyStart++` (RFC 9406), and allows this where it does
    // not suit.
    slow_start: STANDARD,
    // An Ethernet frame: the sender takes the options off what the MSS allows (RFC 9293 section 3.7.1).
    segment: FullSegment::Packet(Bytes(1500)),
    framing: Bytes(0),
    // Linux (`TCP_INIT_CWND`). RFC 6928 has at most 14600 B, or two segments if they are longer.
    initial_window: WindowSize::Segments(10),
    // RFC 5681 section 3.1: arbitrarily high.
    initial_ssthresh: Some(WindowSize::Unlimited),
    max_window: WindowSize::Unlimited,
    // The largest of Linux's `tcp_rmem`, 6 MiB, all of it for data: how much of that memory the kernel
    // needs itself depends on the driver.
    receive_window: Some(WindowSize::Octets(Bytes(6_291_456))),
    receive_window_growth: ReceiveWindowGrowth::Dynamic,
    // `tcp_rtt_estimator`: RFC 6298 asks for at least 1 s in all. 200 ms in all would be less than the
    // round trip with a full queue, and the timer would expire as one builds up.
    rto_law: RtoLaw::Linux,
    // Linux. RFC 6298 section 2.4 asks for 1 s.
    min_rto: Span::from_ms(200),
    // Linux. RFC 6298 section 2.5 allows any maximum from 60 s.
    max_rto: Span::from_secs(120),
    // RFC 6298 section 2.1; Linux the same.
    initial_rto: Span::from_secs(1),
    // The timers of Linux at 1000 Hz, which measures in microseconds; RFC 6298 section 4 recommends 100 ms or
    // finer.
    granularity: Span::from_ms(1),
    // RFC 5681 section 4.2; Linux sends the first acknowledgments of a connection at once.
    ack_every: 2,
    // Linux. RFC 1122 section 4.2.3.2 allows up to 500 ms.
    ack_delay: Span::from_ms(40),
    quick_acks: 0,
    timestamps: true,
    window_scaling: true,
    // RFC 1122 section 4.2.3.4: it must be there.
    silly_window_avoidance: true,
    limited_transmit: true,
    // RFC 5681 section 3.2. Linux raises it with the reordering that it sees, and has RACK.
    dup_acks: 3,
    recoveries: &[
        // RFC 2581.
        reno(true),
        // Option 2 and the impatient variant, as in ns-2. Linux's NewReno ends with the window that
        // proportional rate reduction (RFC 6937) has come to.
        newreno(Exit::Ssthresh, Timer::First),
        // RFC 9937 updates neither RFC 6675 nor RFC 8985.
        sack(false),
        rack(false),
    ],
    // RFC 3465 with L = 2. RFC 5681 equation 2 is the same with L = 1, and Linux has no limit.
    growth: Growth::Bytes,
    // An experiment, for the restart of RFC 5681 section 4.1.
    window_validation: WindowValidation::Rfc7661,
    slow_start_after_idle: false,
    ssthresh_from: SsthreshFrom::Flight,
    handshake: true,
    release: true,
    sack_blocks: None,
    // Linux asks for ECN only when told to.
    ecn: false,
    // Linux paces with the queueing discipline `fq`, with BBR, and where an application limits the rate
    // (`SO_MAX_PACING_RATE`): `sk_pacing_status`.
    pacing: false,
};

/// Loss recovery as RFC 6675 has it, as many models still do, and a receiver that is never the limit.
const MODERN_SACK: TcpDefaults = TcpDefaults {
    recovery: SACK,
    receive_window: Some(WindowSize::Unlimited),
    receive_window_growth: ReceiveWindowGrowth::Fixed,
    ..MODERN
};

/// Linux 6.12, as its sysctls stand by default; what `modern` has already is Linux's where the reasons say so.
///
/// `Deviation:` what differs still is listed in `docs/guides/profiles.md`.
const LINUX: TcpDefaults = TcpDefaults {
    // `tcp_recovery` is 1, and `tcp_cwnd_reduction` is RFC 6937 with the bound of RFC 9937; it takes its share of
    // cwnd, not of what was in flight.
    recovery: rack(true),
    recoveries: &[reno(true), newreno(Exit::Ssthresh, Timer::First), sack(true), rack(true)],
    // `net/ipv4/tcp_cubic.c`.
    congestions: &[cubic(Law::Linux)],
    // `hystart` is 1, and `hystart_detect` 3.
    slow_start: slow_start::Options::HyStart(hystart::Options {}),
    // `tcp_is_cwnd_limited`.
    window_validation: WindowValidation::Linux,
    // `tcp_slow_start_after_idle` is 1.
    slow_start_after_idle: true,
    // `TCP_MAX_QUICKACKS`.
    quick_acks: 16,
    ..MODERN
};

/// The defaults of ns-2's change log and `ns-default.tcl` as they stood in 2003.
///
/// `Deviation:` ns-2 of 2003 rounded a halved window down to whole segments (`precisionReduce_`
/// false until 2006); here it keeps its fraction, as in ns-2 2.35.
const NS2_2003: TcpDefaults = TcpDefaults {
    // `Agent/TCP` is Tahoe.
    preset: Preset::Tahoe,
    recovery: SACK,
    // RFC 9438 for all but `linux`.
    congestions: &[cubic(Law::Rfc9438)],
    slow_start: STANDARD,
    // `packetSize_`.
    segment: FullSegment::Data(Bytes(1000)),
    framing: Bytes(0),
    // `windowInit_`, 2 since May 2001.
    initial_window: WindowSize::Segments(2),
    // `ssthresh_ = wnd_` in `reset`.
    initial_ssthresh: None,
    // `window_`, which stands for the advertised window too.
    max_window: WindowSize::Segments(20),
    receive_window: None,
    receive_window_growth: ReceiveWindowGrowth::Fixed,
    rto_law: RtoLaw::Rfc6298,
    // `minrto_`, 1 s until October 2004.
    min_rto: Span::from_secs(1),
    // `maxrto_`: 64 s "like bsd" in the change log; 60 s since 2007.
    max_rto: Span::from_secs(64),
    // `rtxcur_init_`, 6 s until January 2006, then 3 s.
    initial_rto: Span::from_secs(6),
    // `tcpTick_`, 10 ms since March 2002.
    granularity: Span::from_ms(10),
    // `Agent/TCPSink`; `Agent/TCPSink/DelAck` would be 2 and 100 ms.
    ack_every: 1,
    ack_delay: Span::from_ms(100),
    quick_acks: 0,
    timestamps: false,
    window_scaling: true,
    // A window counts whole packets.
    silly_window_avoidance: true,
    // `singledup_`, on since November 2001.
    limited_transmit: true,
    dup_acks: 3,
    recoveries: &[
        // `bugFix_` true.
        reno(false),
        // `Agent/TCP/Newreno`: `newreno_changes1_` is 1 and `exitFastRetrans_` true.
        newreno(Exit::Ssthresh, Timer::First),
        sack(false),
        rack(false),
    ],
    growth: Growth::Acks,
    window_validation: WindowValidation::None,
    slow_start_after_idle: false,
    ssthresh_from: SsthreshFrom::Window,
    // `syn_` and `delay_growth_`, true since May 2001: the first packet is a header alone, and
    // data follow its acknowledgment.
    handshake: true,
    release: false,
    sack_blocks: None,
    ecn: false,
    pacing: false,
};

/// The defaults of ns-2's change log and `ns-default.tcl` as they stood in 2008, as far as they
/// differ from those of 2003 where data is lost.
const NS2_2008: TcpDefaults = TcpDefaults {
    // `minrto_`, 0.2 s since October 2004.
    min_rto: Span::from_ms(200),
    // `maxSackBlocks_`.
    sack_blocks: Some(3),
    ..NS2_2003
};

/// The defaults of INET 2.1 (`TCP.ned`, `TCPBaseAlg`, `TCPTahoeRenoFamily`, `TCPNewReno`,
/// `PPPInterface`), with what Izquierdo-Zaragoza and Pavón-Mariño (ONDM 2013) say of theirs: NewReno,
/// packets of 1500 B, window scaling.
///
/// `Deviation:` INET's smoothed round-trip time starts at 0 and its variance at 0.75 s, both with a
/// gain of 1/8, so its timer takes some ten measurements to fall from 3 s to the minimum of 1 s; here it
/// is there at once (RFC 6298). INET lifts the guard against a fast retransmit after a timeout
/// (`recover`) with the first acknowledgment, here it holds until what was outstanding is acknowledged
/// (RFC 6582). Nagle's algorithm, on in INET, acts on segments that are not full: a file's last. An idle
/// connection restarts from one segment in INET. Windows there are whole octets, so that what an
/// acknowledgment adds in congestion avoidance, mss²/cwnd, is rounded down: a file of 500 MB that loses
/// nothing from a window of 45 segments on takes 5% more round trips there. An acknowledgment that comes
/// behind later ones begins INET's count of duplicates anew; one of less than a segment adds a full one to
/// the window in slow start. Three habits of INET are options, and off in this profile: a window that wraps
/// (`Deflation`), duplicates that do not inflate it (`Inflation`) and parts of segments
/// (`TcpOptions::silly_window_avoidance`).
const INET_2_1: TcpDefaults = TcpDefaults {
    // The paper's; `tcpAlgorithmClass` is `TCPReno`. `TCPNewReno` cites RFC 3782.
    preset: Preset::Newreno,
    recovery: SACK,
    // RFC 9438 for all but `linux`.
    congestions: &[cubic(Law::Rfc9438)],
    slow_start: STANDARD,
    // The paper's packets of 1500 B less 40 B; `mss` is 536.
    segment: FullSegment::Data(Bytes(1460)),
    // `PPP_OVERHEAD_BYTES`.
    framing: Bytes(7),
    // `increasedIWEnabled` is false: RFC 2001, one segment.
    initial_window: WindowSize::Segments(1),
    // `TCPTahoeRenoFamilyStateVariables`: RFC 2001, whatever the window.
    initial_ssthresh: Some(WindowSize::Octets(Bytes(65_535))),
    max_window: WindowSize::Unlimited,
    // The paper scales windows and has one greedy connection: `advertisedWindow` (14 segments) is
    // taken as large enough never to be the limit.
    receive_window: Some(WindowSize::Unlimited),
    receive_window_growth: ReceiveWindowGrowth::Fixed,
    rto_law: RtoLaw::Rfc6298,
    // `MIN_REXMIT_TIMEOUT`.
    min_rto: Span::from_secs(1),
    // `MAX_REXMIT_TIMEOUT`.
    max_rto: Span::from_secs(240),
    // `rexmit_timeout` of a new connection.
    initial_rto: Span::from_secs(3),
    // "All timeouts are precisely calculated" (`TCP.ned`): there is no tick.
    granularity: Span::from_ps(1),
    // `delayedAcksEnabled` is false.
    ack_every: 1,
    // `DELAYED_ACK_TIMEOUT`.
    ack_delay: Span::from_ms(200),
    quick_acks: 0,
    // `timestampSupport` is false.
    timestamps: false,
    // The paper's; `windowScalingSupport` is false.
    window_scaling: true,
    // RFC 1122. `TCPConnection::sendData` has none with an acknowledgment, which is an option.
    silly_window_avoidance: true,
    // `limitedTransmitEnabled` is false.
    limited_transmit: false,
    // `DUPTHRESH`.
    dup_acks: 3,
    recoveries: &[
        // `TCPReno` has no guard.
        reno(true),
        // `TCPNewReno::receivedDataAck`: min(ssthresh, FlightSize + SMSS), and
        // `TCPBaseAlg::receivedDataAck` restarts the timer with every acknowledgment that advances.
        newreno(Exit::Flight, Timer::Each),
        sack(false),
        rack(false),
    ],
    // `receivedDataAck`: a segment an acknowledgment in slow start, then mss²/cwnd.
    growth: Growth::Acks,
    window_validation: WindowValidation::None,
    slow_start_after_idle: false,
    // `recalculateSlowStartThreshold`: half of min(cwnd, advertised window), at every timeout too.
    ssthresh_from: SsthreshFrom::Cwnd,
    handshake: true,
    release: true,
    // RFC 2018; `sackSupport` is false, so it counts with `recovery = "sack"` alone.
    sack_blocks: None,
    ecn: false,
    pacing: false,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::config::{Config, TcpOptions, resolve};
    use crate::window_size::Limit;

    #[test]
    fn every_profile_resolves_without_options() {
        for profile in Profile::ALL {
            assert!(resolve(profile, &TcpOptions::default()).is_ok(), "{}", profile.name());
        }
    }

    #[test]
    fn ns2_of_2008_differs_in_the_minimum_rto_and_the_sack_blocks_alone() {
        let before = resolve(Profile::Ns2_2003, &TcpOptions::default()).unwrap();
        let after = resolve(Profile::Ns2_2008, &TcpOptions::default()).unwrap();
        assert_eq!((after.min_rto, after.sack_blocks), (Span::from_ms(200), 3));
        let (min_rto, sack_blocks) = (before.min_rto, before.sack_blocks);
        assert_eq!(Config { min_rto, sack_blocks, ..after }, before);
    }

    #[test]
    fn inet_sends_packets_of_1507_octets_and_starts_as_rfc_2001_says() {
        let config = resolve(Profile::Inet2_1, &TcpOptions::default()).unwrap();
        assert_eq!(config.segment + config.header, Bytes(1507));
        assert_eq!(Profile::Inet2_1.udp_header(), Bytes(35));
        assert_eq!((config.initial_window, config.initial_ssthresh), (Limit(1460), Limit(65_535)));
        assert_eq!((config.receive_window, config.max_window), (Limit::NONE, Limit::NONE));
        let rto = [config.initial_rto, config.min_rto, config.max_rto];
        assert_eq!(rto, [3, 1, 240].map(Span::from_secs));
        assert!(!config.limited_transmit && !config.pacing && !config.timestamps);
        assert_eq!((config.dup_acks, config.ack_every), (3, 1));
        let stamped = TcpOptions { timestamps: Some(true), ..TcpOptions::default() };
        assert_eq!(resolve(Profile::Inet2_1, &stamped).unwrap().header, Bytes(59));
    }

    #[test]
    fn every_preset_goes_with_every_profile() {
        for (profile, preset) in Profile::ALL.into_iter().flat_map(|p| Preset::ALL.map(|q| (p, q)))
        {
            let options = TcpOptions { preset: Some(preset), ..TcpOptions::default() };
            assert!(resolve(profile, &options).is_ok(), "{} {preset:?}", profile.name());
        }
    }

    #[test]
    fn ns2_starts_with_ssthresh_and_the_advertised_window_at_the_largest_window() {
        let options = TcpOptions {
            segment: Some(Bytes(4000)),
            max_window: Some(WindowSize::Segments(300_000)),
            ..TcpOptions::default()
        };
        let config = resolve(Profile::Ns2_2003, &options).unwrap();
        assert_eq!(config.initial_ssthresh, Limit(1_200_000_000));
        assert_eq!(config.receive_window, Limit(1_200_000_000));
        assert_eq!(config.header, Bytes(40));
        assert_eq!(config.initial_window, Limit(8000));
    }
}
