//! A file, or data without end.

use super::prelude::*;

/// All data at the start: one file, or an endless supply.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Bulk {
    /// The size of the file; without it the source never ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-min" = "1 B", "x-max" = "1 TB"))]
    pub size: Option<Bytes>,
}

impl Kind for Bulk {
    fn facts(&self) -> Facts<'_> {
        Facts::of(Form::File(self.size))
    }

    fn scale(&mut self, _: f64) {}

    fn check(&self, problems: &mut Problems) {
        if let Some(size) = self.size {
            problems.some_bytes(size, "size");
        }
    }

    fn offers(&self, _: Bytes) -> Option<Offers> {
        Some(Offers::Once { bytes: Some(self.size.map_or(Offer::ENDLESS, |size| size.0)) })
    }
}
