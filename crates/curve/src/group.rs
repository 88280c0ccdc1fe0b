//! Bytes into groups of eight, and back.

use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::agreement::{Agreement, InvalidPointError, LANES};
use crate::scalar::{Scalar, below, words};

/// The prime p of the field (SP 800-186 §3.2.1.3), least significant word first.
const P: [u64; 4] = [
    0xffff_ffff_ffff_ffff,
    0x0000_0000_ffff_ffff,
    0,
    0xffff_ffff_0000_0001,
];

/// Eight private keys and the peers that they are to agree with, coordinates as bytes, most significant first.
pub struct Group {
    pub keys: [Scalar; LANES],
    /// Coordinates x and y below p. What was no such point became (0, 0), which is not on the curve.
    pub x: [[u8; 32]; LANES],
    pub y: [[u8; 32]; LANES],
}

/// What eight agreements come to, coordinates as bytes, most significant first; wiped from memory when dropped.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct GroupAgreements {
    /// A bit for each lane whose peer is a point on the curve; what the others have is meaningless.
    pub on_curve: u8,
    pub public_x: [[u8; 32]; LANES],
    pub public_y: [[u8; 32]; LANES],
    pub shared_x: [[u8; 32]; LANES],
}

impl Group {
    /// Puts up to eight keys and peers into lanes; lanes that are left over have the key 1 and no point.
    pub fn new(keys: &[Scalar], peers: &[[u8; 65]]) -> Self {
        let key = |lane: usize| keys.get(lane).cloned().unwrap_or(Scalar::ONE);
        let point = |lane: usize| peers.get(lane).map_or(INVALID_POINT, coordinates);
        let points: [_; LANES] = std::array::from_fn(point);
        Self {
            keys: std::array::from_fn(key),
            x: points.map(|(x, _)| x),
            y: points.map(|(_, y)| y),
        }
    }
}

/// Stands for what is no point: b is not 0, so (0, 0) is not on the curve.
const INVALID_POINT: ([u8; 32], [u8; 32]) = ([0; 32], [0; 32]);

/// The coordinates of a peer's uncompressed point, or [`INVALID_POINT`] for another form or a coordinate not below p.
/// Peers are public, so this may branch.
fn coordinates(point: &[u8; 65]) -> ([u8; 32], [u8; 32]) {
    let mut coordinates = INVALID_POINT;
    coordinates.0.copy_from_slice(&point[1..33]);
    coordinates.1.copy_from_slice(&point[33..]);
    let (x, y) = (words(&coordinates.0), words(&coordinates.1));
    let valid = point[0] == 4 && below(&x, &P) && below(&y, &P);
    if valid { coordinates } else { INVALID_POINT }
}

impl GroupAgreements {
    /// The agreement of each lane in order.
    pub fn agreements(&self) -> impl Iterator<Item = Result<Agreement, InvalidPointError>> {
        (0..LANES).map(|lane| {
            if self.on_curve >> lane & 1 == 0 {
                return Err(InvalidPointError);
            }
            let mut public = [4; 65];
            public[1..33].copy_from_slice(&self.public_x[lane]);
            public[33..].copy_from_slice(&self.public_y[lane]);
            Ok(Agreement {
                public,
                shared: self.shared_x[lane],
            })
        })
    }
}
