//! Key agreement in the eight lanes of AVX-512 IFMA.
//!
//! A `kernel!` of `fearless_simd` is a function compiled for the instructions whose presence its first argument proves. Everything
//! in it is inlined or has the same `target_feature`, so that vectors stay in registers; calls across that border would spill
//! them.

#![expect(
    clippy::large_types_passed_by_value,
    clippy::many_single_char_names,
    reason = "vectors stay in registers because everything is inlined, and formulas have their usual letters"
)]

mod field;
#[cfg(test)]
mod field_tests;
mod multiply;
mod point;
mod vector;

use std::sync::OnceLock;

use fearless_simd::{Avx512, Level, kernel};

use self::field::Element;
use self::multiply::{BaseTable, multiply};
use self::point::{Affine, to_affine};
use crate::LANES;
use crate::group::{Group, GroupAgreements};

/// The base point G (SP 800-186 §3.2.1.3).
const BASE: [[u8; 32]; 2] = [
    [
        0x6b, 0x17, 0xd1, 0xf2, 0xe1, 0x2c, 0x42, 0x47, 0xf8, 0xbc, 0xe6, 0xe5, 0x63, 0xa4, 0x40,
        0xf2, 0x77, 0x03, 0x7d, 0x81, 0x2d, 0xeb, 0x33, 0xa0, 0xf4, 0xa1, 0x39, 0x45, 0xd8, 0x98,
        0xc2, 0x96,
    ],
    [
        0x4f, 0xe3, 0x42, 0xe2, 0xfe, 0x1a, 0x7f, 0x9b, 0x8e, 0xe7, 0xeb, 0x4a, 0x7c, 0x0f, 0x9e,
        0x16, 0x2b, 0xce, 0x33, 0x57, 0x6b, 0x31, 0x5e, 0xce, 0xcb, 0xb6, 0x40, 0x68, 0x37, 0xbf,
        0x51, 0xf5,
    ],
];

/// An implementation of the agreement, and the proof that this processor has the instructions for it.
#[derive(Clone, Copy, Debug)]
pub struct Avx512Ecdh(Avx512);

impl Avx512Ecdh {
    /// The implementation, if this processor has AVX-512 as Intel has had it since Ice Lake and AMD since Zen 4.
    pub fn detect() -> Option<Self> {
        Level::new().as_avx512().map(Self)
    }

    /// Agrees in groups of eight. The table of multiples of the base point (120 KB) is made at the first call.
    pub(crate) fn compute(self, groups: &[Group]) -> Vec<GroupAgreements> {
        static TABLE: OnceLock<BaseTable> = OnceLock::new();
        let table = TABLE.get_or_init(|| base_table(self.0));
        ecdh_groups(self.0, table, groups)
    }
}

kernel!(
    fn base_table(avx512: Avx512) -> BaseTable {
        BaseTable::new(base_point())
    }
);

kernel!(
    /// For each group the public keys and the shared points. A lane whose peer is no point on the curve multiplies the base
    /// point instead, so that all lanes do the same and nothing of an invalid point (SP 800-56A §5.6.2.3.3) meets a key.
    /// The points of all groups are brought into affine form together: one inversion serves them all.
    fn ecdh_groups(avx512: Avx512, base: &BaseTable, groups: &[Group]) -> Vec<GroupAgreements> {
        let mut on_curve = Vec::with_capacity(groups.len());
        let mut points = Vec::with_capacity(2 * groups.len());
        for group in groups {
            let peers = Affine {
                x: Element::from_bytes(&group.x).into_montgomery(),
                y: Element::from_bytes(&group.y).into_montgomery(),
            };
            let valid = peers.on_curve();
            on_curve.push(valid);
            points.push(base.multiply(&group.keys));
            points.push(multiply(&group.keys, base_point().replaced(valid, peers)));
        }
        let affine = to_affine(&points);
        let pairs = affine.chunks_exact(2).zip(on_curve);
        pairs
            .map(|(pair, on_curve)| GroupAgreements {
                on_curve,
                public_x: pair[0].x.out_of_montgomery().to_bytes(),
                public_y: pair[0].y.out_of_montgomery().to_bytes(),
                shared_x: pair[1].x.out_of_montgomery().to_bytes(),
            })
            .collect()
    }
);

/// The base point in every lane.
#[target_feature(enable = "avx512f,avx512ifma")]
fn base_point() -> Affine {
    Affine {
        x: Element::from_bytes(&[BASE[0]; LANES]).into_montgomery(),
        y: Element::from_bytes(&[BASE[1]; LANES]).into_montgomery(),
    }
}
