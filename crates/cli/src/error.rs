//! Why a command did not do what was asked: one line on standard error, and an exit code that scripts can branch on.

mod exit;
mod failed_send;

use std::io;
use std::process::ExitCode;
use std::time::Duration;

use hato_domain::ErrorCode;
use hato_domain::wire::ErrorBody;
use serde::Serialize;

pub use self::exit::Exit;
pub use self::failed_send::FailedSend;
use crate::hint;
use crate::text::printable;

pub type Result<T> = std::result::Result<T, CliError>;

/// Why a command failed, and as which object programs read it.
#[derive(Debug, Serialize)]
pub struct CliError {
    #[serde(skip)]
    exit: Exit,
    /// The server's code, or one of the client's own in lower case.
    code: String,
    #[serde(rename = "error")]
    message: String,
    #[serde(rename = "remedy")]
    hint: String,
    /// Nothing is to be said: whoever read the output has gone.
    #[serde(skip)]
    silent: bool,
    /// The request may have been carried out all the same.
    #[serde(skip)]
    uncertain: bool,
    /// How long the server asks to wait.
    #[serde(skip)]
    retry_after: Option<Duration>,
    #[serde(flatten)]
    send: Option<Box<FailedSend>>,
}

impl CliError {
    /// A failure that the client found itself; `code` is in lower case.
    pub fn new(
        exit: Exit,
        code: &str,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self {
            exit,
            code: code.to_owned(),
            message: message.into(),
            hint: hint.into(),
            silent: false,
            uncertain: false,
            retry_after: None,
            send: None,
        }
    }

    /// The command line is wrong in a way that its grammar cannot say.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Exit::Usage, "usage", message, hint)
    }

    /// A file cannot be read or written.
    pub fn file(path: &std::path::Path, error: &io::Error) -> Self {
        let message = format!("{}: {error}", path.display());
        let hint = "check the path and its permissions";
        Self::new(Exit::Usage, "file", message, hint)
    }

    /// The server answered with an error body.
    pub fn refused(status: u16, body: ErrorBody) -> Self {
        let code = ErrorCode::parse(&body.code);
        let mut hint = code.map_or("see docs/API.md", hint::for_code).to_owned();
        if let Some(url) = body.upgrade_url {
            hint = format!("{hint}: {url}");
        }
        Self::new(
            Exit::from_response(status, code),
            &body.code,
            body.error,
            hint,
        )
    }

    /// The same with how long the server asks to wait, by `Retry-After`.
    #[must_use]
    pub fn with_retry_after(self, retry_after: Option<Duration>) -> Self {
        Self {
            retry_after,
            ..self
        }
    }

    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    #[must_use]
    pub fn add_hint(mut self, hint: &str) -> Self {
        self.hint = format!("{}; {hint}", self.hint);
        self
    }

    /// Marks the failure of a request of which an attempt may have been carried out. That a later attempt is refused says
    /// nothing about an earlier one, unless the server knows their key from another message.
    #[must_use]
    pub fn uncertain_if(self, may_be_done: bool) -> Self {
        let is_other = self.code == ErrorCode::IdempotencyConflict.as_str();
        let uncertain = may_be_done && !is_other;
        Self { uncertain, ..self }
    }

    /// The failure of a list of which `is_begun` says whether any was sent. With that, or when this one may have been, the exit code is
    /// [`Exit::Uncertain`].
    #[must_use]
    pub fn of_list(mut self, is_begun: bool) -> Self {
        if is_begun || self.uncertain {
            self.exit = Exit::Uncertain;
        }
        self
    }

    /// Adds what is known of the send. Once the server has some of it, or may have, the exit code is [`Exit::Uncertain`].
    #[must_use]
    pub fn with_send(mut self, send: FailedSend) -> Self {
        let is_conclusive = matches!(self.exit, Exit::Negative | Exit::Timeout);
        if !is_conclusive && (self.uncertain || !send.send_ids.is_empty()) {
            self.exit = Exit::Uncertain;
            self = self.add_hint(
                "repeat the same command with --idempotency-key, which sends nothing twice",
            );
        }
        self.send = Some(Box::new(send));
        self
    }

    /// Whether the same may succeed a little later.
    pub fn may_pass(&self) -> bool {
        matches!(self.exit, Exit::Limit | Exit::NoAnswer)
    }

    /// The server's code, or the client's own.
    pub fn code(&self) -> &str {
        &self.code
    }

    pub fn message(&self) -> &str {
        &self.message
    }

    pub fn hint(&self) -> &str {
        &self.hint
    }

    /// Prints the failure on standard error; returns the exit code.
    pub fn report(&self, as_json: bool) -> ExitCode {
        if !self.silent {
            let text = if as_json {
                serde_json::to_string(self).expect("a failure is plain data")
            } else {
                self.to_line()
            };
            anstream::eprintln!("{text}");
        }
        ExitCode::from(self.exit as u8)
    }

    fn to_line(&self) -> String {
        let Self {
            code,
            message,
            hint,
            send,
            ..
        } = self;
        let send = send.as_deref().map(FailedSend::to_text).unwrap_or_default();
        printable(&format!("hato: {code}: {message} ({hint}){send}"))
    }
}

/// Standard output cannot be written.
impl From<io::Error> for CliError {
    fn from(error: io::Error) -> Self {
        let silent = error.kind() == io::ErrorKind::BrokenPipe;
        let message = format!("standard output: {error}");
        let error = Self::new(
            Exit::Usage,
            "output",
            message,
            "check where the output goes",
        );
        Self { silent, ..error }
    }
}
