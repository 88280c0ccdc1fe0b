//! What the use cases count. Without a recorder of the `metrics` crate nothing is counted.

use metrics::{counter, describe_counter};

pub(crate) const PASSWORD_VERIFICATIONS: &str = "hato_password_verifications_total";
pub(crate) const REFUSED_HASHES: &str = "hato_password_hashes_refused_total";

/// Describes the counters to the recorder and starts each at zero, so that they are exported before anybody logs in.
pub fn describe() {
    describe_verifications();
    describe_refused_hashes();
}

fn describe_verifications() {
    describe_counter!(
        PASSWORD_VERIFICATIONS,
        "Passwords that were verified with argon2id, those for unknown addresses included"
    );
    counter!(PASSWORD_VERIFICATIONS).increment(0);
}

fn describe_refused_hashes() {
    describe_counter!(
        REFUSED_HASHES,
        "Passwords that were not looked at because too many waited"
    );
    counter!(REFUSED_HASHES).increment(0);
}
