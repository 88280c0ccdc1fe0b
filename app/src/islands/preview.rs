//! How a notification looks.

use leptos::prelude::*;

/// Buttons of a notification that Chrome shows.
const SHOWN_BUTTONS: usize = 2;

/// A notification as browsers draw it, more or less.
#[component]
pub fn Preview(
    /// The notification's title, in bold.
    #[prop(into)]
    title: Signal<String>,
    /// The notification's text, below the title.
    #[prop(into)]
    body: Signal<String>,
    /// The icon's URL; nothing without one.
    #[prop(into)]
    icon: Signal<String>,
    /// The badge's URL; nothing without one.
    #[prop(optional, into)]
    badge: Signal<String>,
    /// The large picture's URL; nothing without one.
    #[prop(optional, into)]
    image: Signal<String>,
    /// What its buttons show.
    #[prop(optional, into)]
    buttons: Signal<Vec<String>>,
    /// Which site it comes from.
    #[prop(into)]
    site: Signal<String>,
    /// Called when the icon cannot be loaded.
    #[prop(optional)]
    on_broken_icon: Option<Callback<()>>,
) -> impl IntoView {
    view! {
        <div class="notification" translate="no">
            <span class="notification-app" aria-hidden="true">
                {move || {
                    let badge = badge.get();
                    (!badge.is_empty())
                        .then(|| {
                            view! {
                                <img src=badge alt="" width="16" height="16" referrerpolicy="no-referrer" />
                            }
                        })
                }}
            </span>
            <p class="notification-site">{site}</p>
            <div class="notification-text">
                <b dir="auto">{title}</b>
                <p dir="auto">{body}</p>
            </div>
            {move || {
                let icon = icon.get();
                (!icon.is_empty())
                    .then(|| {
                        view! {
                            <img
                                src=icon
                                alt=""
                                width="48"
                                height="48"
                                referrerpolicy="no-referrer"
                                on:error=move |_| {
                                    if let Some(tell) = on_broken_icon {
                                        tell.run(());
                                    }
                                }
                            />
                        }
                    })
            }}
            <PreviewExtras image buttons />
        </div>
    }
}

/// The large picture and the buttons, as many as Chrome shows; nothing without any.
#[component]
fn PreviewExtras(image: Signal<String>, buttons: Signal<Vec<String>>) -> impl IntoView {
    let picture = move || {
        let image = image.get();
        (!image.is_empty()).then(|| view! { <img src=image alt="" referrerpolicy="no-referrer" /> })
    };
    let button = |text: String| view! { <span dir="auto">{text}</span> };
    let row = move || {
        let shown = buttons.get().into_iter().take(SHOWN_BUTTONS);
        shown.map(button).collect_view()
    };
    view! {
        <div class="notification-extras">
            {picture}
            <p class="notification-buttons">{row}</p>
        </div>
    }
}
