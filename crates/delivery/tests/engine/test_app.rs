//! An app that sends.

use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hato_domain::{AccountId, AppId, Email, Plan, UnixMillis};
use hato_service::ports::{AccountRecord, NewApp, Store};
use hato_service::{SealPurpose, Sealer};

use crate::test_engine::ENCRYPTION_KEY;

/// An app in the store, of an account of its own, with the public key that its sends are signed for.
#[derive(Clone)]
pub struct TestApp {
    pub id: AppId,
    pub public_key: String,
}

impl TestApp {
    /// A new app of a new account without limits.
    pub async fn new(store: &dyn Store, number: &str, now: UnixMillis) -> Self {
        let account = AccountId::trusted(format!("usr_{number}"));
        let created = store.create_account(AccountRecord {
            id: account.clone(),
            email: Email::parse(&format!("{number}@example.com")).expect("an address"),
            password_hash: None,
            plan: Plan::Pro,
            created_at: now,
        });
        assert!(created.await.expect("stored"));
        let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).expect("a key pair");
        let private_key = pair.to_pkcs8v1().expect("a document");
        let id = AppId::trusted(format!("app_{number}"));
        let app = NewApp {
            id: id.clone(),
            account_id: account,
            name: "app".into(),
            vapid_public_key: pair.public_key().as_ref().to_vec(),
            sealed_private_key: Sealer::new(ENCRYPTION_KEY.into()).seal(
                SealPurpose::VapidKey,
                &id,
                private_key.as_ref(),
            ),
            created_at: now,
        };
        store.create_app(app).await.expect("stored");
        Self {
            id,
            public_key: URL_SAFE_NO_PAD.encode(pair.public_key()),
        }
    }
}
