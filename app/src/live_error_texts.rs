//! What a page says that is not kept up to date any more.

use crate::text_list::text_list;

text_list! {
    /// The sentence for each way in which that happens.
    LiveErrorTexts {
        /// Shown when the server cannot be reached, while it is asked again.
        unreachable,
        /// Shown when there is nothing more to be seen, after which nothing is refreshed any more.
        gone,
    }
}
