//! Eight elements of the field of P-256 side by side, in radix 2⁵² and Montgomery form.
//!
//! An element is five limbs, least significant first, and each limb is a vector of eight lanes. A number v stands for the
//! field element v / 2²⁶⁰ mod p (Montgomery, *Modular Multiplication Without Trial Division*, 1985).
//!
//! Limbs have 52 bits because the two instructions of IFMA add the lower and the upper 52 bits of a product of 52-bit numbers
//! to a 64-bit lane: the carries of many products fit into the 12 bits above and wait there, so that a product needs no carry
//! chain, which vectors have no instruction for (Gueron and Krasnov, *Accelerating Big Integer Arithmetic Using Intel IFMA
//! Extensions*, ARITH 2016). Five limbs hold 260 bits, and the 4 bits over the 256 of p are what lets sums and differences of
//! a few elements go without a reduction.
//!
//! IFMA multiplies the low 52 bits of its operands and ignores the rest, so operands must be
//! *carried*: every limb in 0..2⁵², hence the number in 0..2²⁶⁰, which is a little less than 16p. [`Element`]s are carried by
//! construction. Sums and products are [`Loose`]: signed 64-bit limbs, and a number that is not negative. Comments give
//! bounds of numbers as multiples of p, and of limbs as powers of two.
//!
//! p = 2²⁵⁶ − 2²²⁴ + 2¹⁹² + 2⁹⁶ − 1 (SP 800-186 §3.2.1.3), so −p⁻¹ ≡ 1 mod 2⁵²: what a step of Montgomery's reduction
//! multiplies p with is the lowest limb itself (Gueron and Krasnov, *Fast Prime Field Elliptic-Curve Cryptography with 256-Bit
//! Primes*, 2015, call such a p Montgomery-friendly).
//!
//! Nothing here branches on a number or takes one as an address.

use std::arch::x86_64::{
    __m512i, __mmask8, _mm512_add_epi64, _mm512_and_si512, _mm512_cmplt_epi64_mask,
    _mm512_madd52hi_epu64, _mm512_madd52lo_epu64, _mm512_mask_mov_epi64, _mm512_or_si512,
    _mm512_set1_epi64, _mm512_setzero_si512, _mm512_slli_epi64, _mm512_srai_epi64,
    _mm512_srli_epi64, _mm512_sub_epi64, _mm512_testn_epi64_mask,
};

/// The five limbs of a number that is the same in all lanes.
pub type Limbs = [i64; 5];

/// Eight numbers below 2²⁶⁰, carried: what can be multiplied.
#[derive(Clone, Copy, Debug)]
pub struct Element(pub [__m512i; 5]);

/// Eight numbers of at least 0 with limbs that wait for their carries, of less than 2⁶² either way.
#[derive(Clone, Copy)]
pub struct Loose([__m512i; 5]);

const LIMB: i64 = (1 << 52) - 1;

const P: Limbs = [
    0x000f_ffff_ffff_ffff,
    0x0000_0fff_ffff_ffff,
    0,
    0x0000_0010_0000_0000,
    0x0000_ffff_ffff_0000,
];

/// 2²⁶⁰ mod p: one in Montgomery form.
pub const ONE: Limbs = [
    0x0000_0000_0000_0010,
    0x000f_0000_0000_0000,
    0x000f_ffff_ffff_ffff,
    0x000f_feff_ffff_ffff,
    0x0000_0000_000f_ffff,
];

/// 2⁵²⁰ mod p: a product with it takes a number into Montgomery form.
const INTO: Limbs = [
    0x0000_0000_0000_0300,
    0x000f_ffff_fff0_0000,
    0x000f_fffe_ffff_fffb,
    0x000f_dfff_ffff_ffff,
    0x0000_0000_04ff_ffff,
];

/// The product with this number takes one out of Montgomery form.
const OUT_OF: Limbs = [1, 0, 0, 0, 0];

