//! What is lively in the browser. Each island works on what the server rendered and adds nothing that is needed.

mod composer;
mod copy_button;
mod live;
mod live_progress;
mod page;
mod pause;
mod preview;
mod this_browser;
mod trouble;

pub use composer::{Composer, Samples, host};
pub use copy_button::CopyButton;
pub use live::Live;
pub use live_progress::LiveProgress;
pub use preview::Preview;
pub use this_browser::{ThisBrowser, Words};
pub use trouble::TroubleTexts;
