//! What a rack sends by way of another one under RotorLB (W. M. Mellette et al., *RotorNet: a scalable,
//! low-complexity, optical datacenter network*, SIGCOMM 2017, section 4).

/// Shares out `room` among offers, all in bytes, which become what is given: each is met in full or gets as much as any
/// other (max-min fair). Where the room cannot be divided evenly, the first of those have a byte more. What `sorted` holds
/// does not matter: it is kept so that no memory is asked for each time.
pub fn share(mut room: u64, offers: &mut [u64], sorted: &mut Vec<u64>) {
    sorted.clear();
    sorted.extend_from_slice(offers);
    sorted.sort_unstable();
    for (place, &offer) in sorted.iter().enumerate() {
        let left = (offers.len() - place) as u64;
        if offer.saturating_mul(left) > room {
            // Equal offers are all met or all limited.
            let limited = offers.iter_mut().filter(|limited| **limited >= offer);
            for (number, limited) in (0..).zip(limited) {
                *limited = room / left + u64::from(number < room % left);
            }
            return;
        }
        room -= offer;
    }
}
