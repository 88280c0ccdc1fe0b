//! The exit codes, by which scripts tell failures apart.

use hato_domain::ErrorCode;

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

impl Exit {
    /// What an answer of the server with this status and error code ends in.
    pub(super) fn from_response(status: u16, code: Option<ErrorCode>) -> Self {
        match (status, code) {
            (_, Some(ErrorCode::PlanLimitExceeded | ErrorCode::PlanRequired)) | (429, _) => {
                Self::Limit
            }
            (401 | 403, _) => Self::NotAllowed,
            (500.., _) => Self::NoAnswer,
            _ => Self::Refused,
        }
    }
}
