//! Where a new password comes from: a prompt without echo, or one line of standard input.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _};

use hato_domain::NewPassword;

use super::error::AdminError;

/// Most bytes of a line: more than any password has.
const MAX_LINE: u64 = 4_096;

/// Asks for a password.
pub fn prompt() -> Result<NewPassword, AdminError> {
    let text = if io::stdin().is_terminal() {
        rpassword::prompt_password("Password: ")
    } else {
        line()
    };
    let text = text.map_err(AdminError::Password)?;
    NewPassword::parse(text).map_err(|_| AdminError::InvalidPassword)
}

fn line() -> io::Result<String> {
    let mut line = String::new();
    io::stdin().lock().take(MAX_LINE).read_line(&mut line)?;
    let line = line.strip_suffix('\n').unwrap_or(&line);
    Ok(line.strip_suffix('\r').unwrap_or(line).to_owned())
}
