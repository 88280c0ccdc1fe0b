//! Why a command did not do what was asked: one line on standard error, and an exit code that scripts can branch on.

use std::io;
use std::process::ExitCode;

use hato_domain::ErrorCode;
use hato_domain::wire::ErrorBody;
use serde::Serialize;

use crate::remedy;
use crate::text::printable;

pub type Result<T> = std::result::Result<T, CliError>;

/// The exit codes of docs/CLI.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It was done, but did not come out as wished.
    Negative = 1,
    /// The command line or a file given to it is wrong.
    Usage = 2,
    /// The server refused the request.
    Refused = 3,
    /// Nobody is logged in, or the credential does not allow it.
    NotAllowed = 4,
    /// A limit of the plan or of the rate is reached.
    Limit = 5,
    /// The server could not be reached or failed.
    NoAnswer = 6,
    /// It was not done within the time given.
    Timeout = 7,
    /// A send was accepted in whole, in part or perhaps, and what became of it is not known.
    Uncertain = 8,
}

/// A send that failed: how to repeat it without sending twice, and what of it was accepted.
#[derive(Debug, Serialize)]
pub struct FailedSend {
    /// The `Idempotency-Key` of the whole command.
    pub idempotency_key: String,
    /// The sends that were accepted.
    pub send_ids: Vec<String>,
}

/// Why a command failed, and as which object programs read it.
#[derive(Debug, Serialize)]
pub struct CliError {
    #[serde(skip)]
    exit: Exit,
    /// The server's code, or one of the client's own in lower case.
    code: String,
    #[serde(rename = "error")]
    message: String,
    remedy: String,
    /// Nothing is to be said: whoever read the output has gone.
    #[serde(skip)]
    silent: bool,
    /// The request may have been carried out all the same.
    #[serde(skip)]
    uncertain: bool,
    #[serde(flatten)]
    send: Option<Box<FailedSend>>,
}

impl CliError {
    /// A failure that the client found itself; `code` is in lower case.
    pub fn new(
        exit: Exit,
        code: &str,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self {
            exit,
            code: code.to_owned(),
            message: message.into(),
            remedy: remedy.into(),
            silent: false,
            uncertain: false,
            send: None,
        }
    }

    /// The command line is wrong in a way that its grammar cannot say.
    pub fn usage(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::new(Exit::Usage, "usage", message, remedy)
    }

    /// A file cannot be read or written.
    pub fn file(path: &std::path::Path, error: &io::Error) -> Self {
        let message = format!("{}: {error}", path.display());
        Self::new(
            Exit::Usage,
            "file",
            message,
            "check the path and its permissions",
        )
    }

    /// The server answered with an error body.
    pub fn refused(status: u16, body: ErrorBody) -> Self {
        let code = ErrorCode::parse(&body.code);
        let mut remedy = code.map_or("see docs/API.md", remedy::for_code).to_owned();
        if let Some(url) = body.upgrade_url {
            remedy = format!("{remedy}: {url}");
        }
        Self::new(exit_for(status, code), &body.code, body.error, remedy)
    }

    #[must_use]
    pub fn add_remedy(mut self, remedy: &str) -> Self {
        self.remedy = format!("{}; {remedy}", self.remedy);
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
            self = self.add_remedy(
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

    pub fn remedy(&self) -> &str {
        &self.remedy
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
            remedy,
            send,
            ..
        } = self;
        let send = send.as_deref().map(FailedSend::to_text).unwrap_or_default();
        printable(&format!("hato: {code}: {message} ({remedy}){send}"))
    }
}

impl FailedSend {
    /// Most sends that the line for people names; JSON names all.
    const MAX_LISTED: usize = 10;

    fn to_text(&self) -> String {
        let mut text = format!("; idempotency key {}", self.idempotency_key);
        let named = &self.send_ids[..self.send_ids.len().min(Self::MAX_LISTED)];
        if !named.is_empty() {
            text = format!("{text}; accepted {}", named.join(" "));
        }
        match self.send_ids.len() - named.len() {
            0 => text,
            more => format!("{text} and {more} more"),
        }
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

fn exit_for(status: u16, code: Option<ErrorCode>) -> Exit {
    match (status, code) {
        (_, Some(ErrorCode::PlanLimitExceeded | ErrorCode::PlanRequired)) | (429, _) => Exit::Limit,
        (401 | 403, _) => Exit::NotAllowed,
        (500.., _) => Exit::NoAnswer,
        _ => Exit::Refused,
    }
}
