//! What a process that delivers runs, and how it runs until it is asked to stop.

use hato_delivery::{Engine, Janitor, Scheduler, Shutdown, WebhookSender};
use hato_service::ports::Store;

use crate::backup::BackupSchedule;

/// What a process that delivers runs besides the listener.
pub struct Workers {
    /// Delivers notifications to push services.
    pub engine: Engine<dyn Store>,
    /// Posts what became of notifications to webhooks.
    pub webhooks: WebhookSender<dyn Store>,
    /// Removes what is older than the retention.
    pub janitor: Janitor,
    /// Starts scheduled sends when they are due.
    pub scheduler: Scheduler,
    /// Makes back-ups, if there is a folder for them.
    pub backups: Option<BackupSchedule>,
}

impl Workers {
    /// Runs until asked to stop. Each has a task of its own, so that none keeps another from a core; one that panics ends all.
    async fn run(self, shutdown: Shutdown) {
        let engine = tokio::spawn(self.engine.run(shutdown.clone()));
        let webhooks = tokio::spawn(self.webhooks.run(shutdown.clone()));
        let scheduler = tokio::spawn(self.scheduler.run(shutdown.clone()));
        let janitor = tokio::spawn(self.janitor.run(shutdown.clone()));
        let backups = tokio::spawn(async move {
            match self.backups {
                Some(backups) => backups.run(shutdown).await,
                None => shutdown.draining().await,
            }
        });
        let all = tokio::try_join!(engine, webhooks, scheduler, janitor, backups);
        all.expect("none is aborted, and a panic goes on as one");
    }
}

/// Lets the workers work, or waits with them for the end where there are none.
pub(super) async fn work(workers: Option<Workers>, shutdown: Shutdown) {
    match workers {
        Some(workers) => workers.run(shutdown).await,
        None => shutdown.draining().await,
    }
}
