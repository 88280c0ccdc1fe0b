//! What the dashboard needs of the server that runs it.

use std::sync::Arc;

use hato_service::Service;

use crate::sdk::Sdk;

/// Where the site has what it is built with.
pub(crate) const PACKAGE_FOLDER: &str = "pkg";

/// The use cases, and the facts that pages show.
#[derive(Clone)]
pub struct AppContext {
    /// The use cases of the product.
    pub service: Arc<Service>,
    /// The base address (`HATO_BASE_URL`), without a slash at its end.
    pub base_url: String,
    /// The page about plans (`HATO_PRICING_URL`): an address, or a path of this site.
    pub pricing_url: String,
    /// Whether cookies are `Secure`: the base address is https.
    pub secure_cookies: bool,
    /// The name of the site's files under `/pkg`, without their ending.
    pub output_name: String,
    /// The release of the SDK that the embed snippets load.
    pub sdk: Sdk,
    /// Whether the registration form is offered.
    pub registration_open: bool,
    /// Whether people may log in through GitHub.
    pub github_login: bool,
    /// The OpenAPI document that `/docs/api` shows.
    pub api: Arc<serde_json::Value>,
}

impl AppContext {
    /// The path of a file that the site is built with, such as `-page.js`; its name changes with its contents.
    pub fn package_file(&self, ending: &str) -> String {
        format!("/{PACKAGE_FOLDER}/{}{ending}", self.output_name)
    }
}
