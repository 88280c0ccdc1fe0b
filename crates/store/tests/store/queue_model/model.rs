//! The queue's rules once more, in memory and without regard to speed.

use std::collections::HashMap;

use hato_domain::{AppId, SendId, UnixMillis};
use hato_service::ports::{
    JobId, PageLease, PageRange, RecipientId, RetryJob, SendCounts, SendStatus, SettleOutcome,
    Settlement,
};

use super::sorted;
use crate::test_store::LEASE;

/// A subscription, in the order of registration over all apps.
pub struct ModelSubscription {
    pub app: AppId,
    pub position: Option<i64>,
}

pub struct ModelSend {
    pub id: SendId,
    pub app: AppId,
    pub recipients: i64,
    pub counts: SendCounts,
    pub is_claimed: bool,
    pub is_cancelled: bool,
    pub is_finished: bool,
}

#[derive(Clone)]
struct ModelJob {
    number: i64,
    send: usize,
    range: PageRange,
    attempt: u8,
    due_at: UnixMillis,
    token: i64,
    is_claimed: bool,
}

/// A page as a claim gives it.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelPage {
    pub lease: PageLease,
    pub send: usize,
    pub range: PageRange,
    pub attempt: u8,
}

#[derive(Default)]
pub struct QueueModel {
    pub subscriptions: Vec<ModelSubscription>,
    pub sends: Vec<ModelSend>,
    jobs: Vec<ModelJob>,
    last_job: i64,
    /// The last position that each app has given.
    positions: HashMap<AppId, i64>,
}

impl QueueModel {
    /// Activates a subscription by its number from 0, or a new one.
    pub fn activate(&mut self, index: usize, app: &AppId) {
        if index == self.subscriptions.len() {
            self.subscriptions.push(ModelSubscription {
                app: app.clone(),
                position: None,
            });
        }
        if self.subscriptions[index].position.is_none() {
            let last = self.positions.entry(app.clone()).or_default();
            *last += 1;
            self.subscriptions[index].position = Some(*last);
        }
    }

    pub fn deactivate(&mut self, index: usize) {
        self.subscriptions[index].position = None;
    }

    /// How many active and how many deactivated subscriptions the app has.
    pub fn subscription_counts(&self, app: &AppId) -> (i64, i64) {
        let own = self.subscriptions.iter().filter(|it| it.app == *app);
        own.fold((0, 0), |(active, deactivated), it| match it.position {
            Some(_) => (active + 1, deactivated),
            None => (active, deactivated + 1),
        })
    }

    /// The app's active subscriptions in this range, in its order.
    pub fn recipients(&self, app: &AppId, range: &PageRange) -> Vec<RecipientId> {
        match range {
            PageRange::Positions { after, up_to } => self.positioned(app, *after, *up_to),
            PageRange::List(list) => {
                let is_active = |it: &&RecipientId| self.position(**it).is_some();
                list.iter().filter(is_active).copied().collect()
            }
            PageRange::Selected(_) => panic!("the model accepts no send to a part of the audience"),
        }
    }

    fn positioned(&self, app: &AppId, after: i64, up_to: i64) -> Vec<RecipientId> {
        let mut found: Vec<(i64, RecipientId)> = (1..)
            .zip(&self.subscriptions)
            .filter(|(_, it)| it.app == *app)
            .filter_map(|(number, it)| Some((it.position?, RecipientId(number))))
            .filter(|(position, _)| *position > after && *position <= up_to)
            .collect();
        found.sort();
        found.into_iter().map(|(_, number)| number).collect()
    }

    fn position(&self, recipient: RecipientId) -> Option<i64> {
        let index = usize::try_from(recipient.0 - 1).expect("a number from 1");
        self.subscriptions[index].position
    }

    /// Accepts a send to everyone, or to these, and returns the number of its recipients.
    pub fn accept(
        &mut self,
        id: SendId,
        app: &AppId,
        list: Option<Vec<RecipientId>>,
        now: UnixMillis,
    ) -> i64 {
        let range = match list {
            Some(list) => PageRange::List(list),
            None => PageRange::Positions {
                after: 0,
                up_to: self.positions.get(app).copied().unwrap_or(0),
            },
        };
        let recipients = self.recipients(app, &range).len();
        let recipients = i64::try_from(recipients).expect("few");
        self.sends.push(ModelSend {
            id,
            app: app.clone(),
            recipients,
            counts: SendCounts::default(),
            is_claimed: false,
            is_cancelled: false,
            is_finished: recipients == 0,
        });
        if recipients > 0 {
            self.queue(self.sends.len() - 1, range, 0, now);
        }
        recipients
    }

    fn queue(&mut self, send: usize, range: PageRange, attempt: u8, due_at: UnixMillis) {
        self.last_job += 1;
        self.jobs.push(ModelJob {
            number: self.last_job,
            send,
            range,
            attempt,
            due_at,
            token: 0,
            is_claimed: false,
        });
    }

    pub fn claim(&mut self, now: UnixMillis, max: usize, splits_rest: bool) -> Option<ModelPage> {
        let due = self
            .jobs
            .iter()
            .enumerate()
            .filter(|(_, job)| job.due_at <= now);
        let (index, _) = due.min_by_key(|(_, job)| (job.due_at, job.number))?;
        self.split(index, now, max, splits_rest);
        let job = &mut self.jobs[index];
        job.due_at = now.plus(LEASE);
        job.token += 1;
        job.is_claimed = true;
        self.sends[job.send].is_claimed = true;
        Some(ModelPage {
            lease: PageLease {
                job: JobId(job.number),
                token: job.token,
            },
            send: job.send,
            range: sorted(&job.range),
            attempt: job.attempt,
        })
    }

