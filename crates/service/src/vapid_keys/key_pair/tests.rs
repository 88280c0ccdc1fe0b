//! The forms of one key, which openssl made, and what is none.

use hato_domain::ErrorCode;

use super::VapidKeyPair;

const PRIVATE: &str = "hoJBPPBuAxchRE-9HlTEBl_qUK7kZuP_X7WF_fE2I44";
const X: &str = "4TaCgdkX4hLTxdg3vL3BZ8KqjVnrzNoJpVYFCfgOWhc";
const Y: &str = "-AU2580Ws3Q8WlNzkclSNPpVTV0WATfclTpWoiN6uco";

/// As `openssl ecparam -genkey` writes it.
const SEC1: &str = "-----BEGIN EC PARAMETERS-----
BggqhkjOPQMBBw==
-----END EC PARAMETERS-----
-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIIaCQTzwbgMXIURPvR5UxAZf6lCu5Gbj/1+1hf3xNiOOoAoGCCqGSM49
AwEHoUQDQgAE4TaCgdkX4hLTxdg3vL3BZ8KqjVnrzNoJpVYFCfgOWhf4BTbnzRaz
dDxaU3ORyVI0+lVNXRYBN9yVOlaiI3q5yg==
-----END EC PRIVATE KEY-----
";
const PKCS8: &str = "-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQghoJBPPBuAxchRE+9
HlTEBl/qUK7kZuP/X7WF/fE2I46hRANCAAThNoKB2RfiEtPF2De8vcFnwqqNWevM
2gmlVgUJ+A5aF/gFNufNFrN0PFpTc5HJUjT6VU1dFgE33JU6VqIjernK
-----END PRIVATE KEY-----
";

/// Of curves and kinds that Web Push has no use for.
const SECP256K1: &str = "-----BEGIN EC PRIVATE KEY-----
MHQCAQEEIDHjstfpzBiNlOipX6t4dT95EcNOQd8w6XxTS8W0jD79oAcGBSuBBAAK
oUQDQgAEtPq1ao4i0dmzKS75IbFjhSRNLs0DvyhJBNnl9Ypro/+v91E8gcnk/w3T
kcpRsbmV0nsTWeC6/hr5s3HJ0JuiIw==
-----END EC PRIVATE KEY-----
";
const SECP256K1_PKCS8: &str = "-----BEGIN PRIVATE KEY-----
MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQgMeOy1+nMGI2U6Klfq3h1
P3kRw05B3zDpfFNLxbSMPv2hRANCAAS0+rVqjiLR2bMpLvkhsWOFJE0uzQO/KEkE
2eX1imuj/6/3UTyByeT/DdORylGxuZXSexNZ4Lr+GvmzccnQm6Ij
-----END PRIVATE KEY-----
";
const ED25519: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIDHg0Z63YEajWKhz1hP6jH0VBWvKYBrSTnDNr/qmsBee
-----END PRIVATE KEY-----
";
const PUBLIC: &str = "-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE4TaCgdkX4hLTxdg3vL3BZ8KqjVnr
zNoJpVYFCfgOWhf4BTbnzRazdDxaU3ORyVI0+lVNXRYBN9yVOlaiI3q5yg==
-----END PUBLIC KEY-----
";
const ENCRYPTED: &str = "-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhFtEPzoKxTiQICCAAw
DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEGqytXgQS1SnMKSJuDVKWpcEgZCD
ryTWQlpxyJ8kJm3v/rrAIwa+xSdbjNDC+P/dk0K21lmgBIrdhIXWkbPlvoCSQG1A
4Ph8hAOBFeYw1tu7OcT+7azq15vpXaxntVoQbAkMFko2ygAy10nh/3ILz2Rl7U95
T1eg9rilXvZuwHMcZdPsTmHjNG7ImkKMrry7ZRT61y2C9F3WQLhvrMse+4j6vHg=
-----END ENCRYPTED PRIVATE KEY-----
";

fn jwk(crv: &str, x: &str, y: &str, d: &str) -> String {
    format!(
        r#"{{"key_ops":["sign"],"ext":true,"kty":"EC","crv":"{crv}","x":"{x}","y":"{y}","d":"{d}"}}"#
    )
}

#[test]
fn every_form_is_the_same_key() {
    let windows = PKCS8.replace('\n', "\r\n");
    let forms = [
        PRIVATE,
        &format!(" {PRIVATE}=\n"),
        &jwk("P-256", X, Y, PRIVATE),
        SEC1,
        PKCS8,
        &windows,
    ];
    for form in forms {
        let pair = VapidKeyPair::parse(form).expect(form);
        let exported = pair.export().expect("three forms");
        assert_eq!(exported.private_key, PRIVATE);
        let jwk = &exported.jwk;
        assert_eq!(
            [&jwk.kty, &jwk.crv, &jwk.x, &jwk.y, &jwk.d],
            ["EC", "P-256", X, Y, PRIVATE]
        );
        assert_eq!(exported.pem, PKCS8);
    }
}

#[test]
fn what_is_stored_is_the_same_key() {
    let made = VapidKeyPair::generate().expect("a pair");
    let stored = made.to_pkcs8().expect("a document");
    let read = VapidKeyPair::from_pkcs8(&stored).expect("the pair");
    assert_eq!(read.public_key(), made.public_key());
    assert_eq!(read.public_key().len(), 65);
}

#[test]
fn what_is_no_key_on_the_curve_is_refused() {
    let zero = "A".repeat(43);
    let order = "_____wAAAAD__________7zm-q2nF56E87nKwvxjJVE";
    let cut = &PKCS8[..PKCS8.len() - 60];
    let refused = [
        "",
        "x",
        &zero,
        order,
        &PRIVATE[..42],
        &format!("{PRIVATE}AAAA"),
        &jwk("P-256", Y, X, PRIVATE),
        &jwk("P-256", X, X, PRIVATE),
        &jwk("P-384", X, Y, PRIVATE),
        &jwk("P-256", X, Y, ""),
        &jwk("P-256", X, Y, &zero),
        &format!(r#"{{"kty":"EC","crv":"P-256","x":"{X}","y":"{Y}"}}"#),
        "{",
        "{}",
        SECP256K1,
        SECP256K1_PKCS8,
        ED25519,
        PUBLIC,
        ENCRYPTED,
        cut,
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY----------BEGIN PRIVATE KEY-----",
        &" ".repeat(5_000),
    ];
    for text in refused {
        let parsed = VapidKeyPair::parse(text);
        assert_eq!(parsed.err(), Some(ErrorCode::InvalidInput), "{text}");
    }
}
