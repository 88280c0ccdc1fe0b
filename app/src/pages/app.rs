//! An app's pages.

mod chart;
mod checklist;
mod compose;
mod dead_letters;
mod embed;
mod frame;
mod history;
mod key_events;
mod keys;
mod new_key;
mod overview;
mod send;
mod settings;
mod subscribers;
mod this_browser;
mod webhook;

pub use compose::ComposePage;
pub use dead_letters::DeadLettersPage;
pub use history::HistoryPage;
pub use key_events::KeyEventsPage;
pub use keys::KeysPage;
pub use overview::OverviewPage;
pub use send::{Progress, SendPage, Standing};
pub use settings::SettingsPage;
pub use subscribers::SubscribersPage;
pub use webhook::WebhookPage;

use hato_domain::PageRequest;
use hato_service::ServiceResult;
use hato_service::access::MayManage;
use hato_service::ports::AppRecord;

use crate::visit::Visit;

/// Items on a page of a list.
const ITEMS: &str = "20";

/// The right to manage the app that the path names, for who is signed in, and the app.
async fn managed(visit: &Visit) -> ServiceResult<(MayManage, AppRecord)> {
    let owner = visit.owner().await?;
    let id = segment(visit, 1);
    visit.service().managed(&owner, id).await
}

/// A segment of the path, counted from 0.
fn segment(visit: &Visit, number: usize) -> &str {
    let mut segments = visit.path().split('/').skip(1);
    segments.nth(number).unwrap_or_default()
}

/// The page of a list that `before` and `before_id` ask for.
fn asked_for(visit: &Visit) -> ServiceResult<PageRequest> {
    let (before, before_id) = (visit.query("before"), visit.query("before_id"));
    let page = PageRequest::parse(Some(ITEMS), before.as_deref(), before_id.as_deref());
    Ok(page?)
}
