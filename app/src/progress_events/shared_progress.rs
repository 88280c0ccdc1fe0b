//! How far a send is, read once for everybody who listens to it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use hato_domain::SendId;
use hato_service::access::MayManage;
use hato_service::{Service, ServiceResult};
use leptos::prelude::{IntoAny as _, Owner, RenderHtml as _, view};
use tokio::sync::Mutex as ReadMutex;
use tokio::time::Instant;

use super::POLL_INTERVAL;
use super::rate_meter::RateMeter;
use crate::i18n::Texts;
use crate::language::Lang;
use crate::pages::Progress;
use crate::send_snapshot::SendSnapshot;

/// The sends that somebody listens to.
#[derive(Default)]
pub struct ProgressHub {
    sends: Mutex<HashMap<SendId, Weak<SharedProgress>>>,
}

impl ProgressHub {
    /// The progress of the send, shared with all who listen to it. Sends that nobody listens to are forgotten.
    pub fn join(&self, send: SendId) -> Arc<SharedProgress> {
        let mut sends = self.sends.lock().unwrap_or_else(PoisonError::into_inner);
        sends.retain(|_, shared| shared.strong_count() > 0);
        if let Some(shared) = sends.get(&send).and_then(Weak::upgrade) {
            return shared;
        }
        let shared = Arc::new(SharedProgress {
            send: send.clone(),
            reading: ReadMutex::default(),
        });
        sends.insert(send, Arc::downgrade(&shared));
        shared
    }
}

/// A send's progress as of its last read.
pub struct SharedProgress {
    send: SendId,
    /// Locked during a read, so that those who come meanwhile share what it finds.
    reading: ReadMutex<Option<ProgressReading>>,
}

/// What one read has found.
struct ProgressReading {
    at: Instant,
    snapshot: SendSnapshot,
    rate_meter: RateMeter,
    /// The page's part in the languages that were asked for.
    parts: Vec<(Lang, Arc<str>)>,
}

/// The part of a send's page that shows its progress, as HTML in one language.
#[derive(Clone)]
pub struct ProgressView {
    pub html: Arc<str>,
    /// Whether it will not change any more.
    pub is_over: bool,
}

impl SharedProgress {
    /// The page's part in a language, not older than a tick. Whoever asks may manage the app of the send.
    pub async fn view(
        &self,
        service: &Service,
        access: &MayManage,
        language: Lang,
    ) -> ServiceResult<ProgressView> {
        let mut reading = self.reading.lock().await;
        let current = match reading.take() {
            Some(current) if current.at.elapsed() < POLL_INTERVAL => current,
            before => self.read(service, access, before).await?,
        };
        Ok(reading.insert(current).view(language))
    }

    async fn read(
        &self,
        service: &Service,
        access: &MayManage,
        before: Option<ProgressReading>,
    ) -> ServiceResult<ProgressReading> {
        let send = service.sent(access, self.send.as_str()).await?;
        let (snapshot, mut rate_meter) = if let Some(before) = before {
            let snapshot = before.snapshot.reload(service, access, send);
            (snapshot.await?, before.rate_meter)
        } else {
            let snapshot = SendSnapshot::load(service, access, send);
            (snapshot.await?, RateMeter::default())
        };
        let at = Instant::now();
        let rate = rate_meter.measure(at, snapshot.settled());
        let rate = rate.filter(|_| snapshot.is_running());
        Ok(ProgressReading {
            at,
            snapshot: snapshot.with_rate(rate),
            rate_meter,
            parts: Vec::new(),
        })
    }
}

impl ProgressReading {
    fn view(&mut self, language: Lang) -> ProgressView {
        ProgressView {
            html: self.part(language),
            is_over: !self.snapshot.is_running(),
        }
    }

    /// The page's part, made for the first who asks for it.
    fn part(&mut self, language: Lang) -> Arc<str> {
        if let Some((_, part)) = self.parts.iter().find(|(made, _)| *made == language) {
            return Arc::clone(part);
        }
        let texts = &Texts::for_language(language).app;
        let snapshot = self.snapshot.clone();
        let html = Owner::new().with(|| view! { <Progress texts snapshot /> }.into_any().to_html());
        let part: Arc<str> = html.into();
        self.parts.push((language, Arc::clone(&part)));
        part
    }
}
