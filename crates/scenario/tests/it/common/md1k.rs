//! The loss of M/D/1/K in closed form.

/// The share of packets that an M/D/1/K queue loses, by its embedded Markov chain: with K places
/// in all (the packet on the wire included) and aⱼ the Poisson probability of j arrivals in a
/// service, πⱼ for j = 0 … K − 1 at departures, the loss is 1 − 1/(π₀ + ρ) (Gross and Harris,
/// "Fundamentals of Queueing Theory", section 5.1.8).
pub(crate) fn md1k_loss(load: f64, places: usize) -> f64 {
    let mut arrivals = vec![(-load).exp()];
    for j in 1..places {
        arrivals.push(arrivals[j - 1] * load / j as f64);
    }
    // Unnormalised π by the recursion of the M/G/1 chain; the finite one differs by a constant.
    let mut chain = vec![1.0];
    for j in 0..places - 1 {
        let inflow: f64 = (1..=j).map(|i| chain[i] * arrivals[j - i + 1]).sum();
        chain.push((chain[j] - chain[0] * arrivals[j] - inflow) / arrivals[0]);
    }
    let empty = chain[0] / chain.iter().sum::<f64>();
    1.0 - 1.0 / (empty + load)
}
