//! Eight points of P-256 side by side, y² = x³ − 3x + b.
//!
//! The formulas' names are those of the Explicit-Formulas Database (Bernstein, Lange; shortw/jacobian-3). None of them is
//! complete: additions are only asked for where the points are different, not opposite and not the neutral element, or
//! their outcome is masked away; `multiply.rs` says why that is so. The complete formulas of Renes, Costello and Batina
//! (*Complete Addition Formulas for Prime Order Elliptic Curves*, Eurocrypt 2016, algorithms 4 and 6) would need no such
//! argument, but 13 multiplications for a doubling in place of 8. Cheaper additions, 14 in place of 16, do not make up for
//! that: there are five doublings for each addition.

use std::arch::x86_64::__mmask8;

use super::field::{Element, Limbs, Loose, ONE};

/// The curve's coefficient b (SP 800-186 §3.2.1.3) in Montgomery form.
const B: Limbs = [
    0x000d_f622_9c4b_ddfd,
    0x000c_a884_3090_d89c,
    0x0002_12ed_6acf_005c,
    0x0008_3415_a220_abf7,
    0x0000_c300_61dd_4874,
];

/// Eight points (x, y), x below 1.1 p, y at most 2 p.
#[derive(Clone, Copy, Debug)]
pub struct Affine {
    pub x: Element,
    pub y: Element,
}

/// Eight points (x / z², y / z³), x below 1.1 p, y at most 2 p, z below 3 p.
#[derive(Clone, Copy, Debug)]
pub struct Jacobian {
    pub x: Element,
    pub y: Element,
    pub z: Element,
}

impl Affine {
    /// The lanes whose point satisfies the curve's equation.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub fn on_curve(self) -> __mmask8 {
        let squared = self.x.squared().carried();
        let three = Element::splat(ONE).tripled();
        let factor = squared.loose().minus::<4>(three).folded();
        let right = self.x.times(factor).plus(Element::splat(B).loose());
        self.y.squared().minus::<4>(right).folded().zeros()
    }

    /// The other points in the lanes of `mask`, these in the others.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn replaced(self, mask: __mmask8, other: Self) -> Self {
        Self {
            x: self.x.replaced(mask, other.x),
            y: self.y.replaced(mask, other.y),
        }
    }

    /// The opposite points in the lanes of `mask`.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn negated(self, mask: __mmask8) -> Self {
        Self {
            x: self.x,
            y: self.y.negated(mask),
        }
    }
}

impl Element {
    /// Three times the number.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    fn tripled(self) -> Loose {
        self.loose().shifted::<1>().plus(self.loose())
    }

    /// The opposite, at most 2 p, in the lanes of `mask`; for numbers of at most 2 p.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    fn negated(self, mask: __mmask8) -> Self {
        let zero = Self::splat([0; 5]).loose();
        self.replaced(mask, zero.minus::<2>(self.loose()).carried())
    }
}

