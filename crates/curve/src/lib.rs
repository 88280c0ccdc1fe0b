//! Key agreement on P-256 with many peers at once.
//!
//! RFC 8291 §3.1 wants a fresh key pair for every message, so a page of recipients needs as many public keys and shared
//! secrets, none of which depends on another. [`Avx512Ecdh`] computes eight of them side by side with AVX-512's IFMA
//! instructions: 12.8 µs of one core for each recipient in chunks of 32, beside 53.9 µs one after the other with aws-lc
//! (Zen 4, medians of interleaved rounds; docs/DECISIONS.md, 2026-11-21). With aws-lc they are nine tenths of
//! what encryption costs.
//!
//! **When it does not apply.** [`Avx512Ecdh::detect`] is `None` on processors before Ice Lake and Zen 4 and on other
//! architectures, and a group of eight costs as much as two single agreements. There, and for one or two recipients left
//! over, the caller agrees with aws-lc; both give the same bytes, which the tests hold against p256 and Wycheproof as well.
//!
//! **Why eight.** A 512-bit register has eight lanes of 64 bits, and IFMA multiplies lane by lane. One agreement in each
//! lane needs no data from another lane, so nothing is shuffled and every formula reads as it does for one number.
//!
//! **Constant time.** Each private key serves one message only, but whoever learns it can read the message if they also know
//! the browser's secret, and other tenants of a machine can measure time and caches. So no private key decides about a
//! branch or an address: tables are read as a whole, and what does not count is masked away. Eight lanes in lockstep could
//! not branch each for itself anyway, so this costs next to nothing. What does branch is public: whether a peer's key is a
//! point.
//!
//! - `avx512/field.rs`: arithmetic modulo p, and the bounds it keeps.
//! - `avx512/point.rs`: doubling and adding points.
//! - `avx512/multiply.rs`: multiplying them by scalars, and why no exceptional case can come up.
//! - `scalar.rs`: private keys; `group.rs`: bytes into groups of eight and back.
//!
//! There is no `unsafe` here: `fearless_simd` proves that the processor has the instructions.
//!
//! Sources: SP 800-186 (the curve), FIPS 186-5 (key generation), SP 800-56A §5.7.1.2 (the agreement), the Explicit-Formulas
//! Database (point formulas), Gueron and Krasnov, *Accelerating Big Integer Arithmetic Using Intel IFMA Extensions*
//! (ARITH 2016; limbs of 52 bits).
//!
//! ```
//! use hato_curve::{Avx512Ecdh, Scalar};
//!
//! let mut one = [0; 32];
//! one[31] = 1;
//! let mut two = [0; 32];
//! two[31] = 2;
//! let keys = [one, two].map(|key| Scalar::new(&key).expect("a number in 1..n"));
//!
//! if let Some(ecdh) = Avx512Ecdh::detect() {
//!     // Any point will do as a peer; here it is the base point, which is the public key of 1.
//!     let base = hex_point(
//!         "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
//!         "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
//!     );
//!     let agreements = ecdh.ecdh_batch(&keys, &[base, [0; 65]]);
//!     let first = agreements[0].as_ref().expect("the base point is on the curve");
//!     assert_eq!(first.public, base);
//!     assert_eq!(first.shared, base[1..33]);
//!     assert!(agreements[1].is_err(), "zeros are no point");
//! }
//! # fn hex_point(x: &str, y: &str) -> [u8; 65] {
//! #     let mut point = [4; 65];
//! #     let digits = format!("{x}{y}");
//! #     for (i, byte) in point[1..].iter_mut().enumerate() {
//! #         *byte = u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).expect("two digits");
//! #     }
//! #     point
//! # }
//! ```

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
    /// Agrees with each peer, an uncompressed point of 65 bytes, with a fresh key pair, in their order.
    ///
    /// An agreement with what is no point on the curve is an [`InvalidPointError`] of its own; the error of the whole is that
    /// of `fill_random`, which must fill its argument with bytes nobody can guess.
    pub fn ecdh_batch_ephemeral<E>(
        self,
        peers: &[[u8; 65]],
        mut fill_random: impl FnMut(&mut [u8]) -> Result<(), E>,
    ) -> Result<Vec<Result<Agreement, InvalidPointError>>, E> {
        let keys = peers.iter().map(|_| Scalar::random(&mut fill_random));
        let keys = keys.collect::<Result<Vec<_>, E>>()?;
        Ok(self.ecdh_batch(&keys, peers))
    }

    /// Agrees with each peer, an uncompressed point of 65 bytes, with the private key at the same place, in their order.
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
