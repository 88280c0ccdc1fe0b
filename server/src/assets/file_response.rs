//! A response with an embedded file: validators, compression and type.

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use hato_domain::ErrorCode;
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use http::{HeaderMap, StatusCode};
use rust_embed::EmbeddedFile;

use super::{BUILD_FILE, SiteAssets};
use crate::http::error::ApiError;

/// How long browsers may use a file without asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Caching {
    /// A year: the bytes at this address never change.
    Immutable,
    /// Not at all: each time they ask whether it has changed.
    Revalidated,
}

impl Caching {
    const fn header(self) -> &'static str {
        match self {
            Self::Immutable => "public, max-age=31536000, immutable",
            Self::Revalidated => "no-cache",
        }
    }
}

/// Whether the file is for browsers: not the name of the build, and no compressed copy.
pub(super) fn is_public(path: &str) -> bool {
    path != BUILD_FILE && !has_ending(path, "br")
}

fn has_ending(path: &str, ending: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, it)| it == ending)
}

/// The embedded file with its validators, or 304 when the browser has it; 404 when there is none.
pub(super) fn serve(path: &str, caching: Caching, request_headers: &HeaderMap) -> Response {
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
    let headers = [
        (CONTENT_TYPE, content_type(path)),
        (CACHE_CONTROL, caching.header()),
        (VARY, "accept-encoding"),
        (ETAG, &etag),
    ];
    let encoding = encoding.map(|encoding| [(CONTENT_ENCODING, encoding)]);
    if is_known(request_headers, &etag) {
        return (StatusCode::NOT_MODIFIED, headers, encoding, ()).into_response();
    }
    (headers, encoding, Body::from(file.data)).into_response()
}

/// Strong, and another one for each encoding, since it is the hash of the bytes sent.
fn etag(file: &EmbeddedFile) -> String {
    let hash = file.metadata.sha256_hash();
    format!("\"{}\"", hex::encode(&hash[..16]))
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

    use super::{accepts_brotli, content_type, is_known, is_public};

    fn headers(name: http::HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, http::HeaderValue::from_static(value))])
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
