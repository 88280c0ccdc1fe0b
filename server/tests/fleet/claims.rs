//! Which process has claimed which pages, as its own transactions have it: a copy may only come of a page whose process was hit before
//! it had settled it.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};

use hato_testkit::server::ServerLaunch;

use crate::fixtures::{Fleet, wait_until};

/// How PostgreSQL's driver is told what a process calls itself.
const NAME: &str = "PGAPPNAME";

/// A row for each claim, open until the process that made it has settled or released the page, whatever its token is by then: a process
/// that claims a page which it has in work goes on with it.
const WATCH: &str = "
    CREATE TABLE seen_claims (
        job BIGINT, token BIGINT, process TEXT, app_id TEXT, after_position BIGINT, up_to_position BIGINT, recipients TEXT,
        server TIMESTAMPTZ DEFAULT pg_postmaster_start_time(), is_open BOOLEAN DEFAULT TRUE, PRIMARY KEY (job, token)
    );
    CREATE FUNCTION see_claim() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE has_ended BOOLEAN := TG_OP = 'DELETE';
    BEGIN
        IF NOT has_ended THEN has_ended := NEW.claimed = 0; END IF;
        IF has_ended THEN
            UPDATE seen_claims SET is_open = FALSE
            WHERE job = OLD.id AND process = current_setting('application_name');
        ELSE
            INSERT INTO seen_claims (job, token, process, app_id, after_position, up_to_position, recipients)
            VALUES (NEW.id, NEW.lease_token, current_setting('application_name'), NEW.app_id, NEW.after_position,
                    NEW.up_to_position, NEW.recipients)
            ON CONFLICT (job, token)
            DO UPDATE SET up_to_position = excluded.up_to_position, recipients = excluded.recipients;
        END IF;
        RETURN NULL;
    END $$;
    CREATE TRIGGER see_claim AFTER DELETE OR UPDATE OF claimed, lease_token, up_to_position, recipients ON jobs
    FOR EACH ROW EXECUTE FUNCTION see_claim()";

/// Whom the pages reach: those of broadcasts, of lists, and, with who stands between them, of sends to a tag.
const RECIPIENTS: &str = "
    s.app_id = l.app_id AND CASE
        WHEN l.recipients IS NULL THEN s.position > l.after_position AND s.position <= l.up_to_position
        WHEN l.recipients LIKE '{%' THEN s.position > (l.recipients::JSONB ->> 'after')::BIGINT
            AND s.position <= (l.recipients::JSONB ->> 'up_to')::BIGINT
        ELSE l.recipients::JSONB @> to_jsonb(s.id) END";

/// The pages that processes have lost, and how many copies more than one each subscription may have of them.
#[derive(Debug, Default)]
pub struct Lost {
    pub pages: u64,
    copies: HashMap<String, u64>,
}

impl Lost {
    /// Adds what was lost later.
    pub fn add(&mut self, later: Self) {
        self.pages += later.pages;
        for (subscription, copies) in later.copies {
            *self.copies.entry(subscription).or_default() += copies;
        }
    }

    /// How many copies more than one the subscription may have.
    pub fn copies(&self, subscription: &str) -> u64 {
        self.copies.get(subscription).copied().unwrap_or_default()
    }
}

/// The launch of a process by a name that no other one has.
pub fn named(launch: ServerLaunch) -> ServerLaunch {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    launch.env(NAME, format!("worker-{number}"))
}

impl Fleet {
    /// From now on each claim is on record.
    pub fn watch_claims(&self) {
        self.query(WATCH);
    }

    fn name(&self, worker: usize) -> &str {
        let name = self.workers[worker].launch().variable(NAME);
        name.expect("each worker has one")
    }

    /// How many pages the worker has in work.
    pub fn holds(&self, worker: usize) -> u64 {
        let name = self.name(worker);
        let held = format!("SELECT COUNT(*) FROM seen_claims WHERE is_open AND process = '{name}'");
        self.query(&held).parse().expect("a number")
    }

    /// Waits until the database does nothing more of what a worker that is halted has asked for.
    pub async fn wait_until_quiet(&self, worker: usize) {
        let busy = format!(
            "SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = '{}' AND state <> 'idle'",
            self.name(worker)
        );
        wait_until(async || self.query(&busy) == "0", "it goes on").await;
    }

    /// Halts the first worker from `first` on that has pages in work, and says which.
    pub async fn halt_a_holder(&self, first: usize, halted: &HashSet<usize>) -> Option<usize> {
        let workers = (first..self.workers.len()).chain(0..first);
        for worker in workers.filter(|it| !halted.contains(it)) {
            self.workers[worker].pause().await;
            self.wait_until_quiet(worker).await;
            if self.holds(worker) > 0 {
                return Some(worker);
            }
            self.workers[worker].resume().await;
        }
        None
    }

    /// What the worker, which was killed or halted, has in work: others will deliver it.
    pub fn lose(&self, worker: usize) -> Lost {
        let name = self.name(worker);
        self.lose_where(&format!("process = '{name}'"))
    }

    /// What was claimed before the database's last start, and not settled since by who had claimed it.
    pub fn lose_of_earlier_databases(&self) -> Lost {
        self.lose_where("server <> pg_postmaster_start_time()")
    }

    /// Each page is lost once.
    fn lose_where(&self, condition: &str) -> Lost {
        let lost = self.query(&format!(
            "WITH l AS (UPDATE seen_claims SET is_open = FALSE WHERE is_open AND {condition} RETURNING *)
             SELECT '', COUNT(*) FROM l UNION ALL
             SELECT s.public_id, COUNT(*) FROM l JOIN subscriptions AS s ON {RECIPIENTS} GROUP BY s.public_id"
        ));
        let mut found = Lost::default();
        for line in lost.lines() {
            let (subscription, count) = line.split_once('|').expect("two columns");
            let count = count.parse().expect("a number");
            match subscription.strip_prefix("sub_") {
                Some(id) => drop(found.copies.insert(id.to_owned(), count)),
                None => found.pages = count,
            }
        }
        found
    }
}
