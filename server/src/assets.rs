//! The browser's files: built by xtask, embedded in the binary, brotli beside each (CONTRACT 10).

use std::borrow::Cow;

use aws_lc_rs::digest::{SHA384, digest};
use axum::Router;
use axum::body::Body;
use axum::extract::Path;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hato_app::Sdk;
use hato_domain::ErrorCode;
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderName,
    IF_NONE_MATCH, VARY,
};
use http::{HeaderMap, HeaderValue, StatusCode};
use rust_embed::{Embed, EmbeddedFile};

use crate::http::error::ApiError;
use crate::state::AppState;

const IMMUTABLE: &str = "public, max-age=31536000, immutable";
const REVALIDATED: &str = "no-cache";
const BUILD_FILE: &str = "build.txt";
/// The SDK's current version, which is the workspace's.
const VERSION: &str = env!("CARGO_PKG_VERSION");
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// The site that was there when the server was built; none is fine for everything but a browser.
#[derive(Embed)]
#[folder = "../target/site"]
#[allow_missing = true]
struct SiteAssets;

/// `/sdk/*`: the current files are revalidated, those of a release never change. Any site may load them.
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
                get(async move |headers| serve(&path, REVALIDATED, &headers)),
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
/// The files of a release never change. Until the current version is released, its current files
/// stand for it; the next build may have others, so browsers must not keep them without asking.
fn locate(path: &str, is_released: bool) -> (&str, &'static str) {
    match path.split_once('/') {
        Some((VERSION, name)) if !is_released && !name.contains('/') => (name, REVALIDATED),
        Some(_) => (path, IMMUTABLE),
        None => (path, REVALIDATED),
    }
}

async fn sdk_file(Path(path): Path<String>, headers: HeaderMap) -> Response {
    let (path, cache) = locate(&path, is_released());
    let mut response = serve(&format!("sdk/{path}"), cache, &headers);
    let cross_origin = HeaderValue::from_static("cross-origin");
    response.headers_mut().insert(RESOURCE_POLICY, cross_origin);
    response
}

async fn pkg_file(Path(path): Path<String>, headers: HeaderMap) -> Response {
    serve(&format!("pkg/{path}"), IMMUTABLE, &headers)
}

/// The compressed variants and the facts of the build are no files of their own.
fn is_public(path: &str) -> bool {
    path != BUILD_FILE && !has_ending(path, "br")
}

fn has_ending(path: &str, ending: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, it)| it == ending)
}

fn serve(path: &str, cache: &'static str, request_headers: &HeaderMap) -> Response {
    let file = SiteAssets::get(path).filter(|_| is_public(path));
    let Some(file) = file else {
        return ApiError::from(ErrorCode::NotFound).into_response();
    };
    let brotli = accepts_brotli(request_headers)
        .then(|| SiteAssets::get(&format!("{path}.br")))
        .flatten();
    let encoding = brotli.is_some().then_some("br");
    let file = brotli.unwrap_or(file);
    let etag = etag(&file);
    let known = is_known(request_headers, &etag);
    let body = if known { Body::empty() } else { body(file) };
    let mut response = Response::new(body);
    describe(response.headers_mut(), path, &etag, cache, encoding);
    if known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    response
}

fn describe(
    headers: &mut HeaderMap,
    path: &str,
    etag: &str,
    cache: &'static str,
    encoding: Option<&'static str>,
) {
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type(path)));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(cache));
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    if let Ok(etag) = HeaderValue::from_str(etag) {
        headers.insert(ETAG, etag);
    }
    if let Some(encoding) = encoding {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
}

fn body(file: EmbeddedFile) -> Body {
    match file.data {
        Cow::Borrowed(bytes) => Body::from(bytes),
        Cow::Owned(bytes) => Body::from(bytes),
    }
}

/// Strong, and another one for each encoding, since it is the hash of the bytes sent.
fn etag(file: &EmbeddedFile) -> String {
    let hash = file.metadata.sha256_hash();
    let digits = hash.iter().take(16).map(|byte| format!("{byte:02x}"));
    format!("\"{}\"", digits.collect::<String>())
}

/// Whether the client has these very bytes; for a GET a weak comparison is enough (RFC 9110 §13.1.2).
fn is_known(request_headers: &HeaderMap, etag: &str) -> bool {
    let known = request_headers.get_all(IF_NONE_MATCH).iter();
    known
        .filter_map(|tags| tags.to_str().ok())
        .flat_map(|tags| tags.split(','))
        .map(|tag| tag.trim().trim_start_matches("W/"))
        .any(|tag| tag == etag || tag == "*")
}

/// Whether `Accept-Encoding` names brotli with a weight that is not 0 (RFC 9110 §12.5.3).
fn accepts_brotli(request_headers: &HeaderMap) -> bool {
    let accepted = request_headers.get_all(ACCEPT_ENCODING).iter();
    accepted
        .filter_map(|encodings| encodings.to_str().ok())
        .flat_map(|encodings| encodings.split(','))
        .filter_map(|encoding| {
            let (name, weight) = encoding.split_once(';').unwrap_or((encoding, "q=1"));
            let refused = matches!(weight.trim(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000");
            (!refused).then_some(name.trim())
        })
        .any(|name| name.eq_ignore_ascii_case("br"))
}

/// Browsers run no module and stream no wasm under another type, and `nosniff` keeps them from guessing.
fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "wasm" => "application/wasm",
        "css" => "text/css; charset=utf-8",
        "html" => "text/html; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" | "ts" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;
    use http::header::{ACCEPT_ENCODING, IF_NONE_MATCH};

    use super::{
        IMMUTABLE, REVALIDATED, VERSION, accepts_brotli, content_type, is_known, is_public, locate,
    };

    fn headers(name: http::HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, http::HeaderValue::from_static(value))])
    }

    #[test]
    fn only_the_files_of_a_release_are_kept_unasked() {
        let current = format!("{VERSION}/sw.js");
        assert_eq!(locate(&current, true), (current.as_str(), IMMUTABLE));
        assert_eq!(locate(&current, false), ("sw.js", REVALIDATED));
        for is_released in [true, false] {
            assert_eq!(locate("sw.js", is_released), ("sw.js", REVALIDATED));
            assert_eq!(
                locate("0.0.1/sw.js", is_released),
                ("0.0.1/sw.js", IMMUTABLE)
            );
        }
        let nested = format!("{VERSION}/0.0.1/sw.js");
        assert_eq!(locate(&nested, false).0, nested);
    }

    #[test]
    fn brotli_is_sent_to_those_who_take_it() {
        for (value, takes) in [
            ("gzip, deflate, br, zstd", true),
            ("br;q=0.5", true),
            ("br;q=0", false),
            ("gzip", false),
            ("", false),
        ] {
            assert_eq!(
                accepts_brotli(&headers(ACCEPT_ENCODING, value)),
                takes,
                "{value}"
            );
        }
    }

    #[test]
    fn a_known_tag_is_found_in_a_list() {
        for (value, known) in [
            ("\"a\"", true),
            ("\"b\", W/\"a\"", true),
            ("*", true),
            ("\"b\"", false),
        ] {
            assert_eq!(
                is_known(&headers(IF_NONE_MATCH, value), "\"a\""),
                known,
                "{value}"
            );
        }
    }

    #[test]
    fn types_are_those_that_browsers_insist_on() {
        assert_eq!(
            content_type("sdk/hato.mjs"),
            "text/javascript; charset=utf-8"
        );
        assert_eq!(content_type("pkg/hato-1.wasm"), "application/wasm");
        assert!(is_public("favicon.svg") && !is_public("build.txt") && !is_public("a.js.br"));
    }
}
