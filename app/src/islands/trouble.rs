//! Why what is shown may not be how it is.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::page::Seen;

/// What stands in the way.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// The server cannot be reached.
    Unreachable,
    /// There is nothing more to be seen: the session is over, or what was shown is gone.
    Over,
}

/// How each is said.
#[derive(Clone, Serialize, Deserialize)]
pub struct TroubleTexts {
    /// For [`Trouble::Unreachable`].
    pub unreachable: String,
    /// For [`Trouble::Over`].
    pub over: String,
}

impl Trouble {
    /// What a look at the page means.
    pub fn of(seen: Seen) -> Option<Self> {
        match seen {
            Seen::Changed | Seen::Same => None,
            Seen::Nothing => Some(Self::Unreachable),
            Seen::Over => Some(Self::Over),
        }
    }
}

/// Says it while there is any.
#[component]
pub fn TroubleNote(trouble: RwSignal<Option<Trouble>>, texts: TroubleTexts) -> impl IntoView {
    let said = move || match trouble.get() {
        None => String::new(),
        Some(Trouble::Unreachable) => texts.unreachable.clone(),
        Some(Trouble::Over) => texts.over.clone(),
    };
    view! {
        <p class="note mind" role="status" hidden=move || trouble.get().is_none()>
            {said}
        </p>
    }
}
