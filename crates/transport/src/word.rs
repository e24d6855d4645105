//! An option that is one of several kinds: a word, `"compound"`, or a table with what the kind can be told,
//! `{ kind = "compound", gamma = 20 }`. A word is the table with nothing told.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::{MapAccessDeserializer, MapDeserializer};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The kinds of an option, each with its own options.
pub trait Kinds: Sized + 'static {
    /// What they are kinds of, for the schema.
    const TITLE: &'static str;
    /// Their words.
    const WORDS: &'static [&'static str];

    /// Every kind, with nothing told.
    fn all() -> Vec<Self>;

    /// Its word.
    fn word(&self) -> &'static str;

    /// Whether nothing is told that would not be so anyway.
    fn is_plain(&self) -> bool;
}

/// Makes `Options`, the table of each kind, out of `module, Variant, word` triples; a module's `Options` are
/// what its kind can be told, and their doc comment says what the kind is.
macro_rules! kinds {
    ($(#[$about:meta])* $title:literal, $($module:ident, $Name:ident, $word:literal);+) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, ::serde::Serialize, ::serde::Deserialize, ::schemars::JsonSchema)]
        #[serde(tag = "kind")]
        pub enum Options {
            $(
                #[expect(missing_docs, reason = "its options say what it is")]
                #[serde(rename = $word)]
                $Name($module::Options),
            )+
        }

        impl $crate::word::Kinds for Options {
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
    };
}

/// Lets a profile say what the options of [`kinds`] leave out; each kind says by a `complete` of its own which
/// of its options these are.
macro_rules! complete {
    ($($Name:ident),+) => {
        impl Options {
            /// The options, with those of the profile where they are left out.
            pub(crate) fn complete(&self, profile: &[Self]) -> Self {
                let mut complete = self.clone();
                for base in profile {
                    match (&mut complete, base) {
                        $(
                            (Self::$Name(given), Self::$Name(base)) => {
                                *given = $Name::complete(given, base);
                            }
                        )+
                        _ => {}
                    }
                }
                complete
            }
        }
    };
}

pub(crate) use {complete, kinds};

/// Reads a word or a table.
pub(crate) fn deserialize<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: Deserialize<'de> + Kinds,
    D: Deserializer<'de>,
{
    deserializer.deserialize_any(Either(PhantomData)).map(Some)
}

/// Writes the word where that says it all.
#[expect(clippy::ref_option, reason = "what serde asks for")]
pub(crate) fn serialize<T, S>(given: &Option<T>, serializer: S) -> Result<S::Ok, S::Error>
where
    T: Serialize + Kinds,
    S: Serializer,
{
    match given {
        Some(kind) if kind.is_plain() => serializer.serialize_str(kind.word()),
        table => table.serialize(serializer),
    }
}

struct Either<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + Kinds> Visitor<'de> for Either<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "one of {}, or a table with a kind", T::WORDS.join(", "))
    }

    fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<T, E> {
        T::deserialize(MapDeserializer::new(std::iter::once(("kind", word))))
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(table))
    }
}

/// The schema of a word or a table: each word means what the table of its kind does.
pub(crate) struct WordOrTable<T>(PhantomData<T>);

impl<T: JsonSchema + Kinds> JsonSchema for WordOrTable<T> {
    fn schema_name() -> Cow<'static, str> {
        T::TITLE.into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = T::json_schema(generator);
        let tables = schema.get_mut("oneOf").and_then(|tables| tables.as_array_mut());
        let mut either = Vec::new();
        if let Some(tables) = tables {
            for (word, table) in T::WORDS.iter().zip(tables.iter()) {
                let mut one = json_schema!({ "type": "string", "const": word });
                if let Some(about) = table.get("description") {
                    one.insert("description".to_owned(), about.clone());
                }
                either.push(one.to_value());
            }
            either.append(tables);
            *tables = either;
        }
        schema
    }
}
