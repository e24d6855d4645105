//! The shapes of networks: the keys of each, its nodes and links, and its checks are in one file.

mod limits;
mod links;
mod regular;

pub use explicit::NodeSpec;
pub use file::{FileLinkSpec, FileNetwork, GraphPart, MissingLength, Parallel};
pub use leaf_spine::PacketSpinesSpec;
pub use limits::channels;
pub use links::{Joins, LinkTable};
pub use nsfnet::{CoreLinkSpec, Place};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::Findings;
use crate::spec::{NodeKind, QueueSpec};
use crate::topology::{Builder, Graph};

/// Declares the shapes by their files; the word of one is its name in kebab case.
macro_rules! shapes {
    ($(mod $module:ident: $($Name:ident),+;)+) => {
        $(
            mod $module;
            pub use $module::{$($Name),+};
        )+

        /// The shape of the network: a generator, or explicit nodes and links.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "kind", rename_all = "kebab-case")]
        pub enum Topology {
            $($(
                #[expect(missing_docs, reason = "the type of its keys describes it")]
                $Name($Name),
            )+)+
        }

        impl Topology {
            /// What the shape itself answers.
            pub fn shape(&self) -> &dyn Shape {
                match self {
                    $($(Self::$Name(shape) => shape,)+)+
                }
            }

            /// What others ask.
            pub fn facts(&self) -> ShapeFacts<'_> {
                self.shape().facts()
            }
        }
    };
}

shapes! {
    mod dumbbell: Dumbbell;
    mod line: Line;
    mod star: Star;
    mod fat_tree: FatTree;
    mod grid: Ring, Torus, Mesh;
    mod full_mesh: FullMesh;
    mod leaf_spine: LeafSpine;
    mod parking_lot: ParkingLot;
    mod nsfnet: Nsfnet;
    mod lightpath_bundle: LightpathBundle;
    mod file: File;
    mod explicit: Explicit;
}

impl Graph {
    /// Builds the graph of a shape; links without their own queue get `interface`, and the
    /// switches of the generators for packets, and the core nodes beside a bundle of
    /// lightpaths, are of the kind `switch`; spines between leaves that are racks are core nodes.
    ///
    /// The shape is a checked one: names of explicit links exist, counts are within limits.
    pub fn new(shape: &dyn Shape, interface: QueueSpec, switch: NodeKind) -> Self {
        let mut graph = Self::default();
        shape.build(&mut Builder { graph: &mut graph, interface, switch });
        graph
    }
}

/// A shape: the keys of a table `topology` with what they decide.
///
/// No hook has a default, so that the compiler leads whoever adds a shape.
pub trait Shape {
    /// Adds nodes and links in a fixed order: results depend on it. All keys are checked.
    fn build(&self, to: &mut Builder<'_>);

    /// The tables of its links that have a queue or a delay, each with its key.
    fn links(&self) -> Vec<LinkTable>;

    /// Errors in its keys, to be reported before those of single links; `switched` says whether its cores are switches
    /// that need no edges.
    fn check(&self, switched: bool, to: &mut dyn Findings);

    /// Errors in numbers of nodes and links, to be reported after those of single links.
    fn limits(&self, to: &mut dyn Findings);

    /// Warns of keys that have no effect.
    fn effects(&self, to: &mut dyn Findings);

    /// What others ask.
    fn facts(&self) -> ShapeFacts<'_>;
}

/// What the rest of the house asks of a shape.
#[derive(Debug, Clone, Copy)]
pub struct ShapeFacts<'a> {
    /// Whether it has edge routers of an optical network.
    pub has_edges: bool,
    /// Whether a path leads from any host to any other, whatever the keys say.
    pub is_connected: bool,
    /// Its nodes and links, where the scenario lists them.
    pub listed: Option<&'a Explicit>,
    /// The graph that it is made of, where that is in a file.
    pub file: Option<&'a File>,
    /// Its electronic switches beside circuit switches.
    pub packet_spines: Option<&'a PacketSpinesSpec>,
    /// How many sub-networks are on each side of a bundle.
    pub sub_networks: Option<u32>,
    /// The key in messages that links have several rates.
    pub rates: &'static str,
}

impl ShapeFacts<'_> {
    /// An electronic network of which nothing special is known.
    const PLAIN: Self = Self {
        has_edges: false,
        is_connected: true,
        listed: None,
        file: None,
        packet_spines: None,
        sub_networks: None,
        rates: "topology",
    };
}
