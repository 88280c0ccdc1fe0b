//! Private keys, and how they are cut into digits.

use zeroize::{Zeroize, ZeroizeOnDrop};

/// The order n of P-256's group (SP 800-186 §3.2.1.3), least significant word first.
const ORDER: [u64; 4] = [
    0xf3b9_cac2_fc63_2551,
    0xbce6_faad_a717_9e84,
    0xffff_ffff_ffff_ffff,
    0xffff_ffff_0000_0000,
];

/// A private key: a number in 1..n, least significant word first; wiped from memory when dropped.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct Scalar([u64; 4]);

impl Scalar {
    /// The key of lanes that agree with nobody.
    pub(crate) const ONE: Self = Self([1, 0, 0, 0]);

    /// The number that these bytes are, most significant first; nothing if it is 0 or not below n.
    ///
    /// Whether a key is refused shows in the time that passes; which one is taken does not.
    pub fn new(bytes: &[u8; 32]) -> Option<Self> {
        let scalar = Self(words(bytes));
        let any = scalar.0.iter().fold(0, |any, word| any | word);
        (any != 0 && below(&scalar.0, &ORDER)).then_some(scalar)
    }

    /// A key by rejection sampling (FIPS 186-5 §A.2.2) from a generator's bytes.
    pub fn random<E>(mut fill_random: impl FnMut(&mut [u8]) -> Result<(), E>) -> Result<Self, E> {
        let mut bytes = [0; 32];
        loop {
            fill_random(&mut bytes)?;
            let scalar = Self::new(&bytes);
            bytes.zeroize();
            if let Some(scalar) = scalar {
                return Ok(scalar);
            }
        }
    }

    /// The scalar in N signed digits of W bits, −(2ᵂ⁻¹ − 1)..=2ᵂ⁻¹, least significant first, such that the sum of dᵢ 2ᵂⁱ is
    /// the scalar.
    ///
    /// W N must be more than 256, so that the last digit takes the last carry.
    pub(crate) fn digits<const W: usize, const N: usize>(&self) -> [i64; N] {
        let mut carry = 0;
        std::array::from_fn(|i| {
            let chunk = self.bits(W * i, W) + carry;
            // 1 where the chunk is above 2ᵂ⁻¹.
            carry = (chunk + (1 << (W - 1)) - 1) >> W;
            chunk - (carry << W)
        })
    }

    /// `count` bits from bit `start` on, zeros above bit 255.
    fn bits(&self, start: usize, count: usize) -> i64 {
        let word = |i: usize| u128::from(self.0.get(i).copied().unwrap_or(0));
        let pair = word(start / 64) | word(start / 64 + 1) << 64;
        let bits = pair >> (start % 64) & ((1 << count) - 1);
        i64::try_from(bits).expect("fewer than 63 bits")
    }
}

/// Whether the number is below the limit, without a branch; the least significant words come first.
pub(crate) fn below(number: &[u64; 4], limit: &[u64; 4]) -> bool {
    number
        .iter()
        .zip(limit)
        .fold(false, |borrow, (word, limit)| {
            let (rest, under) = word.overflowing_sub(*limit);
            under | rest.overflowing_sub(u64::from(borrow)).1
        })
}

/// Big-endian bytes as words, least significant first.
pub(crate) fn words(bytes: &[u8; 32]) -> [u64; 4] {
    std::array::from_fn(|i| {
        let at = 24 - 8 * i;
        bytes[at..at + 8]
            .iter()
            .fold(0, |word, &byte| word << 8 | u64::from(byte))
    })
}