    /// Leaves the job at `index` a page, and queues the rest, as two parts if it is to be split, the first of them whole pages.
    fn split(&mut self, index: usize, now: UnixMillis, max: usize, splits_rest: bool) {
        let job = self.jobs[index].clone();
        let PageRange::Positions { after, up_to } = job.range else {
            return;
        };
        let app = self.sends[job.send].app.clone();
        let Some(beyond) = self.positioned(&app, after, up_to).get(max).copied() else {
            return;
        };
        let end = self.position(beyond).expect("it is active") - 1;
        self.jobs[index].range = PageRange::Positions { after, up_to: end };
        let page = i64::try_from(max).expect("few");
        let is_halved = splits_rest && up_to - end > page;
        let middle = if is_halved {
            end + ((up_to - end) / 2 / page).max(1) * page
        } else {
            end
        };
        if is_halved {
            self.queue_part(job.send, (end, middle), now);
        }
        self.queue_part(job.send, (middle, up_to), now);
    }

    fn queue_part(&mut self, send: usize, (after, up_to): (i64, i64), now: UnixMillis) {
        self.queue(send, PageRange::Positions { after, up_to }, 0, now);
    }

    fn find_job(&self, lease: PageLease) -> Option<usize> {
        let is_it = |job: &ModelJob| (job.number, job.token) == (lease.job.0, lease.token);
        self.jobs.iter().position(is_it)
    }

    pub fn settle(&mut self, page: &ModelPage, settlement: &Settlement) -> SettleOutcome {
        let Some(index) = self.find_job(page.lease) else {
            return SettleOutcome::LeaseLost;
        };
        let job = self.jobs.remove(index);
        let counts = &mut self.sends[job.send].counts;
        counts.sent += i64::try_from(settlement.sent.len()).expect("few");
        counts.failed_expired += i64::try_from(settlement.expired.len()).expect("few");
        counts.failed_other += i64::try_from(settlement.dead_letters.len()).expect("few");
        for expired in &settlement.expired {
            self.expire(expired.recipient, &page.range);
        }
        for retry in &settlement.retries {
            self.retry(job.send, retry);
        }
        self.finish(job.send);
        SettleOutcome::Recorded
    }

    /// Whoever has subscribed again after the page was made stays.
    fn expire(&mut self, recipient: RecipientId, range: &PageRange) {
        let is_later = match range {
            PageRange::Positions { up_to, .. } => self.position(recipient) > Some(*up_to),
            PageRange::List(_) | PageRange::Selected(_) => false,
        };
        if !is_later {
            self.deactivate(usize::try_from(recipient.0 - 1).expect("a number from 1"));
        }
    }

    fn retry(&mut self, send: usize, retry: &RetryJob) {
        if self.sends[send].is_cancelled {
            let recipients = i64::try_from(retry.recipients.len()).expect("few");
            self.sends[send].counts.cancelled += recipients;
        } else {
            let range = PageRange::List(retry.recipients.clone());
            self.queue(send, range, retry.attempt, retry.due_at);
        }
    }

    fn finish(&mut self, send: usize) {
        if self.jobs.iter().any(|job| job.send == send) {
            return;
        }
        let send = &mut self.sends[send];
        let known = send.counts;
        send.is_finished = true;
        send.counts.skipped = send.recipients
            - known.sent
            - known.failed_expired
            - known.failed_other
            - known.cancelled;
    }

    pub fn release(&mut self, lease: PageLease, due_at: UnixMillis) {
        if let Some(index) = self.find_job(lease) {
            let job = &mut self.jobs[index];
            (job.due_at, job.is_claimed) = (due_at, false);
            job.token += 1;
        }
    }

    pub fn renew(&mut self, lease: PageLease, until: UnixMillis) {
        if let Some(index) = self.find_job(lease) {
            self.jobs[index].due_at = until;
        }
    }

    /// Cancels a send, and returns how many were taken out of the queue.
    pub fn cancel(&mut self, send: usize, now: UnixMillis) -> i64 {
        if self.sends[send].is_finished {
            return 0;
        }
        self.sends[send].is_cancelled = true;
        let app = self.sends[send].app.clone();
        let is_free = |job: &ModelJob| job.send == send && (!job.is_claimed || job.due_at <= now);
        let (free, kept): (Vec<_>, Vec<_>) = self.jobs.drain(..).partition(is_free);
        self.jobs = kept;
        let sizes = free.iter().map(|job| match &job.range {
            PageRange::List(list) => list.len(),
            range => self.recipients(&app, range).len(),
        });
        let cancelled = i64::try_from(sizes.sum::<usize>()).expect("few");
        self.sends[send].counts.cancelled += cancelled;
        self.finish(send);
        cancelled
    }
}

impl ModelSend {
    pub fn status(&self) -> SendStatus {
        match (self.is_finished, self.is_claimed) {
            (true, _) if self.counts.cancelled > 0 => SendStatus::Cancelled,
            (true, _) => SendStatus::Done,
            (false, true) => SendStatus::Sending,
            (false, false) => SendStatus::Queued,
        }
    }
}
