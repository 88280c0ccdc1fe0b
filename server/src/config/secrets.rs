//! The secrets as far as the environment has them.

use clap::{ArgAction, Args};
use hato_service::SecretKey;

use super::parser::SettingParser;

/// The secrets that are given, each before the one that secrets.toml holds.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Secrets")]
pub struct ConfiguredSecrets {
    /// 32 bytes in hexadecimal that key the hash of API keys
    #[arg(long, env = "HATO_PEPPER", value_name = "HEX", value_parser = secret())]
    pub pepper: Option<SecretKey>,
    /// 32 bytes in hexadecimal that encrypt stored private keys and signing secrets
    #[arg(long, env = "HATO_ENCRYPTION_KEY", value_name = "HEX", value_parser = secret())]
    pub encryption_key: Option<SecretKey>,
    /// The pepper before this one: API keys hashed with it keep working, and are hashed anew when they are used
    #[arg(long, env = "HATO_PREVIOUS_PEPPER", value_name = "HEX", value_parser = secret())]
    pub previous_pepper: Option<SecretKey>,
    /// The encryption key before this one, until rotate-encryption-key has encrypted everything anew
    #[arg(long, env = "HATO_PREVIOUS_ENCRYPTION_KEY", value_name = "HEX", value_parser = secret())]
    pub previous_encryption_key: Option<SecretKey>,
}

/// The secrets that are given, and whether missing ones are made.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Secrets")]
pub struct SecretsConfig {
    /// Those that are given.
    #[command(flatten)]
    pub configured: ConfiguredSecrets,
    /// Whether a missing secret is made and kept in secrets.toml, but with PostgreSQL: true or false
    #[arg(long = "generate-secrets", env = "HATO_GENERATE_SECRETS")]
    #[arg(value_name = "BOOL", default_value = "true", value_parser = SettingParser::boolean(), action = ArgAction::Set)]
    pub generate: bool,
}

/// Reads 32 bytes from 64 hexadecimal digits; `None` for anything else.
pub fn secret_from_hex(text: &str) -> Option<SecretKey> {
    let mut bytes = SecretKey::default();
    hex::decode_to_slice(text, bytes.as_mut_slice()).ok()?;
    Some(bytes)
}

fn secret() -> SettingParser<SecretKey> {
    SettingParser::text("32 bytes as 64 hexadecimal digits", secret_from_hex)
}

#[cfg(test)]
mod tests {
    use super::secret_from_hex;

    #[test]
    fn hexadecimal_is_64_digits() {
        assert_eq!(secret_from_hex(&"0F".repeat(32)), Some([15; 32].into()));
        for text in [
            "",
            "0f",
            &"0g".repeat(32),
            &"0f".repeat(33),
            &"é".repeat(32),
        ] {
            assert_eq!(secret_from_hex(text), None, "{text}");
        }
    }
}
