//! Scalar multiplication in constant time: every lane does the same for every scalar.
//!
//! Scalars are cut into signed digits, which halves the tables, for the opposite of a point costs one subtraction. Any point is
//! multiplied from the top digit down with doublings between, by a table of its first 16 multiples: digits of 5 bits take the
//! fewest additions, those for the table included. The base point needs no doublings: its multiples at every digit's place are in a table that
//! is made once.
//!
//! Keys and their digits are wiped from memory; tables and sums, which follow from them, stay on the stack until it is used again.
//!
//! No addition meets an exception, for any scalar k in 1..n. Additions where the sum so far is neutral or the digit is 0 are
//! masked away; of the others none adds a point to itself or to its opposite:
//!
//! - *Any point P*, digits d in −15..=16 from the top. The sum so far is 32 m P, where m is the scalar without its lower digits,
//!   rounded, so m ≥ 1 and 32 m ± d ≥ 16. Only at the last digit can 32 m ± d reach n. There 32 m + d = k is below it.
//!   32 m − d = n would make k = n + 2 d, so d < 0; but then |d| ≡ n ≡ 17 mod 32, and no digit is −17.
//! - *The base point G*, digits d in −31..=32 from the bottom. To s G with |s| < 0.51 · 64ⁱ is added d 64ⁱ G, so s ± d 64ⁱ is not 0.
//!   It can reach n only for i = 42. There s + d 64ⁱ = k is below it. d 64ⁱ − s = n would make k = n + 2 s, so s < 0 and
//!   d 64⁴² < n < 16 · 64⁴², hence d ≤ 15; but 15.51 · 64⁴² is less than n.

use std::arch::x86_64::{
    __m512i, __mmask8, _mm512_abs_epi64, _mm512_cmpeq_epi64_mask, _mm512_cmplt_epi64_mask,
    _mm512_mask_mov_epi64, _mm512_permutex2var_epi64, _mm512_set1_epi64, _mm512_setzero_si512,
    _mm512_sub_epi64, _mm512_test_epi64_mask,
};

use zeroize::Zeroize as _;

use super::field::Element;
use super::point::{Affine, Jacobian, to_affine};
use super::vector::{lanes, vector};
use crate::{LANES, Scalar};

/// Bits per digit of a scalar that multiplies any point, and how many digits there are.
const WINDOW: usize = 5;
const WINDOWS: usize = 52;

/// Bits per digit of a scalar that multiplies the base point, and how many digits there are.
const BASE_WINDOW: usize = 6;
const BASE_WINDOWS: usize = 43;

/// The digits at one place: their amounts, and where they are negative and where they are not zero.
struct Digits {
    amount: __m512i,
    negative: __mmask8,
    some: __mmask8,
}

impl Digits {
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    fn new(digits: [i64; LANES]) -> Self {
        let digits = vector(digits);
        Self {
            amount: _mm512_abs_epi64(digits),
            negative: _mm512_cmplt_epi64_mask(digits, _mm512_setzero_si512()),
            some: _mm512_test_epi64_mask(digits, digits),
        }
    }
}

/// P, 2 P, … N P.
#[target_feature(enable = "avx512f,avx512ifma")]
fn multiples<const N: usize>(point: Jacobian) -> [Jacobian; N] {
    let mut multiples = [point; N];
    multiples[1] = point.doubled();
    for i in 2..N {
        multiples[i] = multiples[i - 1].plus(point);
    }
    multiples
}

/// Each lane's scalar times its point.
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn multiply(scalars: &[Scalar; LANES], point: Affine) -> Jacobian {
    let mut digits = scalars.each_ref().map(Scalar::digits::<WINDOW, WINDOWS>);
    let table = multiples::<16>(Jacobian::from_affine(point));
    let mut sum = table[0];
    let mut begun = 0;
    for place in (0..WINDOWS).rev() {
        for _ in 0..WINDOW {
            sum = sum.doubled();
        }
        let here = Digits::new(digits.each_ref().map(|it| it[place]));
        let term = choose(&table, &here);
        sum = sum
            .replaced(here.some & begun, sum.plus(term))
            .replaced(here.some & !begun, term);
        begun |= here.some;
    }
    digits.zeroize();
    sum
}

