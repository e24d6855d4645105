//! Plain ids: indices into the tables of a world.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(pub u32);

        impl $name {
            /// The id of the thing at `index` of its table.
            pub fn at(index: usize) -> Self {
                Self(u32::try_from(index).expect("a world has fewer than 2^32 of anything"))
            }

            /// The index into its table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id! {
    /// A flow: one connection or one stream of datagrams.
    FlowId
}
id! {
    /// A device: host, router, switch.
    NodeId
}
id! {
    /// One direction of a link, with the output queue in front of it.
    LinkId
}
