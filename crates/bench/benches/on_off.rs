//! What a packet of a self-similar source costs, by the number of its components: each is drawn when it
//! begins to send, and none is asked in between.
//!
//! Each sample makes 100,000 packets, so 1 ms is 10 ns a packet.

use divan::Bencher;
use divan::counter::ItemsCount;
use random::Seed;
use traffic::{Generator, OnOff, Size, SizeLaw, Source};
use units::{Bytes, Rate};

const PACKETS: usize = 100_000;

fn main() {
    divan::main();
}

/// The source of the paper lbas at four lightpaths and 80 %, of so many components.
#[divan::bench(args = [1, 10, 100, 1_000, 10_000])]
fn self_similar(bencher: Bencher<'_, '_>, components: u32) {
    let (sizes, shares) = ([40, 576, 1500].map(Bytes).into(), [0.58, 0.33, 0.09].into());
    let packet: Size = SizeLaw::Mix { sizes, shares }.into();
    let on: Size = SizeLaw::Pareto { shape: 1.8, min: Bytes(444_444) }.into();
    let (rate, peak) = (Rate(125_000_000), Rate(2_500_000_000));
    let source = Source::OnOff(OnOff { rate: rate.into(), peak, components, on, packet });
    bencher
        .counter(ItemsCount::new(PACKETS))
        .with_inputs(|| (Generator::new(&source, Bytes(1)), Seed(1).stream("bench")))
        .bench_local_refs(|(generator, stream)| {
            for _ in 0..PACKETS {
                divan::black_box(generator.next(stream));
            }
        });
}
