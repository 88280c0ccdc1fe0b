//! What is lively in the browser. Each island works on what the server rendered and adds nothing that is needed.

mod copy_button;
mod live_history;
mod payload_meter;

pub use copy_button::CopyButton;
pub use live_history::LiveHistory;
pub use payload_meter::PayloadMeter;
