//! What an examination found.

use serde::Serialize;

use crate::text::printable;

/// One finding.
#[derive(Serialize)]
pub struct Finding {
    check: &'static str,
    verdict: FindingVerdict,
    found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
enum FindingVerdict {
    Fine,
    Problem,
    Unknown,
}

impl Finding {
    /// Nothing is wrong.
    pub fn fine(check: &'static str, found: impl Into<String>) -> Self {
        Self::new(check, FindingVerdict::Fine, found, None)
    }

    /// Something is wrong, and what to do.
    pub fn problem(
        check: &'static str,
        found: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self::new(check, FindingVerdict::Problem, found, Some(remedy.into()))
    }

    /// It could not be looked at, and what would change that.
    pub fn unknown(
        check: &'static str,
        found: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self::new(check, FindingVerdict::Unknown, found, Some(remedy.into()))
    }

    /// Fine, or a problem with this remedy.
    pub fn judge(
        check: &'static str,
        is_fine: bool,
        found: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        if is_fine {
            Self::fine(check, found)
        } else {
            Self::problem(check, found, remedy)
        }
    }

    /// Whether something is to be done.
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
        let mut lines = vec![format!("{mark} {:10} {}", self.check, self.found)];
        if let Some(remedy) = &self.remedy {
            lines.push(format!("                    → {remedy}"));
        }
        lines
    }

    fn new(
        check: &'static str,
        verdict: FindingVerdict,
        found: impl Into<String>,
        remedy: Option<String>,
    ) -> Self {
        Self {
            check,
            verdict,
            found: printable(&found.into()),
            remedy: remedy.map(|remedy| printable(&remedy)),
        }
    }
}
