//! Agreements beside those of aws-lc and p256, and Wycheproof's. On a processor without AVX-512 IFMA there is nothing to test.

use aws_lc_rs::agreement::{ECDH_P256, PrivateKey, UnparsedPublicKey, agree};
use hato_curve::{Agreement, Avx512Ecdh, InvalidPointError, LANES, Scalar};
use p256::elliptic_curve::PrimeField as _;
use p256::elliptic_curve::point::AffineCoordinates as _;
use p256::elliptic_curve::sec1::{FromEncodedPoint as _, ToEncodedPoint as _};
use p256::{AffinePoint, EncodedPoint, ProjectivePoint};
use wycheproof::TestResult;
use wycheproof::ecdh::{TestName, TestSet};

type Key = [u8; 32];
type Point = [u8; 65];

fn number(key: &Key) -> p256::Scalar {
    p256::Scalar::from_repr((*key).into()).expect("a number below n")
}

fn bytes(number: p256::Scalar) -> Key {
    number.to_repr().into()
}

fn encoded(point: AffinePoint) -> Point {
    let point = point.to_encoded_point(false);
    point.as_bytes().try_into().expect("65 bytes")
}

fn point_of(key: &Key) -> Point {
    encoded((ProjectivePoint::GENERATOR * number(key)).to_affine())
}

/// `count` private keys, the same in every run.
fn random_keys(seed: u64, count: usize) -> Vec<Key> {
    let mut random = fastrand::Rng::with_seed(seed);
    let keys = std::iter::repeat_with(|| {
        let mut key = [0; 32];
        random.fill(&mut key);
        key
    });
    keys.filter(|key| Scalar::new(key).is_some())
        .take(count)
        .collect()
}

/// Scalars whose digits are all 0, all at an end of their range, or carry all the way, and those around 0 and n.
fn edge_keys() -> Vec<Key> {
    let mut keys = Vec::new();
    for small in 1..=70_u64 {
        let small = p256::Scalar::from(small);
        keys.extend([small, -small, small.invert().expect("not 0")]);
    }
    for power in 1..256 {
        let power = (0..power).fold(p256::Scalar::ONE, |it, _| it + it);
        keys.extend([
            power,
            -power,
            power - p256::Scalar::ONE,
            power + p256::Scalar::ONE,
        ]);
    }
    let mut keys: Vec<Key> = keys.into_iter().map(bytes).collect();
    for byte in [
        0x0f, 0x10, 0x21, 0x41, 0x55, 0x7f, 0x80, 0x81, 0xaa, 0xf0, 0xfe,
    ] {
        keys.push([byte; 32]);
    }
    for (width, digits) in [(5, [15, 16, 17, 31]), (6, [31, 32, 33, 63])] {
        keys.extend(digits.map(|digit| repeated(digit, width)));
    }
    keys
}

/// The digit at every place, reduced modulo n.
fn repeated(digit: u64, width: u32) -> Key {
    let base = p256::Scalar::from(1_u64 << width);
    let digit = p256::Scalar::from(digit);
    let number = (0..256 / width).fold(p256::Scalar::ZERO, |it, _| it * base + digit);
    bytes(number)
}

fn scalars(keys: &[Key]) -> Vec<Scalar> {
    keys.iter()
        .map(|key| Scalar::new(key).expect("a scalar"))
        .collect()
}

/// What aws-lc makes of a private key and a point.
fn reference(key: &Key, peer: &Point) -> Option<(Vec<u8>, Vec<u8>)> {
    let key = PrivateKey::from_private_key(&ECDH_P256, key).expect("a private key");
    let public = key.compute_public_key().expect("a public key");
    let peer = UnparsedPublicKey::new(&ECDH_P256, peer);
    let shared = agree(&key, peer, (), |shared| Ok(shared.to_vec())).ok()?;
    Some((public.as_ref().to_vec(), shared))
}

fn assert_agree(ecdh: Avx512Ecdh, keys: &[Key], peers: &[Point]) {
    let agreements = ecdh.ecdh_batch(&scalars(keys), peers);
    assert_eq!(agreements.len(), peers.len());
    for ((key, peer), agreement) in keys.iter().zip(peers).zip(agreements) {
        let found = agreement.map(|it| (it.public.to_vec(), it.shared.to_vec()));
        assert_eq!(found.ok(), reference(key, peer), "{key:x?} {peer:x?}");
    }
}

