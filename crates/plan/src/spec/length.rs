//! The propagation delay of a link: given as such, or by its length.

use units::{Length, Span};

use super::{AccessSpec, ExplicitLink, LinkSpec};

/// Light in glass: 200,000 km per second.
const DELAY_PER_KM: Span = Span::from_us(5);

/// How a link gives its propagation delay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Propagation {
    /// The delay itself.
    pub delay: Option<Span>,
    /// Or a length.
    pub length: Option<Length>,
    /// The delay per km.
    pub per_km: Option<Span>,
}

impl Propagation {
    /// The delay, zero by default. A checked link has one of the two forms.
    pub fn delay(self) -> Span {
        let per_km = self.per_km.unwrap_or(DELAY_PER_KM);
        let of_length = || self.length.map(|length| length.propagation(per_km));
        self.delay.or_else(of_length).unwrap_or_default()
    }
}

macro_rules! propagates {
    ($($name:ident),*) => { $(
        impl $name {
            /// How it gives its propagation delay.
            pub fn propagation(&self) -> Propagation {
                let Self { delay, length, delay_per_km: per_km, .. } = *self;
                Propagation { delay, length, per_km }
            }
        }
    )* };
}

propagates!(LinkSpec, AccessSpec, ExplicitLink);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_gives_the_delay_of_light_in_glass_unless_it_says_otherwise() {
        let km = Propagation { delay: None, length: Some(Length(1_000_000)), per_km: None };
        assert_eq!(km.delay(), Span::from_us(5));
        let hollow = Propagation { per_km: Some(Span::from_ns(3340)), ..km };
        assert_eq!(hollow.delay(), Span::from_ns(3340));
        let given = Propagation { delay: Some(Span::from_ms(1)), length: None, per_km: None };
        assert_eq!(given.delay(), Span::from_ms(1));
    }
}
