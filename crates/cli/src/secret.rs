//! Passwords and keys: from a prompt without echo, or from one line of standard input; never from the command line, which
//! other users of the machine can read.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _};

use crate::error::{CliError, Result};

/// Most bytes of a line: more than any password or key has.
const MAX_LINE: u64 = 4_096;

/// Reads the secret called `name`; an empty one is a mistake.
pub fn ask(name: &str) -> Result<String> {
    let text = if io::stdin().is_terminal() {
        rpassword::prompt_password(format!("{name}: "))
    } else {
        line()
    };
    match text {
        Ok(text) if !text.is_empty() => Ok(text),
        _ => Err(CliError::usage(
            format!("no {name} was given"),
            "type it, or give it as a line of standard input",
        )),
    }
}

/// Asks for an address, which is no secret and is shown as it is typed; only somebody at a terminal can be asked.
pub fn ask_email() -> Result<String> {
    let missing = || {
        CliError::usage(
            "nobody is named",
            "use --email with the account's address, or --key to store an API key",
        )
    };
    if !io::stdin().is_terminal() {
        return Err(missing());
    }
    anstream::eprint!("e-mail address: ");
    let address = line().unwrap_or_default().trim().to_owned();
    if address.is_empty() {
        return Err(missing());
    }
    Ok(address)
}

fn line() -> io::Result<String> {
    let mut line = String::new();
    io::stdin().lock().take(MAX_LINE).read_line(&mut line)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}
