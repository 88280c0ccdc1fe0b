//! Waits that chance shortens, so that processes which began together do not come together.

use std::time::Duration;

/// Between half of the duration and all of it.
pub fn jittered(duration: Duration) -> Duration {
    duration.mul_f64(0.5 + fastrand::f64() / 2.0)
}
