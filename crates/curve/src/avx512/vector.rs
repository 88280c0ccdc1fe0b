//! Eight numbers into a vector and out of it, and five limbs out of bytes and into them.

use std::arch::x86_64::{
    __m512i, _mm256_extract_epi64, _mm512_extracti64x4_epi64, _mm512_set_epi64,
};

use super::field::Element;
use crate::LANES;
use crate::scalar::words;

/// A vector with these lanes, the first one lowest.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub fn vector(lanes: [i64; LANES]) -> __m512i {
    let [a, b, c, d, e, f, g, h] = lanes;
    _mm512_set_epi64(h, g, f, e, d, c, b, a)
}

/// The lanes of a vector, the lowest one first.
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn lanes(vector: __m512i) -> [i64; LANES] {
    let low = _mm512_extracti64x4_epi64::<0>(vector);
    let high = _mm512_extracti64x4_epi64::<1>(vector);
    [
        _mm256_extract_epi64::<0>(low),
        _mm256_extract_epi64::<1>(low),
        _mm256_extract_epi64::<2>(low),
        _mm256_extract_epi64::<3>(low),
        _mm256_extract_epi64::<0>(high),
        _mm256_extract_epi64::<1>(high),
        _mm256_extract_epi64::<2>(high),
        _mm256_extract_epi64::<3>(high),
    ]
}

const LIMB: u64 = (1 << 52) - 1;

impl Element {
    /// The numbers that these bytes are, most significant first.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub fn from_bytes(numbers: &[[u8; 32]; LANES]) -> Self {
        let limbs = numbers.map(|bytes| limbs(&bytes));
        Self([0, 1, 2, 3, 4].map(|i| vector(limbs.map(|it| it[i].cast_signed()))))
    }

    /// The bytes of numbers below 2²⁵⁶, most significant first.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub fn to_bytes(self) -> [[u8; 32]; LANES] {
        let limbs = self.0.map(|limb| lanes(limb));
        std::array::from_fn(|lane| bytes(limbs.map(|it| it[lane].cast_unsigned())))
    }
}

/// The five limbs of a number of 256 bits, least significant first.
fn limbs(bytes: &[u8; 32]) -> [u64; 5] {
    let [a, b, c, d] = words(bytes);
    [
        a & LIMB,
        (a >> 52 | b << 12) & LIMB,
        (b >> 40 | c << 24) & LIMB,
        (c >> 28 | d << 36) & LIMB,
        d >> 16,
    ]
}

/// The bytes of five carried limbs, most significant byte first.
fn bytes(limbs: [u64; 5]) -> [u8; 32] {
    let [a, b, c, d, e] = limbs;
    let words = [
        a | b << 52,
        b >> 12 | c << 40,
        c >> 24 | d << 28,
        d >> 36 | e << 16,
    ];
    let mut bytes = [0; 32];
    for (to, word) in bytes.rchunks_exact_mut(8).zip(words) {
        to.copy_from_slice(&word.to_be_bytes());
    }
    bytes
}
