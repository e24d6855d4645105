//! An option that is one of several kinds, written as a word, `"compound"`, or as a table with options of the kind,
//! `{ kind = "compound", gamma = 20 }`. A word means the table without options.
//!
//! `optional` and `required` are for serde's `with`, [`WordOrTable`] for schemars'.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::{MapAccessDeserializer, MapDeserializer};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Kinds;

/// Completes the options of a kind by those of the same kind in `profile`, the first of which decides.
pub fn complete<'a, Options, OfKind: 'a>(
    given: &mut OfKind,
    profile: &'a [Options],
    by: impl Fn(&OfKind, &OfKind) -> OfKind,
) where
    &'a OfKind: TryFrom<&'a Options>,
{
    for base in profile.iter().filter_map(|base| base.try_into().ok()) {
        *given = by(given, base);
    }
}

/// An option that is always there.
pub mod required {
    use super::{Deserialize, Deserializer, Either, Kinds, PhantomData, Serialize, Serializer};

    /// Reads a word or a table.
    pub fn deserialize<'de, T, D>(deserializer: D) -> Result<T, D::Error>
    where
        T: Deserialize<'de> + Kinds,
        D: Deserializer<'de>,
    {
        deserializer.deserialize_any(Either(PhantomData))
    }

    /// Writes the word if no option differs from its default.
    pub fn serialize<T, S>(kind: &T, serializer: S) -> Result<S::Ok, S::Error>
    where
        T: Serialize + Kinds,
        S: Serializer,
    {
        if kind.is_plain() {
            serializer.serialize_str(kind.word())
        } else {
            kind.serialize(serializer)
        }
    }
}

/// An option that may be left out.
pub mod optional {
    use super::{Deserialize, Deserializer, Kinds, Serialize, Serializer, required};

    /// Reads a word or a table.
    pub fn deserialize<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
    where
        T: Deserialize<'de> + Kinds,
        D: Deserializer<'de>,
    {
        required::deserialize(deserializer).map(Some)
    }

    /// Writes the word if no option differs from its default.
    pub fn serialize<T, S>(given: &Option<T>, serializer: S) -> Result<S::Ok, S::Error>
    where
        T: Serialize + Kinds,
        S: Serializer,
    {
        match given {
            Some(kind) => required::serialize(kind, serializer),
            None => serializer.serialize_none(),
        }
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

/// The schema of a word or a table: a word is described as the table of its kind.
pub struct WordOrTable<T>(PhantomData<T>);

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
