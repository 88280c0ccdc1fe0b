//! A queue in memory that keeps the rules of the store's: leases, tokens, and one settlement per page.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use hato_domain::{AppId, FailureReason, SendId, Topic, Ttl, UnixMillis, Urgency};
use hato_service::ports::{
    ClaimedPage, DeliveryQueue, Expired, JobId, Lease, NextPage, PageRange, Recipient, RecipientId,
    RetryJob, Settled, Settlement, StoreError,
};
use tokio::sync::Notify;

/// What is to be sent.
#[derive(Clone)]
pub struct Send {
    pub ttl: Ttl,
    pub urgency: Option<Urgency>,
    pub topic: Option<Topic>,
    pub accepted_at: UnixMillis,
    pub sealed_private_key: Vec<u8>,
}

pub const PAYLOAD: &str = r#"{"title":"鳩","body":"coo"}"#;

struct Job {
    lease: Lease,
    send: Send,
    recipients: Vec<RecipientId>,
    attempt: u8,
    due_at: UnixMillis,
}

/// Everything that happened.
#[derive(Default)]
pub struct Ledger {
    jobs: Vec<Job>,
    recipients: HashMap<RecipientId, Recipient>,
    last_number: i64,
    /// Recorded settlements, in order.
    pub settlements: Vec<Settlement>,
    /// Successful claims.
    pub claims: usize,
    /// Renewals of leases.
    pub renewals: usize,
    /// Settlements that will fail before one is recorded.
    pub failing_settlements: usize,
    /// Whether the next look at a page's recipients panics.
    pub panics_next: bool,
}

impl Ledger {
    fn number(&mut self) -> i64 {
        self.last_number += 1;
        self.last_number
    }

    fn job(&mut self, lease: Lease) -> Option<&mut Job> {
        self.jobs.iter_mut().find(|job| job.lease == lease)
    }

    fn push(&mut self, send: Send, recipients: Vec<RecipientId>, attempt: u8, due_at: UnixMillis) {
        let lease = Lease {
            job: JobId(self.number()),
            token: 0,
        };
        self.jobs.push(Job {
            lease,
            send,
            recipients,
            attempt,
            due_at,
        });
    }

    /// How many were sent.
    pub fn sent(&self) -> i64 {
        self.settlements.iter().map(|it| it.sent).sum()
    }

    /// Statuses of those that are gone.
    pub fn expired(&self) -> Vec<u16> {
        let all = self.settlements.iter().flat_map(|it| &it.expired);
        all.map(|Expired { http_status, .. }| *http_status)
            .collect()
    }

    /// Reasons and statuses of those that finally failed.
    pub fn dead_letters(&self) -> Vec<(FailureReason, Option<u16>)> {
        let all = self.settlements.iter().flat_map(|it| &it.dead_letters);
        all.map(|it| (it.reason, it.http_status)).collect()
    }

    /// What is queued: attempt, due time and number of recipients, the next first.
    pub fn queued(&self) -> Vec<(u8, UnixMillis, usize)> {
        let entry = |job: &Job| (job.attempt, job.due_at, job.recipients.len());
        let mut queued: Vec<_> = self.jobs.iter().map(entry).collect();
        queued.sort_unstable_by_key(|(_, due_at, _)| *due_at);
        queued
    }
}

#[derive(Default)]
pub struct MemoryQueue {
    ledger: Mutex<Ledger>,
    changed: Notify,
}

impl MemoryQueue {
    pub fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().expect("no panic while it was held")
    }

    /// Queues one job for `recipients`, due at once.
    pub fn accept(&self, send: Send, recipients: Vec<Recipient>) {
        let mut ledger = self.ledger();
        let ids = recipients.iter().map(|it| it.id).collect();
        ledger
            .recipients
            .extend(recipients.into_iter().map(|it| (it.id, it)));
        let due_at = send.accepted_at;
        ledger.push(send, ids, 0, due_at);
    }

    /// Resolves once `done` holds.
    pub async fn wait_until(&self, done: impl Fn(&Ledger) -> bool) {
        loop {
            let changed = self.changed.notified();
            if done(&self.ledger()) {
                return;
            }
            changed.await;
        }
    }

    fn change<T>(&self, change: impl FnOnce(&mut Ledger) -> T) -> T {
        let result = change(&mut self.ledger());
        self.changed.notify_waiters();
        result
    }
}

