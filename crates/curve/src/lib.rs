//! Key agreement on P-256 with many peers at once.
//!
//! RFC 8291 wants a fresh key pair for every message, so a page of recipients needs as many public keys and shared secrets,
//! none of which depends on another. [`Avx512Ecdh`] computes eight of them side by side, one in each 64-bit lane of AVX-512's
//! IFMA instructions, at about a quarter of what they cost one after the other.
//!
//! - `avx512/field.rs`: arithmetic modulo p, and the bounds it keeps.
//! - `avx512/point.rs`: doubling and adding points.
//! - `avx512/multiply.rs`: multiplying them by scalars, and why no exceptional case can come up.
//! - `scalar.rs`: private keys; `group.rs`: bytes into groups of eight and back.
//!
//! Private keys decide about no branch and no address: tables are read as a whole, and what does not count is masked away.
//! There is no `unsafe` here: `fearless_simd` proves that the processor has the instructions.
//!
//! Sources: SP 800-186 (the curve), FIPS 186-5 (key generation), SP 800-56A §5.7.1.2 (the agreement), the Explicit-Formulas
//! Database.

mod agreement;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(not(target_arch = "x86_64"))]
#[path = "unsupported.rs"]
mod avx512;
mod group;
mod scalar;

pub use crate::agreement::{Agreement, InvalidPointError, LANES};
pub use crate::avx512::Avx512Ecdh;
use crate::group::{Group, GroupAgreements};
pub use crate::scalar::Scalar;

impl Avx512Ecdh {
    /// Agrees with each peer with a fresh key pair, in their order. The error is the random generator's.
    pub fn ecdh_batch_ephemeral<E>(
        self,
        peers: &[[u8; 65]],
        mut fill_random: impl FnMut(&mut [u8]) -> Result<(), E>,
    ) -> Result<Vec<Result<Agreement, InvalidPointError>>, E> {
        let keys = peers.iter().map(|_| Scalar::random(&mut fill_random));
        let keys = keys.collect::<Result<Vec<_>, E>>()?;
        Ok(self.ecdh_batch(&keys, peers))
    }

    /// Agrees with each peer with the private key at its place, in their order.
    ///
    /// # Panics
    ///
    /// If there are not as many keys as peers.
    pub fn ecdh_batch(
        self,
        keys: &[Scalar],
        peers: &[[u8; 65]],
    ) -> Vec<Result<Agreement, InvalidPointError>> {
        assert_eq!(keys.len(), peers.len(), "a private key for each peer");
        let chunks = keys.chunks(LANES).zip(peers.chunks(LANES));
        let groups: Vec<Group> = chunks
            .map(|(keys, peers)| Group::new(keys, peers))
            .collect();
        let computed = self.compute(&groups);
        let all = computed.iter().flat_map(GroupAgreements::agreements);
        all.take(peers.len()).collect()
    }
}