/// Each lane's multiple, by reading all of them, so that no address depends on a digit.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn choose(table: &[Jacobian; 16], digits: &Digits) -> Jacobian {
    let mut chosen = table[0];
    for (amount, &multiple) in (1..).zip(table) {
        let here = _mm512_cmpeq_epi64_mask(digits.amount, _mm512_set1_epi64(amount));
        chosen = chosen.replaced(here, multiple);
    }
    chosen.negated(digits.negative)
}

/// For every place the multiples 1 to 32 of 64ᵖˡᵃᶜᵉ G: for each of the ten limbs of x and y, four vectors with eight multiples each.
pub struct BaseTable(Vec<[[__m512i; 4]; 10]>);

impl BaseTable {
    /// Makes the table eight places at a time: in each lane the base point is shifted to a place of its own.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub fn new(base: Affine) -> Self {
        let mut places = Vec::new();
        for first in (0..BASE_WINDOWS).step_by(LANES) {
            let base = shifted(Jacobian::from_affine(base), first);
            let multiples = to_affine(&multiples::<32>(base));
            let limbs: Vec<[[i64; LANES]; 10]> = multiples.iter().map(|it| limbs(it)).collect();
            for lane in 0..LANES {
                places.push(place(&limbs, lane));
            }
        }
        Self(places)
    }

    /// Each lane's scalar times the base point.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub fn multiply(&self, scalars: &[Scalar; LANES]) -> Jacobian {
        let mut digits = scalars
            .each_ref()
            .map(Scalar::digits::<BASE_WINDOW, BASE_WINDOWS>);
        let mut sum = Jacobian::from_affine(choose_of_base(&self.0[0], &Digits::new([1; LANES])));
        let mut begun = 0;
        for (i, place) in self.0.iter().take(BASE_WINDOWS).enumerate() {
            let here = Digits::new(digits.each_ref().map(|it| it[i]));
            let term = choose_of_base(place, &here);
            sum = sum
                .replaced(here.some & begun, sum.plus_affine(term))
                .replaced(here.some & !begun, Jacobian::from_affine(term));
            begun |= here.some;
        }
        digits.zeroize();
        sum
    }
}

/// In lane l the point times 64ᶠⁱʳˢᵗ⁺ˡ.
#[target_feature(enable = "avx512f,avx512ifma")]
fn shifted(mut point: Jacobian, first: usize) -> Jacobian {
    for doubling in 0..BASE_WINDOW * (first + LANES - 1) {
        let done = (doubling / BASE_WINDOW + 1).saturating_sub(first);
        let others = u8::try_from(0xff << done & 0xff).expect("eight bits");
        point = point.replaced(others, point.doubled());
    }
    point
}

/// The ten limbs of x and y, lane by lane.
#[target_feature(enable = "avx512f,avx512ifma")]
fn limbs(point: &Affine) -> [[i64; LANES]; 10] {
    let [a, b, c, d, e] = point.x.0;
    let [f, g, h, i, j] = point.y.0;
    [a, b, c, d, e, f, g, h, i, j].map(|limb| lanes(limb))
}

/// The 32 multiples in one lane.
#[target_feature(enable = "avx512f,avx512ifma")]
fn place(multiples: &[[[i64; LANES]; 10]], lane: usize) -> [[__m512i; 4]; 10] {
    let mut place = [[_mm512_setzero_si512(); 4]; 10];
    for (limb, vectors) in place.iter_mut().enumerate() {
        for (to, eight) in vectors.iter_mut().zip(multiples.chunks_exact(LANES)) {
            *to = vector(std::array::from_fn(|i| eight[i][limb][lane]));
        }
    }
    place
}

/// Each lane's multiple, by permutations of all of them: a permutation takes the same time for every index, and eight
/// multiples in a register are looked up by one instruction.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn choose_of_base(place: &[[__m512i; 4]; 10], digits: &Digits) -> Affine {
    let index = _mm512_sub_epi64(digits.amount, _mm512_set1_epi64(1));
    let upper = _mm512_test_epi64_mask(index, _mm512_set1_epi64(16));
    let mut limbs = [index; 10];
    for (limb, &[a, b, c, d]) in limbs.iter_mut().zip(place) {
        let low = _mm512_permutex2var_epi64(a, index, b);
        let high = _mm512_permutex2var_epi64(c, index, d);
        *limb = _mm512_mask_mov_epi64(low, upper, high);
    }
    let [a, b, c, d, e, f, g, h, i, j] = limbs;
    let point = Affine {
        x: Element([a, b, c, d, e]),
        y: Element([f, g, h, i, j]),
    };
    point.negated(digits.negative)
}
