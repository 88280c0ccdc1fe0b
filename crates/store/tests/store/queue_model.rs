//! The queue against a model of it: claims, settlements, lost leases, retries and cancellations in any order.

mod model;

use std::time::Duration;

use hato_domain::{AppId, FailureReason, UnixMillis};
use hato_service::ports::{
    Audience, ClaimedPage, ExpiredRecipient, NewDeadLetter, PageRange, RecipientId, RetryJob,
    Settlement, StatsPeriod,
};
use hato_testkit::seeded_rng::{self, Rng};
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_store::{START, TestStore, endpoint, sent_to};
use model::{ModelPage, QueueModel};

const STEPS: usize = 400;
const APPS: usize = 2;
const SUBSCRIPTIONS: usize = 24;

/// A store and its model, to which the same is done.
struct QueueModelTest {
    test: TestStore,
    apps: Vec<AppId>,
    model: QueueModel,
    rng: Rng,
    now: UnixMillis,
    /// Pages that were claimed, leases lost or not.
    claimed: Vec<(ClaimedPage, ModelPage)>,
}

impl QueueModelTest {
    async fn new(database: TestDatabase) -> Self {
        let test = TestStore::new(database).await;
        let mut apps = Vec::new();
        for _ in 0..APPS {
            apps.push(test.app().await);
        }
        let mut model_test = Self {
            test,
            apps,
            model: QueueModel::default(),
            rng: seeded_rng::from_env(),
            now: START,
            claimed: Vec::new(),
        };
        for index in 0..SUBSCRIPTIONS {
            model_test.subscribe(index).await;
        }
        model_test
    }

    fn app_of(&self, index: usize) -> AppId {
        self.apps[index % APPS].clone()
    }

    fn random_index(&mut self, count: usize) -> usize {
        self.rng.usize(..count)
    }

    /// True in so many of a hundred cases.
    fn percent(&mut self, percent: u8) -> bool {
        self.rng.u8(..100) < percent
    }

    fn random_time(&mut self) -> UnixMillis {
        let wait = self.rng.u64(..90_000);
        self.now.plus(Duration::from_millis(wait))
    }

    async fn step(&mut self) {
        match self.rng.u8(..100) {
            0..8 => self.accept().await,
            8..40 => self.claim().await,
            40..70 => self.settle().await,
            70..75 => self.release().await,
            75..79 => self.renew().await,
            79..82 => self.cancel().await,
            82..88 => self.unsubscribe().await,
            88..93 => {
                let index = self.random_index(SUBSCRIPTIONS);
                self.subscribe(index).await;
            }
            _ => self.now = self.random_time(),
        }
        self.assert_same().await;
    }

    async fn subscribe(&mut self, index: usize) {
        let app = self.app_of(index);
        self.test.subscribe(&app, index).await;
        self.model.activate(index, &app);
    }

    async fn unsubscribe(&mut self) {
        let index = self.random_index(SUBSCRIPTIONS);
        self.test.unsubscribe(&self.app_of(index), index).await;
        self.model.deactivate(index);
    }

    async fn accept(&mut self) {
        let chosen = self.random_index(APPS);
        let app = self.apps[chosen].clone();
        let list = self.percent(40).then(|| self.random_recipients(&app));
        let endpoints = list.as_ref().map(|list| {
            let index = |it: &RecipientId| usize::try_from(it.0 - 1).expect("a number from 1");
            list.iter().map(|it| endpoint(index(it))).collect()
        });
        let audience = endpoints.map_or(Audience::Everyone, Audience::Listed);
        let send = self.test.new_send(&app, audience, self.now);
        self.model.accept(send.id.clone(), &app, list, self.now);
        self.test.accept(send).await;
    }

    /// Some of the app's active subscriptions, in the order of their numbers.
    fn random_recipients(&mut self, app: &AppId) -> Vec<RecipientId> {
        let everyone = PageRange::Positions {
            after: 0,
            up_to: i64::MAX,
        };
        let mut chosen = self.model.recipients(app, &everyone);
        chosen.retain(|_| self.percent(30));
        chosen.sort();
        chosen
    }

    async fn claim(&mut self) {
        let max = self.random_index(6) + 1;
        let page = u32::try_from(max).expect("few");
        let splits_rest = self.percent(20);
        let claimed = if splits_rest {
            self.test.try_claim_splitting(self.now, page).await
        } else {
            self.test.try_claim(self.now, page).await
        };
        let expected = self.model.claim(self.now, max, splits_rest);
        let found = claimed.as_ref().map(|page| self.to_model_page(page));
        assert_eq!(found, expected);
        self.claimed.extend(claimed.zip(expected));
    }

    /// The page as the model has it. In which order a list is kept does not matter.
    fn to_model_page(&self, page: &ClaimedPage) -> ModelPage {
        let is_it = |send: &model::ModelSend| send.id == page.send_id;
        ModelPage {
            lease: page.lease,
            send: self.model.sends.iter().position(is_it).expect("accepted"),
            range: sorted(&page.range),
            attempt: page.attempt,
        }
    }

    fn any_claimed(&mut self) -> Option<(ClaimedPage, ModelPage)> {
        if self.claimed.is_empty() {
            return None;
        }
        let index = self.random_index(self.claimed.len());
        Some(self.claimed[index].clone())
    }

