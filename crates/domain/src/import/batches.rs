//! The lines of a list as bulk registrations, and what became of each.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};

use serde::Serialize;

use super::{EntryError, ListEntry};
use crate::RegistrationFault;
use crate::wire::{BulkItem, MAX_BULK_ITEMS, RegisteredMany};

/// Most bytes of the items of a request, so that its body stays below 4 MiB.
const MAX_BATCH_BYTES: usize = 3 * 1024 * 1024;

/// A line that was not taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RefusedLine {
    /// Its number, from 1 on.
    pub line: u64,
    /// The code of [`EntryError`], or one that a bulk registration rejects with.
    pub code: String,
    /// The same as a sentence.
    pub message: String,
    /// The same for whoever has words of their own for it; `None` for what the server says of a line that is right in itself, or says
    /// over the wire.
    #[serde(skip)]
    pub fault: Option<LineFault>,
}

/// What is wrong with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineFault {
    /// It is no registration.
    Entry(EntryError),
    /// The registration is not right.
    Registration(RegistrationFault),
}

/// Puts lines together to bulk registrations. The first line of an endpoint that is taken counts; whether it is, the answer says.
#[derive(Default)]
pub struct Batches {
    hashes: RandomState,
    /// The endpoints that were taken, by their hashes.
    taken: HashSet<u64>,
    items: Vec<BulkItem>,
    /// Line and endpoint of each.
    lines: Vec<(u64, u64)>,
    /// The endpoints of the items.
    waiting: HashSet<u64>,
    bytes: usize,
    refused: Vec<RefusedLine>,
}

impl Batches {
    /// Whether what waits has to be registered before this line is added: whether a line before it is good is not known yet.
    pub fn is_in_the_way(&self, entry: &ListEntry) -> bool {
        let hash = entry.item.as_ref().map(|item| self.hash(item));
        hash.is_ok_and(|hash| self.waiting.contains(&hash))
    }

    /// Whether no more is to be added.
    pub fn is_full(&self) -> bool {
        self.items.len() == MAX_BULK_ITEMS
            || self.refused.len() >= MAX_BULK_ITEMS
            || self.bytes > MAX_BATCH_BYTES
    }

    /// The item with its hash, unless it was there before.
    fn hashed(&self, item: BulkItem) -> Result<(BulkItem, u64), EntryError> {
        let hash = self.hash(&item);
        if self.taken.contains(&hash) {
            return Err(EntryError::Duplicate);
        }
        Ok((item, hash))
    }

    /// Adds a line, which waits to be registered or is refused.
    pub fn add(&mut self, entry: ListEntry) {
        match entry.item.and_then(|item| self.hashed(item)) {
            Ok((item, hash)) => {
                self.bytes += serde_json::to_vec(&item).map_or(0, |json| json.len());
                self.items.push(item);
                self.lines.push((entry.line, hash));
                self.waiting.insert(hash);
            }
            Err(error) => self.refused.push(RefusedLine {
                line: entry.line,
                code: error.code().to_owned(),
                message: error.message().to_owned(),
                fault: Some(LineFault::Entry(error)),
            }),
        }
    }

    /// Remembers the endpoint of a line that was taken before.
    pub fn remember(&mut self, item: &BulkItem) {
        let hash = self.hash(item);
        self.taken.insert(hash);
    }

    /// What waits to be registered.
    pub fn items(&self) -> &[BulkItem] {
        &self.items
    }

    /// Takes the items out, to be answered with [`Self::settle`].
    pub fn take_items(&mut self) -> Vec<BulkItem> {
        std::mem::take(&mut self.items)
    }

    /// The items that were taken, by the answer to them.
    pub fn taken(&self, answer: &RegisteredMany) -> impl Iterator<Item = &BulkItem> {
        let rejected: HashSet<usize> = answer.rejected.iter().map(|it| it.index).collect();
        let items = self.items.iter().enumerate();
        items.filter_map(move |(index, item)| (!rejected.contains(&index)).then_some(item))
    }

    /// Ends the batch with the answer to its items. Returns what was refused of it, in the order of the lines.
    pub fn settle(&mut self, answer: &RegisteredMany) -> Vec<RefusedLine> {
        let mut refused = std::mem::take(&mut self.refused);
        let mut lines = std::mem::take(&mut self.lines);
        for it in &answer.rejected {
            let Some((line, hash)) = lines.get_mut(it.index) else {
                continue;
            };
            self.waiting.remove(hash);
            refused.push(RefusedLine {
                line: *line,
                code: it.code.clone(),
                message: it.message.clone(),
                fault: it.fault.map(LineFault::Registration),
            });
        }
        self.taken.extend(self.waiting.drain());
        self.items.clear();
        self.bytes = 0;
        refused.sort_by_key(|it| it.line);
        refused
    }

    fn hash(&self, item: &BulkItem) -> u64 {
        self.hashes.hash_one(item.endpoint())
    }
}
