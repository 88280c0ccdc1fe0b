//! Which addresses are public.

use super::{OutboundPolicy, is_public};

/// The first and the last address of each range, and the public ones before and after it.
const RANGES_V4: [(&str, &str, Option<&str>, Option<&str>); 15] = [
    ("0.0.0.0", "0.255.255.255", None, Some("1.0.0.0")),
    (
        "10.0.0.0",
        "10.255.255.255",
        Some("9.255.255.255"),
        Some("11.0.0.0"),
    ),
    (
        "100.64.0.0",
        "100.127.255.255",
        Some("100.63.255.255"),
        Some("100.128.0.0"),
    ),
    (
        "127.0.0.0",
        "127.255.255.255",
        Some("126.255.255.255"),
        Some("128.0.0.0"),
    ),
    (
        "169.254.0.0",
        "169.254.255.255",
        Some("169.253.255.255"),
        Some("169.255.0.0"),
    ),
    (
        "172.16.0.0",
        "172.31.255.255",
        Some("172.15.255.255"),
        Some("172.32.0.0"),
    ),
    (
        "192.0.0.0",
        "192.0.0.255",
        Some("191.255.255.255"),
        Some("192.0.1.0"),
    ),
    (
        "192.0.2.0",
        "192.0.2.255",
        Some("192.0.1.255"),
        Some("192.0.3.0"),
    ),
    (
        "192.88.99.0",
        "192.88.99.255",
        Some("192.88.98.255"),
        Some("192.88.100.0"),
    ),
    (
        "192.168.0.0",
        "192.168.255.255",
        Some("192.167.255.255"),
        Some("192.169.0.0"),
    ),
    (
        "198.18.0.0",
        "198.19.255.255",
        Some("198.17.255.255"),
        Some("198.20.0.0"),
    ),
    (
        "198.51.100.0",
        "198.51.100.255",
        Some("198.51.99.255"),
        Some("198.51.101.0"),
    ),
    (
        "203.0.113.0",
        "203.0.113.255",
        Some("203.0.112.255"),
        Some("203.0.114.0"),
    ),
    (
        "224.0.0.0",
        "239.255.255.255",
        Some("223.255.255.255"),
        None,
    ),
    ("240.0.0.0", "255.255.255.255", None, None),
];

fn assert_public(text: &str, expected: bool) {
    let address = text.parse().expect("an address");
    assert_eq!(is_public(address), expected, "{text}");
}

#[test]
fn special_ipv4_ranges_end_where_they_should() {
    for (first, last, before, after) in RANGES_V4 {
        assert_public(first, false);
        assert_public(last, false);
        for neighbour in before.into_iter().chain(after) {
            assert_public(neighbour, true);
        }
    }
}

#[test]
fn an_ipv4_address_is_judged_in_every_ipv6_form() {
    for (first, last, before, after) in RANGES_V4 {
        let special = [(first, false), (last, false)];
        let public = before.into_iter().chain(after).map(|it| (it, true));
        for (text, expected) in special.into_iter().chain(public) {
            let v4: std::net::Ipv4Addr = text.parse().expect("an address");
            let [a, b, c, d] = v4.octets();
            assert_public(&format!("::ffff:{text}"), expected);
            assert_public(&format!("64:ff9b::{text}"), expected);
            let six_to_four = format!("2002:{a:02x}{b:02x}:{c:02x}{d:02x}::1");
            assert_public(&six_to_four, expected);
            assert_public(&format!("::{text}"), false);
            assert_public(&format!("64:ff9b:1::{text}"), false);
            let teredo = format!("2001:0:{a:02x}{b:02x}:{c:02x}{d:02x}::1");
            assert_public(&teredo, false);
        }
    }
}

#[test]
fn special_ipv6_addresses_are_not_public() {
    for text in [
        "::",
        "::1",
        "::2",
        "::ffff:0:127.0.0.1",
        "64:ff9b:0:0:0:1::",
        "64:ff9b:1::",
        "64:ff9b:1:ffff:ffff:ffff:ffff:ffff",
        "100::",
        "100::1:0:0:0",
        "1fff:ffff::",
        "2001::",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",
        "2001:1::1",
        "2001:2::",
        "2001:10::",
        "2001:20::",
        "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
        "2001:db8::",
        "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
        "3ffe:ffff::1",
        "3fff::",
        "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
        "4000::",
        "5f00::1",
        "fc00::",
        "fdff:ffff::1",
        "fe80::1",
        "febf:ffff::1",
        "fec0::1",
        "feff:ffff::1",
        "ff00::",
        "ff02::1",
        "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    ] {
        assert_public(text, false);
    }
}

#[test]
fn ordinary_addresses_are_public() {
    for text in [
        "1.1.1.1",
        "93.184.216.34",
        "2000::1",
        "2001:200::",
        "2001:db7:ffff::1",
        "2001:db9::",
        "2606:4700::1111",
        "3fff:1000::",
    ] {
        assert_public(text, true);
    }
}

#[test]
fn what_the_operator_allows_is_permitted() {
    let policy = OutboundPolicy::parse("127.0.0.0/8, ::1").expect("a list");
    for text in ["127.9.9.9", "::1", "::ffff:127.0.0.1", "1.1.1.1"] {
        assert!(policy.permits(text.parse().expect("an address")), "{text}");
    }
    for text in ["10.0.0.1", "64:ff9b::127.0.0.1"] {
        assert!(!policy.permits(text.parse().expect("an address")), "{text}");
    }
    for list in [
        "127.0.0.0/33",
        "127.0.0.0/",
        "010.0.0.0/8",
        "10.0.0",
        "10.0.0.0/8;::1",
    ] {
        assert!(OutboundPolicy::parse(list).is_none(), "{list}");
    }
}