#[async_trait]
impl DeliveryQueue for MemoryQueue {
    async fn claim_page(
        &self,
        now: UnixMillis,
        lease: Duration,
        max_recipients: u32,
    ) -> Result<NextPage, StoreError> {
        Ok(self.change(|ledger| claim(ledger, now, lease, max_recipients as usize)))
    }

    async fn recipients(&self, page: &ClaimedPage) -> Result<Vec<Recipient>, StoreError> {
        let panics = self.change(|ledger| std::mem::take(&mut ledger.panics_next));
        assert!(!panics, "asked to panic");
        let PageRange::List(ids) = &page.range else {
            panic!("this queue knows lists only")
        };
        let ledger = self.ledger();
        Ok(ids.iter().map(|id| ledger.recipients[id].clone()).collect())
    }

    async fn renew_leases(&self, leases: &[Lease], until: UnixMillis) -> Result<(), StoreError> {
        self.change(|ledger| {
            ledger.renewals += leases.len();
            for lease in leases {
                if let Some(job) = ledger.job(*lease) {
                    job.due_at = until;
                }
            }
        });
        Ok(())
    }

    async fn settle(
        &self,
        page: &ClaimedPage,
        settlement: Settlement,
        _now: UnixMillis,
    ) -> Result<Settled, StoreError> {
        self.change(|ledger| settle(ledger, page.lease, settlement))
    }

    async fn release(&self, lease: Lease, due_at: UnixMillis) -> Result<(), StoreError> {
        self.change(|ledger| {
            if let Some(job) = ledger.job(lease) {
                job.due_at = due_at;
                job.lease.token = 0;
            }
        });
        Ok(())
    }
}

fn claim(ledger: &mut Ledger, now: UnixMillis, lease: Duration, most: usize) -> NextPage {
    let next = ledger
        .jobs
        .iter()
        .enumerate()
        .min_by_key(|(_, job)| job.due_at);
    let index = match next {
        Some((index, job)) if job.due_at <= now => index,
        other => {
            return NextPage::Idle {
                next_due: other.map(|(_, job)| job.due_at),
            };
        }
    };
    let token = ledger.number();
    ledger.claims += 1;
    let job = &mut ledger.jobs[index];
    let rest = job.recipients.split_off(most.min(job.recipients.len()));
    job.lease.token = token;
    job.due_at = now.plus(lease);
    let page = page(job);
    let (send, attempt) = (job.send.clone(), job.attempt);
    if !rest.is_empty() {
        ledger.push(send, rest, attempt, now);
    }
    NextPage::Claimed(Box::new(page))
}

fn page(job: &Job) -> ClaimedPage {
    ClaimedPage {
        lease: job.lease,
        send_id: SendId::trusted("snd_1".into()),
        app_id: AppId::trusted("app_1".into()),
        range: PageRange::List(job.recipients.clone()),
        attempt: job.attempt,
        payload: PAYLOAD.into(),
        ttl: job.send.ttl,
        urgency: job.send.urgency,
        topic: job.send.topic.clone(),
        accepted_at: job.send.accepted_at,
        vapid_public_key: Vec::new(),
        sealed_private_key: job.send.sealed_private_key.clone(),
    }
}

fn settle(
    ledger: &mut Ledger,
    lease: Lease,
    settlement: Settlement,
) -> Result<Settled, StoreError> {
    if ledger.failing_settlements > 0 {
        ledger.failing_settlements -= 1;
        return Err(StoreError {
            context: "settling",
            source: "asked to fail".into(),
        });
    }
    let Some(index) = ledger.jobs.iter().position(|job| job.lease == lease) else {
        return Ok(Settled::LeaseLost);
    };
    let job = ledger.jobs.swap_remove(index);
    for RetryJob {
        recipients,
        attempt,
        due_at,
    } in settlement.retries.clone()
    {
        ledger.push(job.send.clone(), recipients, attempt, due_at);
    }
    ledger.settlements.push(settlement);
    Ok(Settled::Recorded)
}
