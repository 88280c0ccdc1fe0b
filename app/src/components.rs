//! What several pages are made of.

mod code_block;
mod field;
mod frame;
mod language_switch;
mod notice;
mod pigeon;

pub use code_block::CodeBlock;
pub use field::{Field, Kind};
pub use frame::Frame;
pub use language_switch::LanguageSwitch;
pub use notice::{Note, RefusalNote, Tone};
pub use pigeon::Pigeon;