    /// Settles a page that was claimed at some time, perhaps by now somebody else's, perhaps for the second time.
    async fn settle(&mut self) {
        let Some((claimed, page)) = self.any_claimed() else {
            return;
        };
        let mut recipients: Vec<_> = crate::test_store::ids(&self.test.recipients(&claimed).await);
        let mut expected = self.model.recipients(&claimed.app_id, &page.range);
        recipients.sort();
        expected.sort();
        assert_eq!(recipients, expected);
        let settlement = self.random_settlement(&recipients, page.attempt);
        let settled = self.test.settle(&claimed, settlement.clone()).await;
        assert_eq!(settled, self.model.settle(&page, &settlement));
    }

    /// Anything that can become of a page.
    fn random_settlement(&mut self, recipients: &[RecipientId], attempt: u8) -> Settlement {
        let mut settlement = Settlement::default();
        let (mut again, mut unknown) = (Vec::new(), Vec::new());
        for &recipient in recipients {
            match self.rng.u8(..10) {
                0 => settlement.expired.push(ExpiredRecipient {
                    recipient,
                    http_status: 410,
                }),
                1 => settlement.dead_letters.push(NewDeadLetter {
                    recipient,
                    reason: FailureReason::Refused,
                    http_status: Some(400),
                    attempts: attempt + 1,
                    detail: None,
                }),
                2 if attempt < 3 => again.push(recipient),
                3 => unknown.push(recipient),
                _ => settlement.sent.extend(sent_to(&[recipient])),
            }
        }
        let lists = [(attempt + 1, again), (attempt, unknown)];
        for (attempt, recipients) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            settlement.retries.push(RetryJob {
                recipients,
                attempt,
                due_at: self.random_time(),
            });
        }
        settlement
    }

    async fn release(&mut self) {
        if let Some((claimed, _)) = self.any_claimed() {
            let due_at = self.random_time();
            let (store, lease) = (&self.test.store, claimed.lease);
            let released = store.release(lease, due_at, Duration::ZERO).await;
            released.expect("done");
            self.model.release(claimed.lease, due_at);
        }
    }

    async fn renew(&mut self) {
        if let Some((claimed, _)) = self.any_claimed() {
            let until = self.random_time();
            let (store, lease) = (&self.test.store, claimed.lease);
            let renewed = store.renew_lease(lease, until, Duration::ZERO).await;
            renewed.expect("done");
            self.model.renew(claimed.lease, until);
        }
    }

    async fn cancel(&mut self) {
        if self.model.sends.is_empty() {
            return;
        }
        let index = self.random_index(self.model.sends.len());
        let send = &self.model.sends[index];
        let (app, id) = (send.app.clone(), send.id.clone());
        let cancelled = self.test.store.cancel_send(&app, &id, self.now).await;
        let expected = self.model.cancel(index, self.now);
        assert_eq!(cancelled.expect("done"), Some(expected));
    }

    async fn assert_same(&self) {
        for app in &self.apps {
            let period = StatsPeriod {
                first_day: 0,
                month: self.now.month(),
            };
            let stats = self.test.store.stats(app, period).await.expect("read");
            let stats = stats.expect("the app");
            let counts = (stats.active, stats.deactivated);
            assert_eq!(counts, self.model.subscription_counts(app));
        }
        for send in &self.model.sends {
            let record = self.test.store.send_of(&send.app, &send.id).await;
            let record = record.expect("read").expect("the send");
            assert_eq!(
                (record.status, record.recipients, record.counts),
                (send.status(), send.recipients, send.counts)
            );
        }
    }

    /// Delivers whatever is left, however late.
    async fn drain(&mut self) {
        self.now = self.now.plus(Duration::from_hours(1));
        while let Some(claimed) = self.test.try_claim(self.now, 5).await {
            let page = self.model.claim(self.now, 5, false).expect("the same page");
            let settlement = Settlement {
                sent: sent_to(&self.test.deliver(&claimed).await),
                ..Settlement::default()
            };
            self.model.settle(&page, &settlement);
        }
        self.assert_same().await;
    }
}

/// The range, with its list in order.
fn sorted(range: &PageRange) -> PageRange {
    let mut range = range.clone();
    if let PageRange::List(list) = &mut range {
        list.sort();
    }
    range
}

#[on_each_database]
async fn whatever_happens_everybody_is_accounted_for_once(database: TestDatabase) {
    assert_accounted_for(database).await;
}

#[tokio::test]
async fn so_is_everybody_in_partitions_by_app() {
    let database = TestDatabase::postgres().await;
    database.partition();
    assert_accounted_for(database).await;
}

async fn assert_accounted_for(database: TestDatabase) {
    let mut model_test = QueueModelTest::new(database).await;
    for _ in 0..STEPS {
        model_test.step().await;
    }
    model_test.drain().await;
    for send in &model_test.model.sends {
        let counts = send.counts;
        let known = counts.sent + counts.failed_expired + counts.failed_other;
        assert!(send.is_finished);
        assert_eq!(known + counts.skipped + counts.cancelled, send.recipients);
        assert!(counts.skipped >= 0, "nobody is counted twice");
    }
}
