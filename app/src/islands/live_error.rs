//! Why what is shown may be out of date.

use leptos::prelude::*;

use super::live_page::RefreshOutcome;
use crate::live_error_texts::LiveErrorTexts;

/// Why the page is not kept up to date.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum LiveError {
    /// The server cannot be reached.
    Unreachable,
    /// There is nothing more to be seen: the session is over, or what was shown is gone.
    Gone,
}

impl LiveError {
    /// What the outcome of a refresh means.
    pub fn from_refresh(outcome: RefreshOutcome) -> Option<Self> {
        match outcome {
            RefreshOutcome::Changed | RefreshOutcome::Unchanged => None,
            RefreshOutcome::Unavailable => Some(Self::Unreachable),
            RefreshOutcome::Gone => Some(Self::Gone),
        }
    }
}

/// A note that is seen while there is an error.
#[component]
pub fn LiveErrorNote(error: RwSignal<Option<LiveError>>, texts: LiveErrorTexts) -> impl IntoView {
    let text = move || match error.get() {
        None => String::new(),
        Some(LiveError::Unreachable) => texts.unreachable.clone(),
        Some(LiveError::Gone) => texts.gone.clone(),
    };
    view! {
        <p class="note warning" role="status" hidden=move || error.get().is_none()>
            {text}
        </p>
    }
}
