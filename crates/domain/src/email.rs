//! Email addresses of accounts.

use crate::ErrorCode;

/// An email address, at most 254 bytes, compared case-insensitively (CONTRACT 4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Email(String);

impl Email {
    /// Most bytes of an address (RFC 5321 §4.5.3.1.3, less the angle brackets).
    const MAX_BYTES: usize = 254;

    /// Checks the shape `local@domain.tld` and its length; otherwise `INVALID_EMAIL`.
    pub fn parse(text: &str) -> Result<Self, ErrorCode> {
        let text = text.trim();
        let (local, domain) = text.rsplit_once('@').ok_or(ErrorCode::InvalidEmail)?;
        let printable = text.chars().all(|c| !c.is_whitespace() && !c.is_control());
        let fits = text.len() <= Self::MAX_BYTES && !local.contains('@');
        if local.is_empty() || !printable || !fits || !is_domain(domain) {
            return Err(ErrorCode::InvalidEmail);
        }
        Ok(Self(text.to_owned()))
    }

    /// An address out of this server's own database, which was parsed before it was stored.
    pub fn trusted(text: String) -> Self {
        Self(text)
    }

    /// The address as it was written, which mail goes to.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The address in lower case, by which accounts are found and unique.
    pub fn folded(&self) -> String {
        self.0.to_lowercase()
    }
}

fn is_domain(text: &str) -> bool {
    let label = |l: &str| {
        !l.is_empty()
            && l.len() <= 63
            && !l.starts_with('-')
            && !l.ends_with('-')
            && l.chars().all(|c| c.is_alphanumeric() || c == '-')
    };
    text.contains('.') && text.split('.').all(label)
}

#[cfg(test)]
mod tests {
    use super::Email;

    #[test]
    fn ordinary_addresses_pass() {
        for text in [
            "a@example.com",
            "Hato.Poppo+x@sub.example.co.jp",
            "鳩@例え.jp",
        ] {
            assert!(Email::parse(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn others_do_not() {
        for text in [
            "", "a", "a@", "@b.c", "a b@c.d", "a@b", "a@b..c", "a@@b.c", "a@-b.c",
        ] {
            assert!(Email::parse(text).is_err(), "{text}");
        }
        let long = |local: usize| format!("{}@example.com", "a".repeat(local));
        assert!(Email::parse(&long(242)).is_ok() && Email::parse(&long(243)).is_err());
    }
}
