//! What the doctor found: the answer of one check.

use serde::Serialize;
use url::Url;

use crate::connect_error::describe;
use crate::text::printable;

/// The answer of one check, with what to do unless all is well.
#[derive(Serialize)]
pub struct Finding {
    check: &'static str,
    verdict: FindingVerdict,
    found: String,
    #[serde(rename = "remedy", skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
enum FindingVerdict {
    Fine,
    Problem,
    Unknown,
}

impl Finding {
    pub fn fine(check: &'static str, found: &str) -> Self {
        Self {
            check,
            verdict: FindingVerdict::Fine,
            found: printable(found),
            hint: None,
        }
    }

    pub fn problem(check: &'static str, found: &str, hint: &str) -> Self {
        Self {
            verdict: FindingVerdict::Problem,
            hint: Some(printable(hint)),
            ..Self::fine(check, found)
        }
    }

    /// The check could not be made; the hint is what would change that.
    pub fn unknown(check: &'static str, found: &str, hint: &str) -> Self {
        Self {
            verdict: FindingVerdict::Unknown,
            ..Self::problem(check, found, hint)
        }
    }

    /// Fine, or a problem with this hint.
    pub fn judge(check: &'static str, is_fine: bool, found: &str, hint: &str) -> Self {
        if is_fine {
            Self::fine(check, found)
        } else {
            Self::problem(check, found, hint)
        }
    }

    /// A file of a customer's site that did not come.
    pub fn unread(check: &'static str, url: &Url, error: &ureq::Error) -> Self {
        let hint = match error {
            ureq::Error::TooManyRedirects => "end the redirects: browsers give up as well",
            _ => "check the address, and that this machine may reach it",
        };
        Self::problem(check, &format!("{url}: {}", describe(error)), hint)
    }

    pub fn is_problem(&self) -> bool {
        self.verdict == FindingVerdict::Problem
    }

    /// For people; the colours are taken out where no terminal shows them.
    pub fn lines(&self) -> Vec<String> {
        let mark = match self.verdict {
            FindingVerdict::Fine => "\x1b[32mok      \x1b[0m",
            FindingVerdict::Problem => "\x1b[31mproblem \x1b[0m",
            FindingVerdict::Unknown => "unknown ",
        };
        let found = format!("{mark} {:10} {}", self.check, self.found);
        let hint = self.hint.as_ref();
        let hint = hint.map(|hint| format!("                    → {hint}"));
        [found].into_iter().chain(hint).collect()
    }
}
