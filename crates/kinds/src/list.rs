//! The macros that make everything that enumerates a family out of one list.

/// Declares the kinds of a family that has options only: their modules, and `Options` with [`Kinds`](crate::Kinds).
///
/// The module of each kind has a type `Options`, whose doc comment describes the kind in the reference.
#[macro_export]
macro_rules! options {
    ($(#[$about:meta])* $title:literal; $(mod $module:ident; use $Name:ident $(in $Box:ident)? as $word:literal;)+) => {
        $(pub mod $module;)+

        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, ::serde::Serialize, ::serde::Deserialize, ::schemars::JsonSchema)]
        #[serde(tag = "kind")]
        pub enum Options {
            $(
                #[expect(missing_docs, reason = "the type of its options describes it")]
                #[serde(rename = $word)]
                $Name(self::$module::Options),
            )+
        }

        impl $crate::Kinds for Options {
            const TITLE: &'static str = $title;
            const WORDS: &'static [&'static str] = &[$($word),+];

            fn all() -> Vec<Self> {
                vec![$(Self::$Name($module::Options::default())),+]
            }

            fn word(&self) -> &'static str {
                match self {
                    $(Self::$Name(_) => $word,)+
                }
            }

            fn is_plain(&self) -> bool {
                match self {
                    $(Self::$Name(options) => *options == $module::Options::default(),)+
                }
            }
        }

        $(
            impl<'a> TryFrom<&'a Options> for &'a $module::Options {
                type Error = &'a Options;

                fn try_from(options: &'a Options) -> Result<Self, &'a Options> {
                    if let Options::$Name(options) = options { Ok(options) } else { Err(options) }
                }
            }
        )+
    };
}

/// Declares the kinds of a family whose kinds have a state.
///
/// In addition to what [`options!`] makes there are `Any`, the state of any kind, and two macros: `with!(any, kind => call)`
/// calls a hook of a state, `with_options!(options, Kind, options => call)` an associated function of the kind that
/// options belong to (`with!(any, Kind, kind => call)` that of a state). `in Box` keeps a large state on the heap.
///
/// ```ignore
/// kinds::kinds! {
///     /// How the congestion window grows and shrinks: a name, or a table with options.
///     "Congestion";
///     mod reno; use Reno as "reno";
///     mod cubic; use Cubic in Box as "cubic";
/// }
/// ```
#[macro_export]
macro_rules! kinds {
    ($(#[$about:meta])* $title:literal; $(mod $module:ident; use $Name:ident $(in $Box:ident)? as $word:literal;)+) => {
        $crate::options! {
            $(#[$about])*
            $title;
            $(mod $module; use $Name $(in $Box)? as $word;)+
        }

        $(use self::$module::$Name;)+

        #[derive(Clone, Debug)]
        enum Any {
            $($Name($crate::kept!($Name $(in $Box)?)),)+
        }

        $(
            impl From<$Name> for Any {
                #[inline]
                fn from(kind: $Name) -> Self {
                    Self::$Name(kind.into())
                }
            }

            impl<'a> TryFrom<&'a Any> for &'a $Name {
                type Error = &'a Any;

                fn try_from(any: &'a Any) -> Result<Self, &'a Any> {
                    if let Any::$Name(kind) = any { Ok(kind) } else { Err(any) }
                }
            }
        )+

        /// Calls a hook of any kind.
        macro_rules! with {
            ($any:expr, $kind:ident => $call:expr) => {
                match $any {
                    $(Any::$Name($kind) => $call,)+
                }
            };
            ($any:expr, $Kind:ident, $kind:ident => $call:expr) => {
                match $any {
                    $(
                        Any::$Name($kind) => {
                            type $Kind = $Name;
                            $call
                        }
                    )+
                }
            };
        }

        /// Calls an associated function of the kind that options belong to.
        macro_rules! with_options {
            ($any:expr, $Kind:ident, $options:ident => $call:expr) => {
                match $any {
                    $(
                        Options::$Name($options) => {
                            type $Kind = $Name;
                            $call
                        }
                    )+
                }
            };
        }
    };
}

/// The type in which the state of a kind is kept.
#[doc(hidden)]
#[macro_export]
macro_rules! kept {
    ($Name:ident) => { $Name };
    ($Name:ident in $Box:ident) => { $Box<$Name> };
}
