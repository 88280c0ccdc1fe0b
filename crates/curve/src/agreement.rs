//! What comes of an agreement with one peer.

use zeroize::{Zeroize, ZeroizeOnDrop};

/// Agreements that are computed together, one in each 64-bit lane of a 512-bit register; a group of fewer costs as much.
pub const LANES: usize = 8;

/// A peer's public key is not an uncompressed point on P-256 (SEC 1 §2.3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the peer's public key is no point on P-256")]
pub struct InvalidPointError;

/// The public key that belongs to the private key used, and the secret that it shares with the peer (SP 800-56A §5.7.1.2).
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct Agreement {
    /// Our public key, an uncompressed point: the byte 4 and two coordinates of 32 bytes, most significant byte first.
    #[zeroize(skip)]
    pub public: [u8; 65],
    /// The x coordinate of the shared point, 32 bytes, most significant byte first; wiped from memory when dropped.
    pub shared: [u8; 32],
}
