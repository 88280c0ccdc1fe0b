//! The check of a database: what is counted twice must agree (CONTRACT 1).

use std::time::Duration;

use crate::access::Operator;
use crate::ports::Flaw;
use crate::{Service, ServiceResult};

/// Apps that are listed at a time.
const APPS_PER_PAGE: i64 = 1_000;

/// What is this much short of the time for which it is kept may be removed already: nobody's clock is right.
const PURGE_MARGIN: Duration = Duration::from_hours(1);

/// What a check has looked at, and what it has found.
#[derive(Clone, Debug, Default)]
pub struct Check {
    /// How many apps were looked at.
    pub apps: usize,
    /// What is wrong, or was.
    pub flaws: Vec<Flaw>,
}

impl Service {
    /// Looks for rows that belong to nothing, and compares counters and indexes with their rows; repairs what can be repaired, if it
    /// shall. Servers may run meanwhile, which keep sends for as long as `retention`.
    pub async fn check(
        &self,
        _: &Operator,
        retention: Duration,
        repair: bool,
    ) -> ServiceResult<Check> {
        // First, for they are in the way of the counting.
        let mut flaws = self.store.check_references(repair).await?;
        let now = self.clock.now();
        let kept_from = now.minus(retention.saturating_sub(PURGE_MARGIN));
        flaws.extend(self.store.check_failures(kept_from, repair).await?);
        flaws.extend(self.store.check_sends(now, repair).await?);
        let (mut apps, mut after) = (0, None);
        loop {
            let page = self.store.apps_to_check(after, APPS_PER_PAGE).await?;
            for app in &page {
                flaws.extend(self.store.check_app(app, repair).await?);
            }
            apps += page.len();
            after = page.into_iter().next_back();
            if after.is_none() {
                return Ok(Check { apps, flaws });
            }
        }
    }
}
