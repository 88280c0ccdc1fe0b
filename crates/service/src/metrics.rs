//! What the use cases count. Without a recorder of the `metrics` crate nothing is counted.

use metrics::{counter, describe_counter};

pub(crate) const PASSWORD_VERIFICATIONS: &str = "hato_password_verifications_total";

/// Describes the counter to the recorder and starts it at zero, so that it is exported before anybody logs in.
pub fn describe() {
    describe_counter!(
        PASSWORD_VERIFICATIONS,
        "Passwords that were verified with argon2id, those for unknown addresses included"
    );
    counter!(PASSWORD_VERIFICATIONS).increment(0);
}
