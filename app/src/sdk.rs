//! The SDK's current release, as the snippets name it (CONTRACT 10).

/// A release whose files never change, with the Subresource Integrity values of those that pages load.
#[derive(Clone, Debug)]
pub struct Sdk {
    /// Its folder under `/sdk`.
    pub version: String,
    /// The value for `hato.js`; empty when the server was built without the browser's files.
    pub page_integrity: String,
    /// The value for `bell.js`, likewise.
    pub bell_integrity: String,
}