#[test]
fn random_keys_agree_with_random_peers() {
    let Some(ecdh) = Avx512Ecdh::detect() else {
        return;
    };
    let keys = random_keys(1, 4_000);
    let peers: Vec<Point> = random_keys(2, 4_000).iter().map(point_of).collect();
    assert_agree(ecdh, &keys, &peers);
}

#[test]
fn edges_of_keys_agree_with_p256_too() {
    let Some(ecdh) = Avx512Ecdh::detect() else {
        return;
    };
    let keys = edge_keys();
    let peers = vec![point_of(&[9; 32]); keys.len()];
    assert_agree(ecdh, &keys, &peers);
    for (agreement, key) in ecdh.ecdh_batch(&scalars(&keys), &peers).iter().zip(&keys) {
        let agreement = agreement.as_ref().expect("the point is on the curve");
        let peer = ProjectivePoint::GENERATOR * number(&[9; 32]);
        assert_eq!(agreement.public, point_of(key));
        let shared = (peer * number(key)).to_affine().x();
        assert_eq!(agreement.shared[..], shared[..]);
    }
}

/// G and −G, small multiples, and points with the smallest and largest coordinates x.
fn edge_points() -> Vec<Point> {
    let small = (1..=20_u64).map(|it| bytes(p256::Scalar::from(it)));
    let opposite = (1..=20_u64).map(|it| bytes(-p256::Scalar::from(it)));
    let mut points: Vec<Point> = small.chain(opposite).map(|key| point_of(&key)).collect();
    let zero = p256::FieldElement::ZERO;
    let numbers = (0..60_u64).map(p256::FieldElement::from);
    for x in numbers.flat_map(|it| [it, zero - it]) {
        for sign in [2, 3] {
            let mut compressed = [sign; 33];
            compressed[1..].copy_from_slice(&x.to_repr());
            let point = EncodedPoint::from_bytes(compressed).expect("a compressed point");
            let point: Option<AffinePoint> = AffinePoint::from_encoded_point(&point).into();
            points.extend(point.map(encoded));
        }
    }
    points
}

#[test]
fn edges_of_points_are_like_any() {
    let Some(ecdh) = Avx512Ecdh::detect() else {
        return;
    };
    let points = edge_points();
    assert!(points.len() > 100);
    for start in [3, 40] {
        let keys: Vec<Key> = random_keys(start, points.len());
        assert_agree(ecdh, &keys, &points);
    }
    for key in [1_u64, 2, 3, 16, 17, 32] {
        let key = p256::Scalar::from(key);
        assert_agree(ecdh, &vec![bytes(key); points.len()], &points);
        assert_agree(ecdh, &vec![bytes(-key); points.len()], &points);
    }
}

/// Points that must be refused, each for another reason.
fn invalid_points() -> Vec<Point> {
    let point = point_of(&[5; 32]);
    let changed = |at: usize, byte: u8| {
        let mut changed = point;
        changed[at] = byte;
        changed
    };
    let mut invalid_points: Vec<Point> = [0, 2, 3, 5, 6, 7, 0xff].map(|it| changed(0, it)).into();
    invalid_points.extend([[0; 65], [4; 65], [0xff; 65], changed(64, point[64] ^ 1)]);
    invalid_points.extend([changed(1, point[1] ^ 0x80), changed(33, point[33] ^ 0x80)]);
    let mut origin = [0; 65];
    origin[0] = 4;
    invalid_points.push(origin);
    invalid_points.extend(beyond_p());
    invalid_points
}

/// Points on the curve but for p that was added to a coordinate.
fn beyond_p() -> impl Iterator<Item = Point> {
    let p_less_one = p256::FieldElement::ZERO - p256::FieldElement::ONE;
    let p_less_one: Key = p_less_one.to_repr().into();
    edge_points().into_iter().filter_map(move |mut point| {
        let small = point[1..32].iter().all(|&byte| byte == 0) && point[32] < 0xff;
        let last = point[32].wrapping_add(1);
        point[1..33].copy_from_slice(&p_less_one);
        let mut carry = u16::from(last);
        for byte in point[1..33].iter_mut().rev() {
            let sum = u16::from(*byte) + carry;
            *byte = sum.to_le_bytes()[0];
            carry = sum >> 8;
        }
        (small && carry == 0).then_some(point)
    })
}

