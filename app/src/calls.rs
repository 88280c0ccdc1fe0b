//! The server functions: what forms are posted to, a few lines each over the use cases.
//!
//! Each one says who must be signed in by asking for it, and answers through `form`: a redirect for a page, a typed error
//! for a script.

mod accounts;
mod apps;
mod error;
#[cfg(feature = "ssr")]
mod form;
mod keys;
mod language;
mod sends;
mod webhooks;

pub use accounts::{LogIn, LogOut, Register, log_in, log_out, register};
pub use apps::{CreateApp, create_app};
pub use error::CallError;
#[cfg(feature = "ssr")]
pub use form::Typed;
pub use keys::{CreateKey, create_key};
#[cfg(feature = "ssr")]
pub use keys::{MadeKey, NEW_KEY};
pub use language::{ChooseLanguage, choose_language};
pub use sends::{SendToAll, send};
pub use webhooks::{
    ClearWebhook, EnableWebhook, ResendEvent, RotateSecret, SendTestEvent, SetWebhook,
    clear_webhook, enable_webhook, resend_event, rotate_webhook_secret, send_test_event,
    set_webhook,
};
