//! Hato's logo, a pigeon.

use leptos::prelude::*;

/// The logo, drawn in the colours of the style sheet. It says nothing that the text beside it does not.
#[component]
pub fn Logo() -> impl IntoView {
    view! {
        <svg class="logo" viewBox="0 0 64 64" aria-hidden="true" focusable="false">
            <path class="logo-tail" d="M3 49 22 37l9 10-12 8z" />
            <path
                class="logo-body"
                d="M46 9c7 0 11 5 11 11 0 4-2 6-3 10-2 14-12 24-27 24-8 0-13-3-15-7 9 0 14-5 17-12C33 25 34 9 46 9z"
            />
            <path
                class="logo-neck"
                d="M37 18c4 6 11 9 18 9-1 3-1 6-3 10-8 0-15-4-19-10 1-3 2-6 4-9z"
            />
            <path class="logo-wing" d="M9 44c13-1 17-15 30-14 3 10-6 20-19 20-5 0-9-2-11-6z" />
            <path class="logo-beak" d="m56 16 7 4-6 3z" />
            <circle class="logo-eye" cx="48.5" cy="17.5" r="2.6" />
        </svg>
    }
}
