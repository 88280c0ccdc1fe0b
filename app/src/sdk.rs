//! The SDK's current version, as the snippets name it (CONTRACT 10).

/// A version of the SDK, with the Subresource Integrity values of the files that pages load.
#[derive(Clone, Debug)]
pub struct Sdk {
    /// Its folder under `/sdk`.
    pub version: String,
    /// Whether its files are frozen. Those of a version in development change with the server, and
    /// the integrity values with them.
    pub is_released: bool,
    /// The value for `hato.js`; empty when the server was built without the browser's files.
    pub page_integrity: String,
    /// The value for `bell.js`, likewise.
    pub bell_integrity: String,
    /// The value for `preferences.js`, likewise.
    pub preferences_integrity: String,
}