impl Jacobian {
    /// The same points, with a z of 1.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn from_affine(point: Affine) -> Self {
        Self {
            x: point.x,
            y: point.y,
            z: Element::splat(ONE),
        }
    }

    /// The other points in the lanes of `mask`, these in the others.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn replaced(self, mask: __mmask8, other: Self) -> Self {
        Self {
            x: self.x.replaced(mask, other.x),
            y: self.y.replaced(mask, other.y),
            z: self.z.replaced(mask, other.z),
        }
    }

    /// The opposite points in the lanes of `mask`.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn negated(self, mask: __mmask8) -> Self {
        Self {
            y: self.y.negated(mask),
            ..self
        }
    }

    /// Twice the point, by dbl-2001-b with 2 y z as a product of its own. No point is an exception: the group has odd order, so
    /// no y is 0.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn doubled(self) -> Self {
        let Self { x, y, z } = self;
        // z < 3 p, y < 2 p: delta < 1.6 p, gamma < 1.3 p, beta < 1.2 p.
        let delta = z.squared();
        let gamma = y.squared().carried();
        let beta = x.times(gamma);
        // 3 (x − delta + 2 p) < 12 p and x + delta < 4 p: alpha < 4 p.
        let minus = x.loose().minus::<2>(delta);
        let minus = minus.shifted::<1>().plus(minus).carried();
        let plus = x.loose().plus(delta).carried();
        let alpha = minus.times(plus).carried();
        // 8 beta < 10 p, 4 beta − x + 2 p < 8 p, 8 gamma² < 10 p.
        let x3 = alpha.squared().minus::<10>(beta.shifted::<3>()).folded();
        let rest = beta.shifted::<2>().minus::<2>(x3.loose()).carried();
        let gammas = gamma.squared().shifted::<3>();
        let y3 = alpha.times(rest).minus::<10>(gammas).folded();
        // y z < 1.4 p.
        let z3 = y.times(z).shifted::<1>().carried();
        Self {
            x: x3,
            y: y3,
            z: z3,
        }
    }

    /// The sum by add-1998-cmo-2, for points that are different, not opposite and not neutral.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn plus(self, other: Self) -> Self {
        let z1z1 = self.z.squared().carried();
        let z2z2 = other.z.squared().carried();
        let u1 = self.x.times(z2z2).carried();
        let u2 = other.x.times(z1z1);
        let s1 = self.y.times(other.z.times(z2z2).carried()).carried();
        let s2 = other.y.times(self.z.times(z1z1).carried());
        let zz = self.z.times(other.z).carried();
        chord(u1, u2, s1, s2, zz)
    }

    /// The sum with a point whose z is 1 by madd, under the same conditions as [`Self::plus`].
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn plus_affine(self, other: Affine) -> Self {
        let z1z1 = self.z.squared().carried();
        let u2 = other.x.times(z1z1);
        let s2 = other.y.times(self.z.times(z1z1).carried());
        chord(self.x, u2, self.y, s2, self.z)
    }
}

/// The sum of the points (u₁ / zz², s₁ / zz³) and (u₂ / zz², s₂ / zz³), whose numbers are below 2 p, and zz below 3 p.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn chord(u1: Element, u2: Loose, s1: Element, s2: Loose, zz: Element) -> Jacobian {
    // Both < 4 p; hh < 2 p, hhh < 1.5 p, v < 1.3 p.
    let h = u2.minus::<2>(u1.loose()).carried();
    let r = s2.minus::<2>(s1.loose()).carried();
    let hh = h.squared().carried();
    let hhh = h.times(hh).carried();
    let v = u1.times(hh);
    let x = r
        .squared()
        .minus::<5>(hhh.loose().plus(v.shifted::<1>()))
        .folded();
    let rest = v.minus::<2>(x.loose()).carried();
    let y = r.times(rest).minus::<2>(s1.times(hhh)).folded();
    let z = zz.times(h).carried();
    Jacobian { x, y, z }
}

/// The same points with a z of 1. All the inverses come from one, that of the product of all z (Montgomery, *Speeding the
/// Pollard and Elliptic Curve Methods of Factorization*, 1987, §10.3.1): 3 multiplications for each in place of some 270.
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn to_affine(points: &[Jacobian]) -> Vec<Affine> {
    let mut product = Element::splat(ONE);
    let mut before = Vec::with_capacity(points.len());
    for point in points {
        before.push(product);
        product = product.times(point.z).carried();
    }
    let mut inverse = product.inverted();
    let mut affine = Vec::with_capacity(points.len());
    for (point, before) in points.iter().zip(before).rev() {
        let one = inverse.times(before).carried();
        inverse = inverse.times(point.z).carried();
        let squared = one.squared().carried();
        affine.push(Affine {
            x: point.x.times(squared).carried(),
            y: point.y.times(squared.times(one).carried()).carried(),
        });
    }
    affine.reverse();
    affine
}
