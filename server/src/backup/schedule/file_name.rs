//! The names of the back-ups that a server makes by itself, which say when.

use std::ops::Range;

use hato_domain::UnixMillis;

const PREFIX: &str = "hato-";
const SUFFIX: &str = ".tar.zst";

pub(super) fn file_name(stamp: &str) -> String {
    format!("{PREFIX}{stamp}{SUFFIX}")
}

/// Whether it is such a name: hato-20260131T040000Z.tar.zst.
pub(super) fn is_ours(name: &str) -> bool {
    let stamp = name.strip_prefix(PREFIX);
    let stamp = stamp.and_then(|rest| rest.strip_suffix(SUFFIX));
    stamp.is_some_and(|stamp| {
        let shape = "########T######Z";
        stamp.len() == shape.len()
            && stamp
                .bytes()
                .zip(shape.bytes())
                .all(|(byte, shape)| match shape {
                    b'#' => byte.is_ascii_digit(),
                    shape => byte == shape,
                })
    })
}

/// When a back-up of this name was made.
pub(super) fn made_at(name: &str) -> Option<UnixMillis> {
    let stamp = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
    let part = |range: Range<usize>| stamp.get(range);
    let date = [part(0..4)?, part(4..6)?, part(6..8)?].join("-");
    let time = [part(9..11)?, part(11..13)?, part(13..15)?].join(":");
    UnixMillis::from_date_and_time(&format!("{date}T{time}"))
}

#[cfg(test)]
mod tests {
    use hato_domain::UnixMillis;

    use super::{file_name, is_ours, made_at};
    use crate::backup::stamp;

    #[test]
    fn a_name_says_when_its_back_up_was_made() {
        let time = UnixMillis(1_769_832_005_000);
        assert_eq!(made_at(&file_name(&stamp(time))), Some(time));
        assert_eq!(made_at("hato-99999999T999999Z.tar.zst"), None);
    }

    #[test]
    fn only_names_of_back_ups_are_known() {
        assert!(is_ours("hato-20260131T040000Z.tar.zst"));
        for name in [
            "hato-20260131T040000Z.tar",
            "hato-.tar.zst",
            "hato-2026013xT040000Z.tar.zst",
            "hato-20260131T040000Z.tar.zst.gpg",
            "my-hato-20260131T040000Z.tar.zst",
            "hato-120260131T040000Z.tar.zst",
        ] {
            assert!(!is_ours(name), "{name}");
        }
    }
}
