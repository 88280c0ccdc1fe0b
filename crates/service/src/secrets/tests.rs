use hato_domain::{AppId, ErrorCode};
use zeroize::ZeroizeOnDrop;

use super::SealPurpose::{IdentitySecret, SigningSecret, VapidKey};
use super::{Sealer, Secrets};

const SECRET: [u8; 32] = [9; 32];
const DOCUMENT: [u8; 138] = [9; 138];

fn app(number: u8) -> AppId {
    AppId::trusted(format!("app_{number}"))
}

#[test]
fn sealed_text_opens_for_its_owner_and_its_purpose_alone() {
    let sealer = Sealer::new([1; 32].into());
    for (purpose, other, plain) in [
        (SigningSecret, VapidKey, &SECRET[..]),
        (SigningSecret, IdentitySecret, &SECRET[..]),
        (IdentitySecret, SigningSecret, &SECRET[..]),
        (VapidKey, SigningSecret, &DOCUMENT[..]),
    ] {
        let text = sealer.seal(purpose, &app(1), plain);
        let opened = sealer.open(purpose, &app(1), &text);
        assert_eq!(*opened.expect("its owner"), plain);
        assert!(sealer.open(other, &app(1), &text).is_err());
        assert!(sealer.open(purpose, &app(2), &text).is_err());
        let another = Sealer::new([2; 32].into());
        assert!(another.open(purpose, &app(1), &text).is_err());
        assert!(sealer.open(purpose, &app(1), b"short").is_err());
    }
}

#[test]
fn the_previous_key_opens_and_never_seals() {
    let old = Sealer::new([1; 32].into());
    let text = old.seal(VapidKey, &app(1), &DOCUMENT);
    let secrets = Secrets::new(None, Some([2; 32].into()));
    let secrets = secrets.with_previous(None, Some([1; 32].into()));
    let both = secrets.sealer().expect("a key");
    assert_eq!(
        *both.open(VapidKey, &app(1), &text).expect("known"),
        DOCUMENT
    );
    let new = both.reseal(VapidKey, &app(1), &text).expect("known");
    let new = new.expect("it was sealed with the previous key");
    assert!(old.open(VapidKey, &app(1), &new).is_err());
    let only_new = Sealer::new([2; 32].into());
    assert_eq!(
        *only_new.open(VapidKey, &app(1), &new).expect("known"),
        DOCUMENT
    );
    assert!(matches!(both.reseal(VapidKey, &app(1), &new), Ok(None)));
    assert!(both.reseal(VapidKey, &app(2), &text).is_err());
}

#[test]
fn a_purpose_is_authenticated_and_not_only_guessed() {
    let sealer = Sealer::new([1; 32].into());
    let text = sealer.seal(VapidKey, &app(1), &SECRET);
    assert!(sealer.open(SigningSecret, &app(1), &text).is_err());
}

#[test]
fn text_without_a_purpose_opens_for_what_it_is() {
    let sealer = Sealer::new([1; 32].into());
    let secret = sealer.seal_with("app_1", &SECRET);
    let document = sealer.seal_with("app_1", &DOCUMENT);
    let open = |purpose, app, text: &[u8]| sealer.open(purpose, &app, text).ok();
    assert_eq!(
        open(SigningSecret, app(1), &secret)
            .as_deref()
            .map(Vec::as_slice),
        Some(&SECRET[..])
    );
    assert_eq!(
        open(VapidKey, app(1), &document)
            .as_deref()
            .map(Vec::as_slice),
        Some(&DOCUMENT[..])
    );
    assert!(open(VapidKey, app(1), &secret).is_none());
    assert!(open(SigningSecret, app(1), &document).is_none());
    assert!(open(SigningSecret, app(2), &secret).is_none());
    assert!(open(IdentitySecret, app(1), &secret).is_none());
}

/// A key is found by a hash that only the pepper's holder can compute: a database alone verifies no guess (SPEC 2.3).
#[test]
fn the_hash_of_a_key_is_keyed_with_the_pepper() {
    let secrets = Secrets::new(Some([7; 32].into()), None);
    let hash = secrets.hash_key("pk_0").expect("a pepper");
    // HMAC-SHA256 of "pk_0" under 32 bytes of 7, by another implementation.
    let expected = [
        0xd4, 0xa4, 0x49, 0xee, 0xa5, 0x5d, 0xbe, 0x7c, 0x28, 0x1b, 0xd4, 0x2c, 0xe8, 0x9d, 0x63,
        0xb5, 0xf9, 0xb8, 0xc6, 0xa1, 0x27, 0x35, 0xba, 0xaa, 0x56, 0x39, 0xb2, 0x1d, 0x20, 0xf0,
        0x46, 0xb7,
    ];
    assert_eq!(hash, expected);
    let other = Secrets::new(Some([8; 32].into()), None);
    assert_ne!(other.hash_key("pk_0").ok(), Some(hash));
    assert_ne!(secrets.hash_key("pk_1").ok(), Some(hash));
}

#[test]
fn secrets_are_overwritten_when_they_are_dropped() {
    fn is_overwritten<T: ZeroizeOnDrop>(_: &T) {}
    let secrets = Secrets::new(Some([1; 32].into()), Some([2; 32].into()));
    is_overwritten(&secrets);
    let sealer = secrets.sealer().expect("a key");
    is_overwritten(sealer);
    let text = sealer.seal(VapidKey, &app(1), &DOCUMENT);
    is_overwritten(&sealer.open(VapidKey, &app(1), &text).expect("its owner"));
}

#[test]
fn a_missing_secret_is_a_configuration_error() {
    let secrets = Secrets::default();
    assert_eq!(secrets.hash_key("pk_").err(), Some(ErrorCode::ConfigError));
    assert_eq!(secrets.sealer().err(), Some(ErrorCode::ConfigError));
    assert_eq!(secrets.require_pepper().err(), Some(ErrorCode::ConfigError));
}