impl Element {
    /// The same number in every lane.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn splat(limbs: Limbs) -> Self {
        Self(limbs.map(|limb| _mm512_set1_epi64(limb)))
    }

    /// The number itself, as something to add to.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn loose(self) -> Loose {
        Loose(self.0)
    }

    /// The product divided by 2²⁶⁰: for numbers below α p and β p it is below (α β / 16 + 1) p.
    ///
    /// A column collects at most nine halves of products, each below 2⁵², so it stays below 2⁵⁶ as [`reduce`] wants.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn times(self, other: Self) -> Loose {
        let mut columns = [_mm512_setzero_si512(); 10];
        for (i, &a) in self.0.iter().enumerate() {
            for (j, &b) in other.0.iter().enumerate() {
                columns[i + j] = _mm512_madd52lo_epu64(columns[i + j], a, b);
                columns[i + j + 1] = _mm512_madd52hi_epu64(columns[i + j + 1], a, b);
            }
        }
        reduce(columns)
    }

    /// The product with itself divided by 2²⁶⁰, whose mixed terms are computed once and doubled: 30 multiplications in
    /// place of 50.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn squared(self) -> Loose {
        let mut columns = [_mm512_setzero_si512(); 10];
        for (i, &a) in self.0.iter().enumerate() {
            for (j, &b) in self.0.iter().enumerate().skip(i + 1) {
                columns[i + j] = _mm512_madd52lo_epu64(columns[i + j], a, b);
                columns[i + j + 1] = _mm512_madd52hi_epu64(columns[i + j + 1], a, b);
            }
        }
        for column in &mut columns {
            *column = _mm512_add_epi64(*column, *column);
        }
        for (i, &a) in self.0.iter().enumerate() {
            columns[2 * i] = _mm512_madd52lo_epu64(columns[2 * i], a, a);
            columns[2 * i + 1] = _mm512_madd52hi_epu64(columns[2 * i + 1], a, a);
        }
        reduce(columns)
    }
}

/// Montgomery's reduction: the number of these columns, each below 2⁵⁶, plus a multiple of p that makes it divisible by 2²⁶⁰,
/// divided by 2²⁶⁰.
///
/// In a step, t + t₀ p = (t − t₀) + t₀ (2⁹⁶ + 2¹⁹² + (2²⁵⁶ − 2²²⁴)): the lowest limb vanishes, and the terms begin 1, 3 and
/// 4 limbs above it. The multiple is below 2²⁶⁰ p, so the result is below t / 2²⁶⁰ + p.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn reduce(mut t: [__m512i; 10]) -> Loose {
    let mask = _mm512_set1_epi64(LIMB);
    let two_96 = _mm512_set1_epi64(1 << 44);
    let two_192 = _mm512_set1_epi64(1 << 36);
    let top = _mm512_set1_epi64((1 << 48) - (1 << 16));
    for i in 0..5 {
        let q = _mm512_and_si512(t[i], mask);
        t[i + 1] = _mm512_add_epi64(t[i + 1], _mm512_srli_epi64::<52>(t[i]));
        t[i + 1] = _mm512_madd52lo_epu64(t[i + 1], q, two_96);
        t[i + 2] = _mm512_madd52hi_epu64(t[i + 2], q, two_96);
        t[i + 3] = _mm512_madd52lo_epu64(t[i + 3], q, two_192);
        t[i + 4] = _mm512_madd52hi_epu64(t[i + 4], q, two_192);
        t[i + 4] = _mm512_madd52lo_epu64(t[i + 4], q, top);
        t[i + 5] = _mm512_madd52hi_epu64(t[i + 5], q, top);
    }
    Loose([t[5], t[6], t[7], t[8], t[9]])
}

