//! What the log and the metrics say of a request's first line. Clients make it up, and put into paths by mistake what no log may hold:
//! a raw key in the place of its id, an email address (CONTRACT 1, 2).

use http::Method;

/// Longest path in the log, in bytes, besides what tells that it is longer.
const MAX_PATH_BYTES: usize = 200;
/// Longest word of a path, in bytes: longer than those of all routes, shorter than keys and tokens.
const MAX_WORD_BYTES: usize = 32;
/// Most digits of a word, as `v1` has one: keys and tokens have more.
const MAX_WORD_DIGITS: usize = 1;
/// How ids begin (CONTRACT 2), and how many hexadecimal digits follow.
const ID_PREFIXES: [&str; 8] = [
    "usr_", "app_", "sub_", "key_", "snd_", "evt_", "dl_", "msg_",
];
const ID_DIGITS: usize = 32;
/// Stands for what is left out.
const OMISSION: &str = "…";

/// The method, or `other` for those that clients make up.
pub fn method(method: &Method) -> &'static str {
    let mut known = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].into_iter();
    known
        .find(|known| *known == method.as_str())
        .unwrap_or("other")
}

/// The path with its ids and what looks like a word of a route; `…` stands for every other segment, and for what is beyond 200 bytes.
pub fn path(path: &str) -> String {
    let mut label = String::new();
    for (position, segment) in path.split('/').enumerate() {
        let separator = if position > 0 { "/" } else { "" };
        let is_known = is_word(segment) || is_id(segment);
        let shown = if is_known { segment } else { OMISSION };
        if label.len() + separator.len() + shown.len() > MAX_PATH_BYTES {
            label.push_str(OMISSION);
            break;
        }
        label.push_str(separator);
        label.push_str(shown);
    }
    label
}

fn is_word(segment: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_.".contains(&b);
    let digits = segment.bytes().filter(u8::is_ascii_digit).count();
    segment.len() <= MAX_WORD_BYTES && digits <= MAX_WORD_DIGITS && segment.bytes().all(plain)
}

fn is_id(segment: &str) -> bool {
    let mut prefixes = ID_PREFIXES.iter();
    let digits = prefixes.find_map(|prefix| segment.strip_prefix(prefix));
    digits.is_some_and(|digits| {
        digits.len() == ID_DIGITS && digits.bytes().all(|b| b.is_ascii_hexdigit())
    })
}

#[cfg(test)]
mod tests {
    use http::Method;

    use super::{MAX_PATH_BYTES, OMISSION, method, path};

    #[test]
    fn words_of_routes_and_ids_are_shown() {
        let id = "0190b0aa5d2c7c3b8f3e9a1d2b3c4d5e";
        let with_ids = format!("/api/v1/apps/app_{id}/keys/key_{id}");
        let sends = format!("/apps/app_{id}/sends/snd_{id}");
        let templates = crate::endpoints().into_iter();
        let templates = templates.map(|it| it.path).filter(|it| !it.contains('{'));
        let others = ["/", "/sdk/hato.d.ts", "/_app/change_password", &with_ids];
        for shown in templates.chain(others.map(str::to_owned)).chain([sends]) {
            assert_eq!(path(&shown), shown);
        }
    }

    #[test]
    fn what_may_be_a_secret_is_left_out() {
        let key = format!("pk_{}", "0123456789abcdef".repeat(4));
        for secret in [
            key.as_str(),
            &key[..20],
            &format!("key_{}", &key[3..]),
            "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
            "somebody@example.com",
            "somebody%40example.com",
            "Qm9vIQ",
            "eyj-a-word-that-is-longer-than-words-are",
            "https:",
            "鳩",
        ] {
            let label = path(&format!("/apps/{secret}/keys"));
            assert_eq!(label, "/apps/…/keys", "{secret}");
        }
        assert_eq!((path(""), path("*")), (String::new(), OMISSION.to_owned()));
    }

    #[test]
    fn a_label_is_short() {
        for long in ["/", "/a", "/secret@", "/apps/keys"] {
            let label = path(&long.repeat(10_000));
            let is_short = label.len() <= MAX_PATH_BYTES + OMISSION.len();
            assert!(is_short && label.ends_with(OMISSION), "{label}");
        }
    }

    #[test]
    fn methods_come_from_a_fixed_set() {
        let made_up = Method::from_bytes(b"pk_0123").expect("a token");
        assert_eq!((method(&made_up), method(&Method::GET)), ("other", "GET"));
    }
}
