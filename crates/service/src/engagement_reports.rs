//! Reports of browsers between their arrival and their count: in memory, and never more than there is room for.
//!
//! Nothing is judged when a report arrives, so that nobody learns from the answer whether a token is one. Groups are counted instead
//! of reports: a stranger who repeats one ten thousand times a second costs one look at it for each.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use hato_domain::wire::ReportEngagement;
use hato_domain::{Engagement, SendId, UnixMillis};

use crate::engagement_tokens::{EngagementTokens, TokenBytes, TokenHolder, token_bytes};
use crate::ports::EngagementReport;

/// Most reports that wait to be counted. They take some 10 MB; what comes when there is no room is dropped.
const MAX_WAITING: usize = 100_000;
/// Most bytes of an action's name (CONTRACT 13: 32 characters).
const MAX_ACTION_BYTES: usize = 128;

/// Reports that wait to be counted.
#[derive(Default)]
pub struct Reports(Mutex<PendingReports>);

/// Reports as they arrived, and those that the store could not count.
#[derive(Default)]
pub struct PendingReports {
    arrived: Vec<ArrivedReport>,
    uncounted: ReportsBySend,
    /// How many those are.
    uncounted_len: usize,
}

/// The reports of each send.
pub type ReportsBySend = BTreeMap<SendId, Vec<EngagementReport>>;

/// A send, and those of its reports that are to be counted.
pub type SendReports = (SendId, Vec<EngagementReport>);

/// A report of which nobody knows yet whether its token is one.
struct ArrivedReport {
    token: TokenBytes,
    engagement: Engagement,
    action: Option<Box<str>>,
}

impl Reports {
    /// Takes a report, if it looks like one and there is room.
    pub fn take(&self, report: &ReportEngagement) {
        let Some(arrived) = ArrivedReport::new(report) else {
            return;
        };
        let mut waiting = self.waiting();
        if waiting.len() < MAX_WAITING {
            waiting.arrived.push(arrived);
        }
    }

    /// Takes out all reports.
    pub fn take_all(&self) -> PendingReports {
        std::mem::take(&mut *self.waiting())
    }

    /// Puts back what could not be counted, as long as there is room.
    pub fn keep(&self, sends: impl Iterator<Item = SendReports>) {
        let mut waiting = self.waiting();
        for (send, reports) in sends {
            if waiting.len() + reports.len() <= MAX_WAITING {
                waiting.uncounted_len += reports.len();
                waiting.uncounted.entry(send).or_default().extend(reports);
            }
        }
    }

    fn waiting(&self) -> MutexGuard<'_, PendingReports> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PendingReports {
    /// Whether no report waits to be counted.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn len(&self) -> usize {
        self.arrived.len() + self.uncounted_len
    }

    /// The reports whose tokens are good, by send and in the order of their arrival, each holder's of a kind once.
    pub fn by_send(self, tokens: &EngagementTokens, now: UnixMillis) -> ReportsBySend {
        let mut seen: HashSet<(TokenHolder, Engagement)> = HashSet::new();
        let mut by_send = self.uncounted;
        for report in self.arrived {
            let Some(holder) = tokens.read(&report.token, now) else {
                continue;
            };
            let (send, recipient, hour) = (holder.send.clone(), holder.recipient, holder.hour);
            if seen.insert((holder, report.engagement)) {
                by_send.entry(send).or_default().push(EngagementReport {
                    recipient,
                    hour,
                    engagement: report.engagement,
                    action: report.action.map(String::from),
                });
            }
        }
        by_send
    }
}

impl ArrivedReport {
    /// An action belongs to a click alone, and one that is longer than any is none.
    fn new(report: &ReportEngagement) -> Option<Self> {
        let engagement = Engagement::parse(report.event.as_deref()?)?;
        let action = report.action.as_deref();
        let action = action
            .filter(|action| engagement == Engagement::Clicked && action.len() <= MAX_ACTION_BYTES);
        Some(Self {
            token: token_bytes(report.token.as_deref()?)?,
            engagement,
            action: action.map(Box::from),
        })
    }
}

#[cfg(test)]
mod tests {
    use hato_domain::wire::ReportEngagement;
    use hato_domain::{Engagement, SendId, UnixMillis};
    use uuid::Uuid;

    use super::{MAX_WAITING, Reports};
    use crate::engagement_tokens::EngagementTokens;
    use crate::ports::RecipientId;

    const NOW: UnixMillis = UnixMillis(1_789_999_200_000);

    fn tokens() -> EngagementTokens {
        EngagementTokens::new(&[1; 32], &[2; 32])
    }

    fn send() -> SendId {
        SendId::from_uuid(Uuid::from_u128(7))
    }

    fn report(recipient: i64, event: &str, action: Option<&str>) -> ReportEngagement {
        let of_send = tokens().of_send(&send(), NOW).expect("a number");
        ReportEngagement {
            token: of_send.token(RecipientId(recipient)),
            event: Some(event.to_owned()),
            action: action.map(str::to_owned),
        }
    }

    #[test]
    fn the_first_click_of_a_recipient_is_the_one_that_counts() {
        let reports = Reports::default();
        for (recipient, event, action) in [
            (1, "clicked", Some("read")),
            (1, "clicked", Some("later")),
            (1, "displayed", Some("read")),
            (2, "clicked", None),
            (2, "opened", None),
        ] {
            reports.take(&report(recipient, event, action));
        }
        let mut unknown = report(3, "clicked", None);
        unknown.token = Some("A".repeat(40));
        reports.take(&unknown);
        let mut by_send = reports.take_all().by_send(&tokens(), NOW);
        let of_send = by_send.remove(&send()).expect("reports");
        let found: Vec<_> = of_send
            .iter()
            .map(|it| (it.recipient.0, it.engagement, it.action.as_deref()))
            .collect();
        let expected = [
            (1, Engagement::Clicked, Some("read")),
            (1, Engagement::Displayed, None),
            (2, Engagement::Clicked, None),
        ];
        assert_eq!(found, expected);
        assert!(by_send.is_empty() && reports.take_all().is_empty());
    }

    #[test]
    fn no_more_wait_than_there_is_room_for() {
        let reports = Reports::default();
        let one = report(1, "displayed", None);
        for _ in 0..=MAX_WAITING {
            reports.take(&one);
        }
        let waiting = reports.take_all();
        assert_eq!(waiting.len(), MAX_WAITING);
        let uncounted = waiting.by_send(&tokens(), NOW);
        assert_eq!(uncounted[&send()].len(), 1);
        reports.keep(uncounted.into_iter());
        assert_eq!(reports.take_all().by_send(&tokens(), NOW)[&send()].len(), 1);
    }
}
