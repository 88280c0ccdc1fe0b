//! What runs in the browser. Each island works on what the server rendered and adds nothing that is needed.

mod composer;
mod copy_button;
mod live_error;
mod live_page;
mod live_progress;
mod live_refresh;
mod local_clock;
mod preview;
mod preview_tabs;
mod recipient_count;
mod sleep;
mod this_browser;
mod time_field;

pub use composer::{Composer, PictureTexts, Samples, Written};
pub use copy_button::CopyButton;
pub use live_progress::LiveProgress;
pub use live_refresh::LiveRefresh;
pub use preview::Preview;
pub use preview_tabs::{PreviewTabs, PreviewTexts};
pub use recipient_count::RecipientCount;
pub use this_browser::{PushTexts, REFUSALS, SendToMe, ThisBrowser};
pub use time_field::{TimeField, TimeFieldTexts};
