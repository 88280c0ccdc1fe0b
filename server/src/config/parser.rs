//! From the text of a flag or a variable to a value, and the one line that refuses it (CONTRACT 1).

use std::ffi::OsStr;

use clap::builder::{Resettable, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command};

/// A setting has a value that it does not take. The value is not repeated: it may be a secret.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} takes {expected}")]
pub struct SettingError {
    name: String,
    expected: &'static str,
}

impl SettingError {
    /// The variable `name`, for example `HATO_LISTEN`, and what it takes.
    pub fn new(name: impl Into<String>, expected: &'static str) -> Self {
        let name = name.into();
        Self { name, expected }
    }
}

/// Reads the values of one setting. Clap's own parsers explain a bad value in several lines, with the value in them, and do
/// not say which variable one that is no UTF-8 belongs to.
#[derive(Clone)]
pub struct SettingParser<T> {
    expected: &'static str,
    trims: bool,
    read: fn(&str) -> Option<T>,
}

impl<T> SettingParser<T> {
    /// Reads with `read` what stands between white space; `None` is refused with what is `expected`.
    pub const fn text(expected: &'static str, read: fn(&str) -> Option<T>) -> Self {
        let trims = true;
        Self {
            expected,
            trims,
            read,
        }
    }

    /// Reads a path, whose white space counts.
    pub const fn path(expected: &'static str, read: fn(&str) -> Option<T>) -> Self {
        let trims = false;
        Self {
            expected,
            trims,
            read,
        }
    }
}

impl SettingParser<bool> {
    /// Reads `true` or `false`.
    pub const fn boolean() -> Self {
        Self::text("true or false", |text| text.parse().ok())
    }
}

/// A number of digits alone: the standard library takes a sign too.
pub fn plain_number(text: &str) -> Option<u32> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_plain)
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for SettingParser<T> {
    type Value = T;

    fn parse_ref(&self, _: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, clap::Error> {
        let text = value.to_str();
        let text = text.map(|text| if self.trims { text.trim() } else { text });
        text.and_then(self.read).ok_or_else(|| {
            let name = arg.map_or_else(String::new, variable);
            let error = SettingError::new(name, self.expected);
            clap::Error::raw(ErrorKind::ValueValidation, error)
        })
    }
}

/// The variable of a flag, which is called like it; of an argument without a flag its name. The flag is asked, since
/// [`read_environment`] may have taken the variable away. `server/tests/api/settings.rs` holds that the two agree.
fn variable(arg: &Arg) -> String {
    match arg.get_long() {
        Some(flag) => format!("HATO_{}", flag.replace('-', "_").to_uppercase()),
        None => arg.get_id().as_str().to_uppercase(),
    }
}

/// How all commands read their variables: an empty one counts as unset, and help does not tell values, which may be
/// secrets.
pub fn read_environment(command: Command) -> Command {
    command
        .mut_args(|arg| {
            let value = arg.get_env().and_then(std::env::var_os);
            let arg = arg.hide_env_values(true);
            if value.is_some_and(|value| value.is_empty()) {
                arg.env(Resettable::Reset)
            } else {
                arg
            }
        })
        .mut_subcommands(read_environment)
}

#[cfg(test)]
mod tests {
    use clap::{Arg, Command};

    use super::SettingParser;

    #[test]
    fn a_refusal_names_the_variable_and_not_the_value() {
        let parser = SettingParser::text("a digit", |text| text.parse::<u8>().ok());
        let arg = Arg::new("retries").long("max-retries").value_parser(parser);
        let command = Command::new("test").no_binary_name(true).arg(arg);
        let refused = command
            .clone()
            .try_get_matches_from(["--max-retries=secret"]);
        let text = refused.expect_err("no digit").to_string();
        assert!(text.contains("HATO_MAX_RETRIES takes a digit") && !text.contains("secret"));
        let taken = command.try_get_matches_from(["--max-retries= 3 "]);
        assert_eq!(taken.expect("a digit").get_one("retries"), Some(&3_u8));
    }
}
