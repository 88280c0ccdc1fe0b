//! The browser's files: built by xtask, embedded in the binary, brotli beside each (CONTRACT 10).

mod file_response;

use aws_lc_rs::digest::{SHA384, digest};
use axum::Router;
use axum::extract::Path;
use axum::response::Response;
use axum::routing::get;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hato_app::Sdk;
use http::{HeaderMap, HeaderName, HeaderValue};
use rust_embed::Embed;

use self::file_response::{Caching, is_public, serve};
use crate::state::AppState;

const BUILD_FILE: &str = "build.txt";
/// The SDK's current version, which is the workspace's.
const VERSION: &str = env!("CARGO_PKG_VERSION");
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// The site that was there when the server was built; none is fine for everything but a browser.
#[derive(Embed)]
#[folder = "../target/site"]
#[allow_missing = true]
struct SiteAssets;

/// `/sdk/*`: the current files are revalidated, those in a version's folder are kept for a year. Any site may load them.
pub fn sdk() -> Router<AppState> {
    Router::new().route("/{*path}", get(sdk_file))
}

/// `/pkg/*`, whose names change with their content, and the files beside it, such as the favicon.
pub fn site() -> Router<AppState> {
    let folders = ["pkg/", "sdk/"];
    let beside =
        SiteAssets::iter().filter(|path| !folders.iter().any(|folder| path.starts_with(folder)));
    let pkg = Router::new().route("/pkg/{*path}", get(pkg_file));
    beside
        .filter(|path| is_public(path))
        .fold(pkg, |routes, path| {
            let route = format!("/{path}");
            routes.route(
                &route,
                get(async move |headers| serve(&path, Caching::Revalidated, &headers)),
            )
        })
}

/// The name of the dashboard's files under /pkg, without their ending, as the build wrote it down.
pub fn output_name() -> String {
    let name =
        SiteAssets::get(BUILD_FILE).and_then(|file| String::from_utf8(file.data.into_owned()).ok());
    name.map_or_else(|| "hato".to_owned(), |name| name.trim().to_owned())
}

/// The version of the SDK that snippets name, with the integrity values of the very bytes that are served.
pub fn current_sdk() -> Sdk {
    let is_released = is_released();
    let integrity = |name: &str| {
        let path = format!("{VERSION}/{name}");
        let (path, _) = locate(&path, is_released);
        let file = SiteAssets::get(&format!("sdk/{path}"));
        file.map_or_else(String::new, |file| integrity(&file.data))
    };
    Sdk {
        version: VERSION.to_owned(),
        is_released,
        page_integrity: integrity("hato.js"),
        bell_integrity: integrity("bell.js"),
        preferences_integrity: integrity("preferences.js"),
    }
}

/// A Subresource Integrity value.
fn integrity(content: &[u8]) -> String {
    format!("sha384-{}", STANDARD.encode(digest(&SHA384, content)))
}

/// Whether `cargo xtask release-sdk` has frozen the current version: the site then has a folder of it.
fn is_released() -> bool {
    SiteAssets::get(&format!("sdk/{VERSION}/sw.js")).is_some()
}

/// The file below the site's folder `sdk` that answers a path below `/sdk/`, and how it may be cached.
///
/// The files of a released version never change (CONTRACT 10). Until the current one is released, its current files are
/// served in its folder, to be kept as long; snippets carry a query that names the build
/// (`app/src/pages/app/embed.rs`).
fn locate(path: &str, is_released: bool) -> (&str, Caching) {
    match path.split_once('/') {
        Some((VERSION, name)) if !is_released && !name.contains('/') => (name, Caching::Immutable),
        Some(_) => (path, Caching::Immutable),
        None => (path, Caching::Revalidated),
    }
}

async fn sdk_file(Path(path): Path<String>, headers: HeaderMap) -> Response {
    let (path, caching) = locate(&path, is_released());
    let mut response = serve(&format!("sdk/{path}"), caching, &headers);
    let cross_origin = HeaderValue::from_static("cross-origin");
    response.headers_mut().insert(RESOURCE_POLICY, cross_origin);
    response
}

async fn pkg_file(Path(path): Path<String>, headers: HeaderMap) -> Response {
    serve(&format!("pkg/{path}"), Caching::Immutable, &headers)
}

#[cfg(test)]
mod tests {
    use super::{Caching, VERSION, locate};

    #[test]
    fn the_files_of_a_version_are_kept_unasked() {
        let current = format!("{VERSION}/sw.js");
        assert_eq!(
            locate(&current, true),
            (current.as_str(), Caching::Immutable)
        );
        assert_eq!(locate(&current, false), ("sw.js", Caching::Immutable));
        for is_released in [true, false] {
            assert_eq!(
                locate("sw.js", is_released),
                ("sw.js", Caching::Revalidated)
            );
            assert_eq!(
                locate("0.0.1/sw.js", is_released),
                ("0.0.1/sw.js", Caching::Immutable)
            );
        }
        let nested = format!("{VERSION}/0.0.1/sw.js");
        assert_eq!(locate(&nested, false).0, nested);
    }
}
