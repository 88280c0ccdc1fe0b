//! What recipients do with notifications: counted by send, with tokens that name nobody (CONTRACT 15).

mod reports;
mod tokens;

pub(crate) use reports::Reports;
pub use tokens::{EngagementTokens, SendTokens, TOKEN_LENGTH, first_counted_hour, hour_of};

use hato_domain::wire::ReportEngagement;

use crate::{Service, ServiceResult};

impl Service {
    /// Takes a report to be counted soon. Whether it will count, nobody is told: a token that was made up takes as long as any other.
    pub fn report_engagement(&self, report: &ReportEngagement) {
        self.reports.take(report);
    }

    /// Counts the reports that came since the last call; the server calls it often and at its end. What the store cannot count now is
    /// counted by a later call, unless too many wait.
    pub async fn count_reports(&self) -> ServiceResult<()> {
        let reports = self.reports.take_all();
        if reports.is_empty() {
            return Ok(());
        }
        let Ok(tokens) = self.secrets.engagement_tokens() else {
            return Ok(());
        };
        let now = self.clock.now();
        let read = tokio::task::spawn_blocking(move || reports.by_send(&tokens, now));
        let mut sends = read
            .await
            .map_err(crate::ServiceError::internal)?
            .into_iter();
        while let Some((send, reported)) = sends.next() {
            let counted = self.store.count_engagement(&send, reported.clone(), now);
            if let Err(error) = counted.await {
                self.reports
                    .keep(std::iter::once((send, reported)).chain(sends));
                return Err(error.into());
            }
        }
        Ok(())
    }
}
