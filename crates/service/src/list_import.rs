//! Subscribers from a list that somebody uploads (CONTRACT 16): it is read piece by piece, and registered in parts.

use hato_domain::import::{Batches, ListFormatError, ListReader, RefusedLine};
use hato_domain::wire::BulkItem;
use tokio::task::yield_now;

use crate::access::MayManage;
use crate::{Service, ServiceError, ServiceResult};

/// Most bytes of a list that are read at a stretch: they hold about a thousand lines at most, which take a few milliseconds.
const STRETCH_BYTES: usize = 2 * 1024;

/// How a list is taken.
#[derive(Clone, Debug, Default)]
pub struct ListOptions {
    /// Whether nothing is stored.
    pub is_dry_run: bool,
    /// The VAPID public key that lines without one were made with; without it they get the app's primary one.
    pub vapid_public_key: Option<String>,
    /// Most refused lines that the report has.
    pub max_refused: usize,
}

/// What became of the lines of a list.
#[derive(Debug, Default)]
pub struct ListReport {
    /// How many endpoints were new to the app.
    pub created: usize,
    /// How many were known.
    pub updated: usize,
    /// How many lines were not taken.
    pub refused: usize,
    /// The first of these.
    pub first_refused: Vec<RefusedLine>,
}

/// Why no more of a list is taken.
#[derive(Debug)]
pub enum ListError {
    /// What was uploaded is no list of subscribers.
    Format(ListFormatError),
    /// The subscriptions that were read could not be registered.
    Service(ServiceError),
}

/// A list that is being taken.
pub struct ListImport<'a> {
    service: &'a Service,
    access: &'a MayManage,
    options: ListOptions,
    reader: ListReader,
    batches: Batches,
    report: ListReport,
}

impl Service {
    /// Begins to take a list, of which nothing is there yet.
    pub fn import_list<'a>(
        &'a self,
        access: &'a MayManage,
        options: ListOptions,
    ) -> ListImport<'a> {
        ListImport {
            service: self,
            access,
            options,
            reader: ListReader::default(),
            batches: Batches::default(),
            report: ListReport::default(),
        }
    }
}

impl ListImport<'_> {
    /// Takes the next piece. It holds a part of the list in memory at most: 1,000 lines and 3 MiB.
    pub async fn read(&mut self, piece: &[u8]) -> Result<(), ListError> {
        for part in piece.chunks(STRETCH_BYTES) {
            self.reader.push(part);
            self.register_lines().await?;
            // Lines that are all wrong wait for nothing else.
            yield_now().await;
        }
        Ok(())
    }

    /// Takes note that the list has ended, and registers what is left of it.
    pub async fn finish(&mut self) -> Result<(), ListError> {
        self.reader.end();
        self.register_lines().await?;
        self.register().await.map_err(ListError::Service)
    }

    /// What became of the lines so far.
    pub fn into_report(self) -> ListReport {
        self.report
    }

    async fn register_lines(&mut self) -> Result<(), ListError> {
        while let Some(mut entry) = self.reader.next_entry().map_err(ListError::Format)? {
            if self.batches.is_full() || self.batches.is_in_the_way(&entry) {
                self.register().await.map_err(ListError::Service)?;
            }
            if let Ok(BulkItem { registration, .. }) = &mut entry.item
                && registration.vapid_public_key.is_none()
            {
                let key = &self.options.vapid_public_key;
                registration.vapid_public_key.clone_from(key);
            }
            self.batches.add(entry);
        }
        Ok(())
    }

    async fn register(&mut self) -> ServiceResult<()> {
        let items = self.batches.take_items().into_iter().map(Ok).collect();
        let is_dry_run = self.options.is_dry_run;
        let answer = self.service.register_many(self.access, items, is_dry_run);
        let answer = answer.await?;
        self.report.created += answer.created;
        self.report.updated += answer.updated;
        let refused = self.batches.settle(&answer);
        self.report.refused += refused.len();
        let room = self.options.max_refused;
        let room = room.saturating_sub(self.report.first_refused.len());
        self.report
            .first_refused
            .extend(refused.into_iter().take(room));
        Ok(())
    }
}
