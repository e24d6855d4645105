//! One direction of an optical link: data channels that are reserved, control channels for the
//! headers.

use optics::{Channels, ControlChannels, Scheduling, WhenBusy};
use plan::OpticalPlan;
use plan::spec::ChannelsSpec;
use plan::topology::OneWayLink;
use units::{Bytes, LinkId, NodeId, Rate, Span, Time};

use super::{Burst, BurstId, ChannelCounters};
use crate::link::LinkCounters;

/// One direction of an optical link.
#[derive(Debug, Clone)]
pub struct Fibre {
    /// Which link of the graph it is.
    pub link: LinkId,
    /// The node where it begins.
    pub from: NodeId,
    /// The node at the far end.
    pub to: NodeId,
    /// Propagation delay.
    pub delay: Span,
    /// Bit rate of a data channel.
    pub rate: Rate,
    /// The transmission time of a header on a control channel.
    pub header: Span,
    header_bytes: u64,
    /// Whether the fibre is up.
    pub up: bool,
    /// Whether what arrives over it goes before other events of its instant, in the order of fibres.
    pub far: bool,
    /// Whether it leads from this part of the network to another one.
    pub cut: bool,
    /// The data channels.
    pub data: Channels,
    /// The control channels.
    pub control: ControlChannels,
    /// Bursts that requested a channel.
    pub bursts_in: u64,
    /// Their packets.
    pub packets_in: u64,
    /// Their bytes.
    pub bytes_in: u64,
    /// Bursts that the next node took over, or requested a channel for.
    pub bursts_out: u64,
    /// Their packets.
    pub packets_out: u64,
    /// Their bytes.
    pub bytes_out: u64,
    /// Bursts lost here.
    pub bursts_lost: u64,
    /// Their packets.
    pub packets_lost: u64,
    /// Their bytes.
    pub bytes_lost: u64,
    counts: Vec<ChannelCounters>,
    /// For each control channel: when the latest header ends.
    headers_end: Vec<Time>,
    data_channels: usize,
    /// Reservations of data channels whose burst may still be on the fibre, and for a while also
    /// others.
    booked: Recent<Booked>,
    /// Bursts that the next node has taken over before their last bit is there, and for a while also others: when
    /// it is, their packets and bytes.
    passing: Recent<(Time, u32, u64)>,
}

/// A list from which what is over is removed when it has become twice as long.
#[derive(Debug, Clone)]
struct Recent<T> {
    list: Vec<T>,
    most: usize,
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self { list: Vec::new(), most: FEW }
    }
}

impl<T> Recent<T> {
    fn push(&mut self, item: T, goes_on: impl Fn(&T) -> bool) {
        if self.list.len() >= self.most {
            self.list.retain(goes_on);
            self.most = FEW.max(2 * self.list.len());
        }
        self.list.push(item);
    }
}

/// A burst with its place on a fibre.
#[derive(Debug, Clone, Copy)]
struct Booked {
    burst: BurstId,
    number: u64,
    channel: u16,
    start: Time,
    end: Time,
}

/// How many items of a list are kept at least, whether they are over or not.
const FEW: usize = 64;

impl Fibre {
    /// The fibre of a link, whose headers wait if `when_busy` says so.
    pub fn new(
        id: LinkId,
        link: &OneWayLink,
        channels: ChannelsSpec,
        rules: &OpticalPlan,
        when_busy: WhenBusy,
    ) -> Self {
        let (scheduling, controls) = match rules.core.facts().reservation {
            Some(scheduling) => (scheduling, channels.control),
            // No headers are sent separately.
            None => (Scheduling::LaucVf, 0),
        };
        let count = (channels.data + controls) as usize;
        Self {
            link: id,
            from: link.from,
            to: link.to,
            delay: link.delay,
            rate: link.rate,
            header: channels.control_rate.time_to_send(rules.control.header),
            header_bytes: rules.control.header.0,
            up: true,
            far: false,
            cut: false,
            data: Channels::new(scheduling, channels.data),
            control: ControlChannels::new(controls, when_busy),
            bursts_in: 0,
            packets_in: 0,
            bytes_in: 0,
            bursts_out: 0,
            packets_out: 0,
            bytes_out: 0,
            bursts_lost: 0,
            packets_lost: 0,
            bytes_lost: 0,
            counts: vec![ChannelCounters::default(); count],
            headers_end: vec![Time::ZERO; controls as usize],
            data_channels: channels.data as usize,
            booked: Recent::default(),
            passing: Recent::default(),
        }
    }

