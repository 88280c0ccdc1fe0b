//! Opaque identifiers with a type prefix (CONTRACT 2).

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::ErrorCode;

/// Longest text accepted as an identifier, in bytes.
const MAX_BYTES: usize = 64;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal,)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// A new identifier: the prefix and the 32 hexadecimal digits of `uuid`.
            pub fn from_uuid(uuid: Uuid) -> Self {
                Self(format!(concat!($prefix, "{}"), uuid.simple()))
            }

            /// Reads an identifier from a path or a body; a malformed one names nothing: `NOT_FOUND`.
            pub fn parse(text: &str) -> Result<Self, ErrorCode> {
                let rest = text.strip_prefix($prefix).ok_or(ErrorCode::NotFound)?;
                let plain = rest.bytes().all(|b| b.is_ascii_alphanumeric());
                if rest.is_empty() || !plain || text.len() > MAX_BYTES {
                    return Err(ErrorCode::NotFound);
                }
                Ok(Self(text.to_owned()))
            }

            /// An identifier out of this server's own database, which was parsed or made before it was stored.
            pub fn trusted(text: String) -> Self {
                Self(text)
            }

            /// The number whose digits follow the prefix; `None` for an identifier that was not made of one.
            pub fn to_uuid(&self) -> Option<Uuid> {
                let digits = self.0.strip_prefix($prefix)?;
                Uuid::try_parse(digits).ok()
            }

            /// The identifier as it stands in paths, bodies and the database.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    )+};
}

ids! {
    /// The identifier of an account, `usr_…`.
    AccountId = "usr_",
    /// The identifier of an app, `app_…`.
    AppId = "app_",
    /// The identifier of a subscription, `sub_…`.
    SubscriptionId = "sub_",
    /// The identifier of an API key, `key_…`; the raw key is another text, which starts with `pk_`.
    KeyId = "key_",
    /// The identifier of one of an app's VAPID keys, `vapid_…`, which follows from its public key (CONTRACT 16).
    VapidKeyId = "vapid_",
    /// The identifier of a send, `snd_…`.
    SendId = "snd_",
    /// The identifier of a key event, `evt_…`.
    KeyEventId = "evt_",
    /// The identifier of a webhook's event, `msg_…`, which is the `webhook-id` of all its attempts (CONTRACT 8).
    WebhookEventId = "msg_",
}

#[cfg(test)]
mod tests {
    use super::AppId;
    use uuid::Uuid;

    #[test]
    fn a_made_id_parses_back() {
        let id = AppId::from_uuid(Uuid::from_u128(7));
        assert_eq!(id.to_uuid(), Some(Uuid::from_u128(7)));
        assert_eq!(AppId::parse(id.as_str()), Ok(id));
        assert_eq!(AppId::trusted("app_7".to_owned()).to_uuid(), None);
    }

    #[test]
    fn foreign_text_is_no_id() {
        for text in [
            "",
            "app_",
            "usr_1",
            "app_../x",
            &format!("app_{}", "a".repeat(61)),
        ] {
            assert!(AppId::parse(text).is_err(), "{text}");
        }
    }
}
