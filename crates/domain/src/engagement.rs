//! What recipients do with a notification, as their browsers report it (CONTRACT 15).

use std::time::Duration;

use crate::text_enum;

text_enum!(
    /// What a recipient did with a notification (CONTRACT 15).
    #[derive(PartialOrd, Ord)]
    Engagement {
        /// The browser has shown it.
        Displayed = "displayed",
        /// It was clicked, or one of its buttons.
        Clicked = "clicked",
        /// It was closed without a click.
        Dismissed = "dismissed",
    }
);

impl Engagement {
    /// For how long after a message was made its token counts, to the end of the hour.
    pub const REPORTED_WITHIN: Duration = Duration::from_hours(7 * 24);
}
