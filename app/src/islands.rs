//! What runs in the browser. Each island works on what the server rendered and adds nothing that is needed.

mod composer;
mod copy_button;
mod live_error;
mod live_page;
mod live_progress;
mod live_refresh;
mod preview;
mod sleep;
mod this_browser;

pub use composer::{Composer, Samples, host};
pub use copy_button::CopyButton;
pub use live_error::LiveErrorTexts;
pub use live_progress::LiveProgress;
pub use live_refresh::LiveRefresh;
pub use preview::Preview;
pub use this_browser::{PushTexts, ThisBrowser};
