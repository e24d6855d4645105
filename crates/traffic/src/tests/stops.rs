//! Sources that are stopped.

use units::{Bytes, Rate, Span, Time};

use super::stream;
use crate::{Bernoulli, Bulk, Cbr, Generator, Offer, PoissonPackets, PoissonWrites, Source};

/// When and how much a source offers that is stopped after 10 ms.
fn offers(source: &Source) -> Vec<(Time, u64)> {
    let mut generator = Generator::new(source, Bytes(1000)).stopping_after(Span::from_ms(10));
    let (mut stream, mut at) = (stream("stopped"), Time::ZERO);
    let mut next = || {
        let Offer { after, bytes } = generator.next(&mut stream)?;
        at += after;
        Some((at, bytes))
    };
    let found: Vec<_> = std::iter::from_fn(&mut next).take(10_000).collect();
    assert_eq!(next(), None, "it has ended for good");
    found
}

const END: Time = Time(10_000_000_000);

#[test]
fn a_stopped_source_offers_what_it_would_have_offered_before() {
    let rate = Rate(8_000_000);
    let cbr = offers(&Source::Cbr(Cbr { rate: rate.into(), packet: Bytes(1000).into() }));
    let at = |ms: u64| Time::ZERO + Span::from_ms(ms);
    assert_eq!(cbr, (0..10).map(|ms| (at(ms), 1000)).collect::<Vec<_>>());
    for source in [
        Source::PoissonPackets(PoissonPackets { rate: rate.into(), packet: Bytes(1000).into() }),
        Source::PoissonWrites(PoissonWrites { rate: rate.into(), write: None }),
        Source::Bernoulli(Bernoulli {
            slot: Span::from_ms(1),
            probability: 0.5,
            packet: Bytes(7).into(),
        }),
    ] {
        let (mut endless, mut draws) = (Generator::new(&source, Bytes(1000)), stream("stopped"));
        let mut at = Time::ZERO;
        for (when, bytes) in offers(&source) {
            let offer = endless.next(&mut draws).unwrap();
            at += offer.after;
            assert_eq!((at, offer.bytes), (when, bytes));
        }
        assert!(at < END && at + endless.next(&mut draws).unwrap().after >= END);
    }
}

#[test]
fn a_bulk_source_takes_back_what_it_has_not_sent() {
    let endless = offers(&Source::Bulk(Bulk { size: None }));
    assert_eq!(endless, [(Time::ZERO, Offer::ENDLESS), (END, Offer::WITHDRAWN)]);
    let file = offers(&Source::Bulk(Bulk { size: Some(Bytes(5000)) }));
    assert_eq!(file, [(Time::ZERO, 5000), (END, Offer::WITHDRAWN)]);
}