    /// The number of data channels.
    pub fn data_channels(&self) -> usize {
        self.data_channels
    }

    /// The transmission time of this number of bytes on a data channel.
    pub fn length(&self, bytes: u64) -> Span {
        self.rate.time_to_send(Bytes(bytes))
    }

    /// A burst requests a channel.
    pub fn enter(&mut self, burst: &Burst) {
        self.bursts_in += 1;
        self.packets_in += u64::from(burst.packets);
        self.bytes_in += burst.bytes;
    }

    /// A burst is taken over by the next node at `now`, which may be before its last bit is there.
    pub fn leave(&mut self, now: Time, burst: &Burst) {
        let last_bit = burst.start + burst.length + self.delay;
        if last_bit > now {
            let passing = (last_bit, burst.packets, burst.bytes);
            self.passing.push(passing, |&(last_bit, ..)| last_bit > now);
        }
        self.bursts_out += 1;
        self.packets_out += u64::from(burst.packets);
        self.bytes_out += burst.bytes;
    }

    /// A burst is lost.
    pub fn lose(&mut self, burst: &Burst) {
        self.bursts_lost += 1;
        self.packets_lost += u64::from(burst.packets);
        self.bytes_lost += burst.bytes;
    }

    /// Notes a reservation of a data channel.
    pub fn note(&mut self, now: Time, id: BurstId, burst: &Burst, (channel, start): (u16, Time)) {
        self.counts[usize::from(channel)].add(burst.bytes, burst.length);
        let (delay, end) = (self.delay, start + burst.length);
        let booked = Booked { burst: id, number: burst.number, channel, start, end };
        self.booked.push(booked, |booked| booked.end + delay > now);
    }

    /// The reservations of data channels that end after `now`, from and to when.
    pub(super) fn reserved_after(&self, now: Time) -> impl Iterator<Item = (Time, Time)> {
        let after = self.booked.list.iter().filter(move |booked| booked.end > now);
        after.map(|booked| (booked.start, booked.end))
    }

    /// The bursts that are on the fibre at `now` or will be, with their numbers.
    pub fn bursts_on(&self, now: Time) -> impl Iterator<Item = (BurstId, u64)> {
        let on = self.booked.list.iter().filter(move |booked| booked.end + self.delay > now);
        on.map(|booked| (booked.burst, booked.number))
    }

    /// Counts a header on a control channel.
    pub fn count_header(&mut self, channel: u16, start: Time) {
        let channel = usize::from(channel);
        self.counts[self.data_channels + channel].add(self.header_bytes, self.header);
        self.headers_end[channel] = start + self.header;
    }

    /// Its counters at `now`, as for any link: its packets are those of its bursts, and its busy
    /// time is that of all data channels together.
    pub fn counters(&self, now: Time) -> LinkCounters {
        let channels = self.channels(now);
        let passing = self.passing.list.iter().filter(|&&(last_bit, ..)| last_bit > now);
        LinkCounters {
            packets_in: self.packets_in,
            bytes_in: self.bytes_in,
            packets_out: self.packets_out,
            bytes_out: self.bytes_out,
            waited: self.packets_in,
            passing: passing.clone().map(|&(_, packets, _)| i64::from(packets)).sum(),
            passing_bytes: passing.map(|&(.., bytes)| bytes.cast_signed()).sum(),
            dropped_burst: self.packets_lost,
            bytes_dropped: self.bytes_lost,
            busy: channels[..self.data_channels].iter().map(|channel| channel.busy).sum(),
            ..LinkCounters::default()
        }
    }

    /// The counters of all channels, data channels first. The future part of reservations is not
    /// included in the busy time.
    pub fn channels(&self, now: Time) -> Vec<ChannelCounters> {
        let mut counts = self.counts.clone();
        let (data, control) = counts.split_at_mut(self.data_channels);
        for booked in self.booked.list.iter().filter(|booked| booked.end > now) {
            let ahead = booked.end - booked.start.max(now);
            data[usize::from(booked.channel)].busy -= ahead.0;
        }
        // Headers that wait for a channel follow each other without a gap.
        for (counts, end) in control.iter_mut().zip(&self.headers_end) {
            counts.busy -= end.since(now).0.min(counts.busy);
        }
        counts
    }
}
