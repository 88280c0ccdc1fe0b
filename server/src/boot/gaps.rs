//! Settings that take a protection away: each may be meant, so a start names them and goes on.

use crate::config::Config;

/// Warns, in a line for each setting, of what it leaves open (CONTRACT 1).
pub fn warn_of_gaps(config: &Config) {
    if config.base_url.is_unprotected() {
        tracing::warn!("HATO_BASE_URL is not https: cookies and keys can be read on the way");
    }
    if config.trusted_proxies().trust_everybody() {
        tracing::warn!(
            "HATO_TRUSTED_PROXIES holds every address: clients choose how limits count them"
        );
    }
    if config.delivery.outbound().permits_everything() {
        tracing::warn!("HATO_OUTBOUND_ALLOW holds every address: strangers reach this network");
    }
}