impl Loose {
    /// The sum, limb by limb.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn plus(mut self, other: Self) -> Self {
        for (limb, other) in self.0.iter_mut().zip(other.0) {
            *limb = _mm512_add_epi64(*limb, other);
        }
        self
    }

    /// The difference, plus K p so that it is not negative: `other` must be at most K p.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn minus<const K: i64>(mut self, other: Self) -> Self {
        for ((limb, other), p) in self.0.iter_mut().zip(other.0).zip(P) {
            let more = _mm512_add_epi64(*limb, _mm512_set1_epi64(K * p));
            *limb = _mm512_sub_epi64(more, other);
        }
        self
    }

    /// 2ᴷ times the number.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn shifted<const K: u32>(mut self) -> Self {
        for limb in &mut self.0 {
            *limb = _mm512_slli_epi64::<K>(*limb);
        }
        self
    }

    /// The same number carried; it must be below 2²⁶⁰. The shifts are arithmetic, so negative limbs borrow.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn carried(mut self) -> Element {
        let mask = _mm512_set1_epi64(LIMB);
        for i in 0..4 {
            self.0[i + 1] = _mm512_add_epi64(self.0[i + 1], _mm512_srai_epi64::<52>(self.0[i]));
            self.0[i] = _mm512_and_si512(self.0[i], mask);
        }
        Element(self.0)
    }

    /// A number of the same residue below 1.01 p, carried. For numbers below 64 p.
    ///
    /// 2²⁵⁶ ≡ 2²²⁴ − 2¹⁹² − 2⁹⁶ + 1. How often it goes into the number is read off the highest limb before carries, which are
    /// below 2¹¹ either way, so what stays is below 2²⁵⁶ + 2²²⁰, plus at most 64 · 2²²⁴. It is not negative: either nothing
    /// was taken away, or the 2²²⁴ that came for it outweighs what carries of less than 2²²⁰ take.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn folded(mut self) -> Element {
        let [t0, t1, _, t3, t4] = &mut self.0;
        let q = _mm512_srai_epi64::<48>(*t4);
        *t0 = _mm512_add_epi64(*t0, q);
        *t1 = _mm512_sub_epi64(*t1, _mm512_slli_epi64::<44>(q));
        *t3 = _mm512_sub_epi64(*t3, _mm512_slli_epi64::<36>(q));
        *t4 = _mm512_and_si512(*t4, _mm512_set1_epi64((1 << 48) - 1));
        *t4 = _mm512_add_epi64(*t4, _mm512_slli_epi64::<16>(q));
        self.carried()
    }
}

impl Element {
    /// Where `mask` has a bit the other number, elsewhere this one.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn replaced(mut self, mask: __mmask8, other: Self) -> Self {
        for (limb, other) in self.0.iter_mut().zip(other.0) {
            *limb = _mm512_mask_mov_epi64(*limb, mask, other);
        }
        self
    }

    /// The Montgomery form of a number, below 2 p.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub fn into_montgomery(self) -> Self {
        self.times(Self::splat(INTO)).carried()
    }

    /// The number in 0..p that this Montgomery form stands for.
    ///
    /// The product with 1 is at most p, because fewer than 2²⁶⁰ p were added to less than 2²⁶⁰.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub fn out_of_montgomery(self) -> Self {
        let number = self.times(Self::splat(OUT_OF)).carried();
        let mut rest = number.0;
        for (limb, p) in rest.iter_mut().zip(P) {
            *limb = _mm512_sub_epi64(*limb, _mm512_set1_epi64(p));
        }
        let rest = Loose(rest).carried();
        let negative = _mm512_cmplt_epi64_mask(rest.0[4], _mm512_setzero_si512());
        rest.replaced(negative, number)
    }

    /// The lanes where the element is zero.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub fn zeros(self) -> __mmask8 {
        let [a, b, c, d, e] = self.out_of_montgomery().0;
        let any = _mm512_or_si512(
            _mm512_or_si512(_mm512_or_si512(a, b), _mm512_or_si512(c, d)),
            e,
        );
        _mm512_testn_epi64_mask(any, any)
    }

    /// The element to the power 2ᶜᵒᵘⁿᵗ.
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn squared_times(mut self, count: usize) -> Self {
        for _ in 0..count {
            self = self.squared().carried();
        }
        self
    }

    /// The inverse by Fermat's little theorem, the power p − 2, below 2 p; zero for zero. Euclid's algorithm would branch on
    /// the number.
    ///
    /// p − 2 = 2²²⁴ (2³² − 1) + 2¹⁹² + 2² (2⁹⁴ − 1) + 1; the names say how many ones the exponent has: `half` is a
    /// word of 32 of them, `all` 94.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub fn inverted(self) -> Self {
        let two = self.squared_times(1).times(self).carried();
        let four = two.squared_times(2).times(two).carried();
        let eight = four.squared_times(4).times(four).carried();
        let sixteen = eight.squared_times(8).times(eight).carried();
        let thirty = sixteen.squared_times(8).times(eight).carried();
        let thirty = thirty.squared_times(4).times(four).carried();
        let thirty = thirty.squared_times(2).times(two).carried();
        let half = thirty.squared_times(2).times(two).carried();
        let all = half.squared_times(32).times(half).carried();
        let all = all.squared_times(30).times(thirty).carried();
        let upper = half.squared_times(32).times(self).carried();
        let upper = upper.squared_times(96 + 94).times(all).carried();
        upper.squared_times(2).times(self).carried()
    }
}
