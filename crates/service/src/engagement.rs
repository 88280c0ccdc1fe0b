//! What recipients do with notifications: counted by send, with tokens that name nobody (CONTRACT 15).

use std::future::ready;
use std::sync::Arc;

use futures_util::stream::{self, StreamExt as _};
use hato_domain::UnixMillis;
use hato_domain::wire::ReportEngagement;

use crate::engagement_reports::{ReportsBySend, SendReports};
use crate::ports::StoreError;
use crate::{Service, ServiceResult};

/// Sends that are counted at a time: those that come together share a commit.
const SENDS_AT_A_TIME: usize = 8;

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
        let sends = read.await.map_err(crate::ServiceError::internal)?;
        let uncounted = self.count_sends(sends, now).await;
        let (uncounted, errors): (Vec<_>, Vec<_>) = uncounted.into_iter().unzip();
        self.reports.keep(uncounted.into_iter());
        let error = errors.into_iter().next();
        error.map_or(Ok(()), |error| Err(error.into()))
    }

    /// The sends that cannot be counted now, and why: one of them keeps no other from being counted.
    async fn count_sends(
        &self,
        sends: ReportsBySend,
        now: UnixMillis,
    ) -> Vec<(SendReports, StoreError)> {
        let counting = sends.into_iter().map(|(send, reported)| {
            let store = Arc::clone(&self.store);
            async move {
                let counted = store.count_engagement(&send, reported.clone(), now).await;
                counted.err().map(|error| ((send, reported), error))
            }
        });
        let counting = stream::iter(counting).buffer_unordered(SENDS_AT_A_TIME);
        counting.filter_map(ready).collect().await
    }
}
