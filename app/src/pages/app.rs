//! The pages below `/apps/{id}`, which only the owner of the app sees, and what loads the app for them.

mod advice;
mod audience;
mod chart;
mod checklist;
mod compose;
mod daily_numbers;
mod dead_letters;
mod delivery_bar;
mod delivery_facts;
mod device;
mod device_shares;
mod embed;
mod frame;
mod growth;
mod history;
mod import;
mod key_events;
mod keys;
mod overview;
mod revealed_key;
mod search_field;
mod send;
mod sender;
mod settings;
mod subscriber;
mod subscribers;
mod this_browser;
mod vapid_keys;
mod webhook;

pub use audience::AudiencePage;
pub use compose::ComposePage;
pub use dead_letters::DeadLettersPage;
pub use device::Device;
pub use embed::EmbedPage;
pub use frame::{Section, app_path};
pub use history::{HistoryPage, history_filter};
pub use import::ImportPage;
pub use key_events::KeyEventsPage;
pub use keys::KeysPage;
pub use overview::OverviewPage;
pub use send::{Progress, SendPage};
pub use settings::SettingsPage;
pub use subscriber::SubscriberPage;
pub use subscribers::{SubscribersPage, subscriber_filter};
pub use vapid_keys::VapidKeysPage;
pub use webhook::WebhookPage;

use hato_domain::PageRequest;
use hato_service::ServiceResult;
use hato_service::access::MayManage;
use hato_service::ports::AppRecord;

use crate::request_context::RequestContext;

/// Items on a page of a list.
const PAGE_SIZE: &str = "20";

/// The right to manage the app that the path names, for who is logged in, and the app.
async fn load_app(ctx: &RequestContext) -> ServiceResult<(MayManage, AppRecord)> {
    ctx.managed_app(path_segment(ctx, 1)).await
}

/// A segment of the path, counted from 0.
fn path_segment(ctx: &RequestContext, number: usize) -> &str {
    let mut segments = ctx.path().split('/').skip(1);
    segments.nth(number).unwrap_or_default()
}

/// The page of a list that `before` and `before_id` ask for, of so many items.
fn requested_page(ctx: &RequestContext, size: &str) -> ServiceResult<PageRequest> {
    let (before, before_id) = (ctx.query("before"), ctx.query("before_id"));
    let page = PageRequest::parse(Some(size), before.as_deref(), before_id.as_deref());
    Ok(page?)
}
