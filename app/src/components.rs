//! What several pages are made of.

mod code_block;
mod confirm_dialog;
mod empty_state;
mod field;
mod frame;
mod language_switch;
mod logo;
mod notice;
mod pager;
mod timestamp;
mod usage;

pub use code_block::CodeBlock;
pub use confirm_dialog::ConfirmDialog;
pub use empty_state::EmptyState;
pub use field::{Field, FieldKind, textarea_content};
pub use frame::Frame;
pub use language_switch::LanguageSwitch;
pub use logo::Logo;
pub use notice::{ErrorNote, FormErrorNote, Note, SuccessNote, Tone};
pub use pager::{Pager, older};
pub use timestamp::Timestamp;
pub use usage::Usage;
