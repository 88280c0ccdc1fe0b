//! What became of the lines of a list.

use hato_domain::import::RefusedLine;
use serde::{Deserialize, Serialize};

use super::probe::ProbeReport;

/// Refused lines that are shown; the file has all.
const MAX_SHOWN: usize = 10;

/// What became of the lines so far.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct ImportTotals {
    pub created: usize,
    pub updated: usize,
    /// Those of the known that a run may have registered that was stopped before it heard so.
    pub perhaps_created: usize,
    pub refused: usize,
}

/// What an import tells when it is done.
#[derive(Serialize)]
pub struct ImportReport {
    #[serde(flatten)]
    pub totals: ImportTotals,
    dry_run: bool,
    /// The first of those that this run has refused.
    first_refused: Vec<RefusedLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probe: Option<ProbeReport>,
}

impl ImportReport {
    /// Goes on with what earlier runs have counted.
    pub fn new(totals: ImportTotals, dry_run: bool) -> Self {
        Self {
            totals,
            dry_run,
            first_refused: Vec::new(),
            probe: None,
        }
    }

    pub fn add_refused(&mut self, refused: Vec<RefusedLine>) {
        self.totals.refused += refused.len();
        let room = MAX_SHOWN.saturating_sub(self.first_refused.len());
        self.first_refused.extend(refused.into_iter().take(room));
    }

    pub fn lines(&self) -> Vec<String> {
        let ImportTotals {
            created,
            updated,
            perhaps_created,
            refused,
        } = self.totals;
        let would = if self.dry_run {
            "Nothing is stored: "
        } else {
            ""
        };
        let mut lines = vec![format!(
            "{would}{created} new, {updated} known, {refused} refused."
        )];
        if perhaps_created > 0 {
            lines.push(format!(
                "Of the known ones up to {perhaps_created} may be new: an earlier run was stopped while they were registered."
            ));
        }
        let shown = self.first_refused.iter();
        lines.extend(shown.map(|it| format!("line {}: {}: {}", it.line, it.code, it.message)));
        lines.extend(self.probe.as_ref().map(ProbeReport::line));
        lines
    }
}
