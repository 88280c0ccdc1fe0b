//! The server functions: what forms are posted to, a few lines each over the use cases.
//!
//! A form and the endpoint that it stands for are judged alike, because nothing is judged here: both make the same domain types of what
//! was sent, take the same access value and call the same use case, whose error code says why it refused. Only how that is shown differs,
//! and the order of checks: an endpoint asks for the secret that it needs before it reads the fields.
//!
//! Each one says who must be logged in by asking for it, and answers through `form`: a redirect for a page, a typed error
//! for a script. None of them checks where a request comes from or how many there are: `guard_forms` of
//! `server/src/dashboard.rs` does that for all of them, by the rules of the endpoints that they stand for (CONTRACT 3).

mod account;
mod apps;
mod audience;
mod auth;
#[cfg(feature = "ssr")]
mod draft;
mod error;
#[cfg(feature = "ssr")]
mod form;
mod keys;
mod language;
mod operator;
mod pictures;
mod review;
mod sends;
mod subscribers;
mod theme;
mod vapid_keys;
mod webhooks;

#[cfg(feature = "ssr")]
pub use account::{CHANGE_PASSWORD_PATH, DELETE_ACCOUNT_PATH};
pub use account::{
    ChangePassword, DeleteAccount, LogOutEverywhere, change_password, delete_account,
    log_out_everywhere,
};
pub use apps::{
    ChangeMessages, CreateApp, DeleteApp, RenameApp, change_messages, create_app, delete_app,
    rename_app,
};
pub use audience::{CountRecipients, count_recipients};
#[cfg(feature = "ssr")]
pub use auth::{LOG_IN_PATH, REGISTER_PATH};
pub use auth::{LogIn, LogOut, Register, log_in, log_out, register};
#[cfg(feature = "ssr")]
pub(crate) use draft::{
    AudienceDraft, CheckedDraft, ComposeStep, DraftPart, DraftRefusal, NotificationDraft,
    OptionsDraft, RichDraft, TimingDraft,
};
pub use error::ServerFunctionError;
#[cfg(feature = "ssr")]
pub(crate) use form::SubmittedFields;
pub use keys::{CreateEmbedKey, CreateKey, DeleteKey, create_embed_key, create_key, delete_key};
pub use language::{ChooseLanguage, choose_language};
#[cfg(feature = "ssr")]
pub use operator::OPERATOR_PASSWORD_PATH;
pub use operator::{
    CreateAccount, SetAccountPassword, SetAccountPlan, create_account, set_account_password,
    set_account_plan,
};
pub use pictures::{DeletePicture, MakeIcon, delete_picture, make_icon};
pub use review::{ConcludeReview, RejectApp, conclude_review, reject_app};
pub use sends::{CancelSend, SendDraftToMe, SendTest, cancel_send, send_draft_to_me, send_test};
pub use subscribers::{
    RemoveSubscriber, RemoveSubscribers, SendTestTo, SubscribeBrowser, UnsubscribeBrowser,
    remove_subscriber, remove_subscribers, send_test_to, subscribe_browser, unsubscribe_browser,
};
pub use theme::{ChooseTheme, choose_theme};
#[cfg(feature = "ssr")]
pub use vapid_keys::EXPORT_VAPID_KEY_PATH;
pub use vapid_keys::{
    AddVapidKey, DeleteVapidKey, ExportVapidKey, ImportVapidKey, MakeVapidKeyPrimary,
    add_vapid_key, delete_vapid_key, export_vapid_key, import_vapid_key, make_vapid_key_primary,
};
pub use webhooks::{
    ClearWebhook, EnableWebhook, ResendEvent, RotateSecret, SendTestEvent, SetWebhook,
    clear_webhook, enable_webhook, resend_event, rotate_webhook_secret, send_test_event,
    set_webhook,
};