#[test]
fn what_is_no_point_is_refused_in_any_lane() {
    let Some(ecdh) = Avx512Ecdh::detect() else {
        return;
    };
    assert!(beyond_p().count() > 10);
    let good = point_of(&[6; 32]);
    let keys = random_keys(5, LANES);
    for invalid in invalid_points() {
        for lane in 0..LANES {
            let mut peers = [good; LANES];
            peers[lane] = invalid;
            let agreements = ecdh.ecdh_batch(&scalars(&keys), &peers);
            for (i, agreement) in agreements.into_iter().enumerate() {
                let shared = agreement.map(|it| it.shared.to_vec());
                let expected = if i == lane {
                    Err(InvalidPointError)
                } else {
                    Ok(reference(&keys[i], &good).expect("a good point").1)
                };
                assert_eq!(shared, expected, "{invalid:x?} in lane {lane}");
            }
        }
    }
}

#[test]
fn any_number_of_peers_comes_back_in_order() {
    let Some(ecdh) = Avx512Ecdh::detect() else {
        return;
    };
    let keys = random_keys(6, 40);
    let peers: Vec<Point> = random_keys(7, 40).iter().map(point_of).collect();
    for count in 0..=40 {
        assert_agree(ecdh, &keys[..count], &peers[..count]);
    }
}

#[test]
fn fresh_keys_come_from_the_generator_within_bounds() {
    let Some(ecdh) = Avx512Ecdh::detect() else {
        return;
    };
    let mut draws = vec![[1; 32], [0xff; 32], [2; 32], [0; 32]];
    let peers = [point_of(&[3; 32]); 2];
    let fill = |bytes: &mut [u8]| {
        let draw = draws.pop().ok_or("exhausted")?;
        bytes.copy_from_slice(&draw);
        Ok::<(), &str>(())
    };
    let agreements = ecdh
        .ecdh_batch_ephemeral(&peers, fill)
        .expect("two draws are keys");
    let publics = agreements.into_iter().map(|it| it.map(|it| it.public));
    let expected = [Ok(point_of(&[2; 32])), Ok(point_of(&[1; 32]))];
    assert_eq!(publics.collect::<Vec<_>>(), expected);
    let fails = ecdh.ecdh_batch_ephemeral(&peers, |_| Err("no entropy"));
    assert_eq!(fails.map(|it| it.len()), Err("no entropy"));
}

#[test]
fn only_numbers_from_1_to_n_less_1_are_private_keys() {
    let last = bytes(-p256::Scalar::ONE);
    let mut order = last;
    order[31] += 1;
    for key in [[0; 32], order, [0xff; 32]] {
        assert!(Scalar::new(&key).is_none(), "{key:x?}");
    }
    let mut one = [0; 32];
    one[31] = 1;
    for key in [one, last] {
        assert!(Scalar::new(&key).is_some(), "{key:x?}");
    }
}

#[test]
fn wycheproofs_vectors_hold() {
    let Some(ecdh) = Avx512Ecdh::detect() else {
        return;
    };
    let set = TestSet::load(TestName::EcdhSecp256r1Ecpoint).expect("the vectors");
    let mut agreed = 0;
    for test in set.test_groups.iter().flat_map(|group| &group.tests) {
        // Compressed and empty points have other lengths, which the type refuses.
        let Ok(peer) = Point::try_from(&test.public_key[..]) else {
            assert_ne!(test.result, TestResult::Valid, "test {}", test.tc_id);
            continue;
        };
        let key = padded(&test.private_key);
        let agreement = ecdh.ecdh_batch(&scalars(&[key]), &[peer]).remove(0);
        let shared = agreement.map(|it: Agreement| it.shared.to_vec());
        if test.result == TestResult::Invalid {
            assert_eq!(shared, Err(InvalidPointError), "test {}", test.tc_id);
        } else {
            assert_eq!(
                shared.as_deref(),
                Ok(&test.shared_secret[..]),
                "test {}",
                test.tc_id
            );
            agreed += 1;
        }
    }
    assert!(agreed > 200, "{agreed} agreements");
}

/// A number of up to 33 bytes in 32.
fn padded(number: &[u8]) -> Key {
    let digits = number.iter();
    let mut key = [0; 32];
    for (to, from) in key.iter_mut().rev().zip(digits.rev()) {
        *to = *from;
    }
    key
}
