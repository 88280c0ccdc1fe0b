//! Every operation on elements beside p256's, from the ends of the ranges and from random numbers.

use fearless_simd::{Level, kernel};
use p256::FieldElement;
use p256::elliptic_curve::ff::PrimeField as _;

use super::field::{Element, Loose};
use crate::LANES;

type Numbers = [[u8; 32]; LANES];

/// What comes of two numbers a and b: a b, a², 1 / a, a + b, a − b, and whether a is 0.
#[derive(Clone, Copy)]
struct FieldResults {
    numbers: [Numbers; 5],
    zeros: u8,
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn written(number: Loose) -> Numbers {
    number.folded().out_of_montgomery().to_bytes()
}

kernel!(
    fn field_results(avx512: Avx512, a: &Numbers, b: &Numbers) -> FieldResults {
        let a = Element::from_bytes(a).into_montgomery();
        let b = Element::from_bytes(b).into_montgomery();
        FieldResults {
            numbers: [
                written(a.times(b)),
                written(a.squared()),
                written(a.inverted().loose()),
                written(a.loose().plus(b.loose())),
                written(a.loose().minus::<2>(b.loose())),
            ],
            zeros: a.zeros(),
        }
    }
);

kernel!(
    /// 8 (a + 2 p)² − 8 b², the way the formulas carry and fold.
    fn spread(avx512: Avx512, a: &Numbers, b: &Numbers) -> Numbers {
        let zero = Element::splat([0; 5]).loose();
        let a = Element::from_bytes(a).into_montgomery().loose();
        let a = a.minus::<2>(zero).carried().squared().shifted::<3>();
        let b = Element::from_bytes(b)
            .into_montgomery()
            .squared()
            .shifted::<3>();
        written(a.minus::<16>(b))
    }
);

kernel!(
    /// (2²⁶⁰ − 1) a / 2²⁶⁰: the largest limbs there can be.
    fn largest(avx512: Avx512, a: &Numbers) -> Numbers {
        let most = Element::splat([(1 << 52) - 1; 5]);
        written(most.times(Element::from_bytes(a).into_montgomery()))
    }
);

fn number(bytes: [u8; 32]) -> FieldElement {
    FieldElement::from_repr(bytes.into()).expect("a number below p")
}

/// Numbers around 0, p and where the terms of p and the limbs begin, then random ones.
fn numbers() -> Vec<[u8; 32]> {
    let one = FieldElement::ONE;
    let two = one + one;
    let mut numbers = vec![FieldElement::ZERO, one, two, -one, -two];
    for power in [48, 51, 52, 96, 104, 156, 192, 208, 224, 255] {
        let power = (0..power).fold(one, |it, _| it + it);
        numbers.extend([power, power - one, power + one, -power]);
    }
    let mut random = fastrand::Rng::with_seed(8_291);
    let mut bytes: Vec<[u8; 32]> = numbers.iter().map(|it| it.to_repr().into()).collect();
    while bytes.len() < 400 {
        let mut number = [0; 32];
        random.fill(&mut number);
        if FieldElement::from_repr(number.into()).is_some().into() {
            bytes.push(number);
        }
    }
    bytes
}

/// Each number with each of a few others, in groups.
fn pairs() -> Vec<(Numbers, Numbers)> {
    let numbers = numbers();
    let at = |i: usize| numbers[i % numbers.len()];
    let mut pairs = Vec::new();
    for distance in 0..60 {
        for start in (0..numbers.len()).step_by(LANES) {
            let a = std::array::from_fn(|lane| at(start + lane));
            let b = std::array::from_fn(|lane| at(start + lane + distance));
            pairs.push((a, b));
        }
    }
    pairs
}

#[test]
fn elements_are_those_of_the_field() {
    let Some(avx512) = Level::new().as_avx512() else {
        return;
    };
    for (a, b) in pairs() {
        let field_results = field_results(avx512, &a, &b);
        for lane in 0..LANES {
            let (a, b) = (number(a[lane]), number(b[lane]));
            let inverse = a.invert().unwrap_or(FieldElement::ZERO);
            let expected = [a * b, a.square(), inverse, a + b, a - b];
            let found = field_results.numbers.map(|it| number(it[lane]));
            assert_eq!(found, expected, "{a:?} {b:?} in lane {lane}");
            assert_eq!(
                field_results.zeros >> lane & 1 == 1,
                bool::from(a.is_zero())
            );
        }
    }
}

#[test]
fn carries_and_folds_keep_the_residue() {
    let Some(avx512) = Level::new().as_avx512() else {
        return;
    };
    let eight = FieldElement::from(8_u64);
    let two_260 = (0..260).fold(FieldElement::ONE, |it, _| it + it);
    let most = (two_260 - FieldElement::ONE) * two_260.invert().expect("not 0");
    for (a, b) in pairs() {
        let (spread, largest) = (spread(avx512, &a, &b), largest(avx512, &a));
        for lane in 0..LANES {
            let (a, b) = (number(a[lane]), number(b[lane]));
            assert_eq!(number(spread[lane]), eight * (a.square() - b.square()));
            assert_eq!(number(largest[lane]), most * a);
        }
    }
}
