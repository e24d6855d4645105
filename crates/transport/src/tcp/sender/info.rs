//! What a sender knows, in the terms of Linux's `tcp_info`, and how one begins that did not open the
//! connection: for scripts that compare it with Linux.

use std::sync::Arc;

use units::Time;

use super::Sender;
use crate::segment::Segment;
use crate::tcp::config::Config;

/// The state of congestion control (`tcpi_ca_state`, `enum tcp_ca_state` of Linux).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Nothing is wrong.
    Open,
    /// Something arrived out of order.
    Disorder,
    /// The window is reduced because of explicit notification.
    Reduced,
    /// Fast recovery.
    Recovery,
    /// The retransmission timer expired.
    Loss,
}

/// What Linux tells of a connection in `tcp_info`, in octets where Linux counts segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Info {
    /// `tcpi_ca_state`.
    pub condition: Condition,
    /// `tcpi_snd_cwnd`: in a recovery the window that is in force.
    pub cwnd: u64,
    /// `tcpi_snd_ssthresh`; [`u64::MAX`] without a limit.
    pub ssthresh: u64,
    /// `tcpi_unacked`.
    pub unacked: u64,
    /// `tcpi_sacked`: without selective acknowledgments a segment for each duplicate.
    pub sacked: u64,
    /// `tcpi_lost`: what is deemed lost and has not arrived, sent again or not.
    pub lost: u64,
    /// `tcpi_retrans`: what was sent again and is deemed to be in the network.
    pub resent: u64,
    /// `tcpi_delivered`, without the SYN that Linux counts.
    pub delivered: u64,
}

impl Sender {
    /// What Linux would tell in `tcp_info`.
    pub fn info(&self) -> Info {
        let (board, recovery) = (&self.board, &self.recovery);
        let duplicates = u64::from(recovery.duplicates()) * self.config.segment.0;
        let sacked =
            if recovery.has_sack() { board.sacked() } else { duplicates.min(board.flight()) };
        let (lost, resent) = recovery.lost_and_resent(board);
        let condition = if recovery.is_active() {
            Condition::Recovery
        } else if recovery.goes_back(board) {
            Condition::Loss
        } else if recovery.reduces() {
            Condition::Reduced
        } else if sacked > 0 {
            Condition::Disorder
        } else {
            Condition::Open
        };
        Info {
            condition,
            cwnd: if recovery.reduces() { self.window() } else { self.congestion.cwnd() },
            ssthresh: self.congestion.ssthresh(),
            unacked: board.flight(),
            sacked,
            lost,
            resent,
            delivered: board.una() + sacked,
        }
    }

    /// A sender whose connection the other end has opened: its SYN-ACK went out at `sent`, and
    /// `acknowledgment` came back at `now`. It measures the first round trip (Linux:
    /// `tcp_synack_rtt_meas`), unless the SYN-ACK was sent more than once, and begins with the window of
    /// the acknowledgment.
    #[must_use]
    pub fn accepted(
        config: &Config,
        sent: Option<Time>,
        now: Time,
        acknowledgment: &Segment,
    ) -> Self {
        let handshake = false;
        let mut sender = Self::new(Arc::new(Config { handshake, ..config.clone() }));
        sender.window_end = 0;
        sender.note_window(acknowledgment);
        sender.echo = acknowledgment.ts_val;
        if let Some(sent) = sent {
            sender.sample(now, sent);
        }
        sender
    }

    /// Times that the retransmission timer has expired since the last measurement (`tcpi_backoff`).
    pub fn backoffs(&self) -> u32 {
        self.rtt.backoffs()
    }
}
