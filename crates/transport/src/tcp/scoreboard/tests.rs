//! The scoreboard against RFC 6675 read literally, an octet at a time.

use proptest::prelude::*;

use super::*;

const SEGMENT: u64 = 3;
const DUP_ACKS: u32 = 3;

fn index(octet: u64) -> usize {
    usize::try_from(octet).unwrap()
}

/// One octet in flight.
#[derive(Clone, Copy, Default)]
struct Octet {
    sacked: bool,
    lost: bool,
    resent: bool,
}

/// Every octet ever sent, and the oldest without acknowledgment.
#[derive(Default)]
struct Reference {
    octets: Vec<Octet>,
    una: usize,
}

impl Reference {
    fn in_flight(&self) -> impl Iterator<Item = &Octet> {
        self.octets[self.una..].iter()
    }

    /// RFC 6675 section 4, `SetPipe`.
    fn pipe(&self) -> u64 {
        let count = |octet: &Octet| u64::from(!octet.lost) + u64::from(octet.resent);
        self.in_flight().filter(|octet| !octet.sacked).map(count).sum()
    }

    /// RFC 6675 section 4, `IsLost`, for each octet; what is lost stays lost.
    fn find_lost(&mut self) {
        for i in self.una..self.octets.len() {
            let above = &self.octets[i + 1..];
            let octets = above.iter().filter(|octet| octet.sacked).count() as u64;
            let starts_here = |k: &usize| above[*k].sacked && (*k == 0 || !above[*k - 1].sacked);
            // A range that begins at `i` itself is not above it.
            let ranges = (0..above.len()).filter(starts_here).count();
            let lost = ranges >= DUP_ACKS as usize || octets > u64::from(DUP_ACKS - 1) * SEGMENT;
            self.octets[i].lost |= lost && !self.octets[i].sacked;
        }
    }

    fn lose_all(&mut self) {
        for octet in &mut self.octets[self.una..] {
            octet.lost = true;
            octet.resent = false;
        }
    }

    fn next_hole(&self) -> Option<u64> {
        let resent = (self.una..self.octets.len()).rev().find(|i| self.octets[*i].resent);
        let from = resent.map_or(self.una, |i| i + 1);
        (from..self.octets.len())
            .find(|i| !self.octets[*i].sacked && self.octets[*i].lost)
            .map(|i| i as u64)
    }
}

#[derive(Clone, Debug)]
enum Step {
    Send(u64),
    Sack(u64, u64),
    Ack(u64),
    Resend,
    LoseAll,
    ForgetResent,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (1..20u64).prop_map(Step::Send),
        6 => (0..80u64, 1..9u64).prop_map(|(start, len)| Step::Sack(start, len)),
        2 => (0..20u64).prop_map(Step::Ack),
        4 => Just(Step::Resend),
        1 => Just(Step::LoseAll),
        1 => Just(Step::ForgetResent),
    ]
}

fn apply(step: &Step, board: &mut Scoreboard, reference: &mut Reference) {
    match *step {
        Step::Send(octets) => {
            board.send(octets);
            let len = reference.octets.len() + index(octets);
            reference.octets.resize(len, Octet::default());
        }
        Step::Sack(start, len) => {
            // The octet at `una` itself is never SACKed: it would have been acknowledged.
            let start = board.una() + 1 + start;
            board.sack(start, start + len);
            for i in start..(start + len).min(board.high()) {
                reference.octets[index(i)].sacked = true;
            }
            board.find_lost(DUP_ACKS, u64::from(DUP_ACKS - 1) * SEGMENT);
            reference.find_lost();
        }
        Step::Ack(octets) => {
            let mut ack = (board.una() + octets).min(board.high());
            while ack < board.high() && reference.octets[index(ack)].sacked {
                ack += 1;
            }
            board.advance(ack);
            reference.una = index(ack);
        }
        Step::Resend => {
            if let Some((start, end)) = board.next_hole(board.lost_below()) {
                let end = end.min(start + SEGMENT);
                board.resend_up_to(end);
                // HighRxt: everything up to there that is not SACKed counts as sent again.
                for octet in &mut reference.octets[..index(end)] {
                    octet.resent = true;
                }
            }
        }
        Step::LoseAll => {
            board.lose_all();
            reference.lose_all();
        }
        Step::ForgetResent => {
            board.forget_resent();
            reference.octets.iter_mut().for_each(|octet| octet.resent = false);
        }
    }
}

proptest! {
    #[test]
    fn the_scoreboard_equals_rfc_6675_octet_by_octet(
        steps in prop::collection::vec(step(), 1..80),
    ) {
        let mut board = Scoreboard::default();
        let mut reference = Reference::default();
        for step in &steps {
            apply(step, &mut board, &mut reference);
            prop_assert_eq!(board.pipe(), reference.pipe(), "after {:?}", step);
            let hole = board.next_hole(board.lost_below()).map(|(start, _)| start);
            prop_assert_eq!(hole, reference.next_hole(), "after {:?}", step);
        }
    }
}

fn sent(octets: u64) -> Scoreboard {
    let mut board = Scoreboard::default();
    board.send(octets);
    board
}

#[test]
fn an_octet_is_lost_once_three_ranges_lie_above_it() {
    let mut board = sent(100);
    for start in [10, 20, 30] {
        board.sack(start, start + 1);
        board.find_lost(3, 20);
    }
    assert_eq!(board.lost_below(), 10);
    assert_eq!(board.pipe(), 100 - 10 - 3);
}

#[test]
fn an_octet_is_lost_once_more_than_two_segments_lie_above_it() {
    let mut board = sent(100);
    board.sack(10, 30);
    board.find_lost(3, 20);
    assert!(!board.head_is_lost(), "two segments of ten are not more than two");
    board.sack(30, 31);
    board.find_lost(3, 20);
    assert_eq!(board.lost_below(), 10);
}

#[test]
fn go_back_n_skips_what_has_arrived() {
    let mut board = sent(100);
    board.sack(10, 20);
    board.sack(30, 100);
    board.lose_all();
    assert_eq!(board.pipe(), 0);
    assert_eq!(board.next_hole(100), Some((0, 10)));
    board.resend_up_to(10);
    assert_eq!(board.next_hole(100), Some((20, 30)));
    board.resend_up_to(30);
    assert_eq!((board.next_hole(100), board.pipe()), (None, 20));
}

#[test]
fn the_last_hole_is_the_end_of_the_window_or_before_the_last_range() {
    let mut board = sent(100);
    assert_eq!(board.last_hole(10), Some((90, 100)));
    board.sack(80, 100);
    board.sack(70, 75);
    assert_eq!(board.last_hole(10), Some((75, 80)));
}

#[test]
fn ten_thousand_segments_with_every_second_one_lost_keep_their_count() {
    let mut board = sent(10_000 * 1460);
    for i in (1..10_000).step_by(2) {
        board.sack(i * 1460, (i + 1) * 1460);
        board.find_lost(3, 2 * 1460);
    }
    // Of the last three ranges the first begins at segment 9995: below it all holes are lost.
    assert_eq!(board.lost_below(), 9_995 * 1460);
    assert_eq!(board.pipe(), 2 * 1460, "segments 9996 and 9998");
}
