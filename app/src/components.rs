//! What several pages are made of.

mod code_block;
mod confirm;
mod field;
mod frame;
mod language_switch;
mod moment;
mod nothing;
mod notice;
mod pager;
mod pigeon;
mod usage;

pub use code_block::CodeBlock;
pub use confirm::Confirm;
pub use field::{Field, Kind, text_of_area};
pub use frame::Frame;
pub use language_switch::LanguageSwitch;
pub use moment::Moment;
pub use nothing::Nothing;
pub use notice::{DoneNote, Note, Refusal, RefusalNote, Tone};
pub use pager::{Pager, older};
pub use pigeon::Pigeon;
pub use usage::Usage;
