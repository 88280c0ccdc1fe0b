//! How a notification looks.

use leptos::prelude::*;

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
                <b>{title}</b>
                <p>{body}</p>
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
        </div>
    }
}
