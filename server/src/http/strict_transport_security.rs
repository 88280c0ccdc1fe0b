//! What tells browsers to come back through https alone (RFC 6797).

/// What `Strict-Transport-Security` says: for a year (RFC 6797 §6.1).
pub const HTTPS_FOR_A_YEAR: &str = "max-age=31536000";
