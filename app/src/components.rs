//! What several pages are made of.

#![expect(
    clippy::needless_pass_by_value,
    reason = "a component owns its properties"
)]

mod code_block;
mod confirm_dialog;
mod empty_state;
mod fact;
mod field;
mod file_field;
mod frame;
mod language_switch;
mod list;
mod logo;
mod notice;
mod pager;
mod palette;
mod post_form;
mod shared_link;
mod switch;
mod theme_switch;
mod timestamp;
mod usage;

pub use code_block::{CodeBlock, StaticCodeBlock};
pub use confirm_dialog::ConfirmDialog;
pub use empty_state::EmptyState;
pub use fact::Fact;
pub use field::{Field, FieldKind, textarea_content};
pub use file_field::{FileField, PICTURE_FILES};
pub use frame::Frame;
pub use language_switch::LanguageSwitch;
pub use list::{Column, List, NumberCell, Table, TimeCell};
pub use logo::Logo;
pub use notice::{ErrorNote, FormErrorNote, Note, RowErrorNote, SuccessNote, Tone};
pub use pager::{Pager, older, older_than};
pub use palette::Palette;
pub use post_form::{HiddenFields, PostForm};
pub use shared_link::SharedLink;
pub use theme_switch::ThemeSwitch;
pub use timestamp::{TimeStyle, Timestamp};
pub use usage::Usage;
