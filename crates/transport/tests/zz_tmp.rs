use std::collections::VecDeque;
use std::sync::Arc;
use transport::tcp::*;
use transport::*;
use units::*;
#[test]
fn perf() {
    println!("sizes {} {} {}", size_of::<Sender>(), size_of::<Receiver>(), size_of::<Segment>());
    for (preset, ns2, loss, win) in [(Preset::Sack, true, 0u64, "20 segments"), (Preset::Sack, false, 0, "20 segments"), (Preset::Cubic, false, 0, "1000 segments"), (Preset::Sack, true, 97, "10000 segments"), (Preset::Sack, true, 3, "10000 segments")] {
        let o = TcpOptions { preset: Some(preset), ack_every: Some(1), max_window: win.parse().ok(), initial_window: if loss==3 {win.parse().ok()} else {None}, ..Default::default() };
        let c = Arc::new(resolve(if ns2 { Profile::Ns2_2003 } else { Profile::Modern }, &o).unwrap());
        let mut s = Sender::new(c.clone()); let mut r = Receiver::new(c);
        let (mut f, mut b) = (VecDeque::new(), VecDeque::new());
        let mut now = Time::ZERO; s.offer(now, u64::MAX);
        let mut k = 0u64; let mut acks = 0u64;
        let t = std::time::Instant::now();
        while acks < 5_000_000 {
            now += Span::from_us(10);
            if s.next_timeout().is_some_and(|t| t <= now) { s.on_timeout(now); }
            while let Some(g) = s.next_segment(now) { k += 1; if loss == 0 || k % loss != 0 || (loss == 3 && g.resent) { f.push_back(g); } }
            if let Some(g) = f.pop_front() { r.on_segment(now, &g, false); } 
            while let Some(g) = r.next_segment(now) { b.push_back(g); }
            if b.len() > 20 || f.is_empty() { if let Some(g) = b.pop_front() { acks += 1; s.on_segment(now, &g); } else { now += Span::from_ms(500); } }
        }
        println!("{preset:?} ns2={ns2} loss 1/{loss} {win}: {:.1} ns a data segment and its ack; to {} frx {} rtx {}", t.elapsed().as_nanos() as f64 / acks as f64, s.counters().timeouts, s.counters().fast_retransmits, s.counters().retransmissions);
    }
}
