//! What a rack sends by way of another one under RotorLB (W. M. Mellette et al., *RotorNet: a scalable,
//! low-complexity, optical datacenter network*, SIGCOMM 2017, section 4).

/// Shares out `room` among offers, all in bytes: each is met in full or gets as much as any other
/// (max-min fair). Where the room cannot be divided evenly, the first of those have a byte more.
pub fn shares(mut room: u64, offers: &[u64]) -> Vec<u64> {
    let mut given = vec![0; offers.len()];
    let mut order: Vec<usize> = (0..offers.len()).collect();
    order.sort_by_key(|&at| offers[at]);
    for (place, &at) in order.iter().enumerate() {
        let left = (offers.len() - place) as u64;
        if offers[at].saturating_mul(left) > room {
            let mut limited = order[place..].to_vec();
            limited.sort_unstable();
            for (number, at) in (0..).zip(limited) {
                given[at] = room / left + u64::from(number < room % left);
            }
            break;
        }
        given[at] = offers[at];
        room -= offers[at];
    }
    given
}
