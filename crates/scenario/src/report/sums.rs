//! Sums of tables as JSON.

use plan::table::{Sum, Sums};
use serde_json::{Value as Json, json};

/// Adds sums to an object.
pub(super) fn add(mut json: Json, sums: &Sums) -> Json {
    for &(name, sum) in sums {
        json[name] = match sum {
            Sum::U64(count) => json!(count),
            Sum::F64(number) => json!(number),
        };
    }
    json
}
