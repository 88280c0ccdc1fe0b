//! Random numbers that can be repeated: a generator whose seed is printed.

use std::env;
use std::thread;

pub use fastrand::Rng;

/// The variable that repeats a run.
const SEED: &str = "HATO_SEED";

/// A generator with the seed in `HATO_SEED`, or a new one; either is printed beside its test, for one that
/// fails to be repeated.
pub fn from_env() -> Rng {
    let from_env = env::var(SEED).ok();
    let from_env = from_env.map(|seed| seed.parse().expect("HATO_SEED is a number"));
    let seed = from_env.unwrap_or_else(|| fastrand::u64(..));
    println!(
        "{SEED}={seed} {}",
        thread::current().name().unwrap_or_default()
    );
    Rng::with_seed(seed)
}
