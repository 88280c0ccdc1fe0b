//! How a notification looks.

use leptos::prelude::*;

/// Buttons of a notification that Chrome shows.
const SHOWN_BUTTONS: usize = 2;

/// Where the preview has its pictures, by their numbers: icon, badge and large picture.
pub const PICTURES: [&str; 3] = [
    ".preview .notification > img",
    ".preview .notification-app > img",
    ".preview .notification-extras > img",
];

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
    /// Called with the number of a picture that cannot be loaded.
    #[prop(optional)]
    on_broken: Option<Callback<usize>>,
) -> impl IntoView {
    let tell = move |number: usize| {
        if let Some(on_broken) = on_broken {
            on_broken.run(number);
        }
    };
    view! {
        <div class="notification" translate="no">
            <span class="notification-app" aria-hidden="true">
                {move || {
                    let badge = badge.get();
                    (!badge.is_empty())
                        .then(|| {
                            view! {
                                <img
                                    src=badge
                                    alt=""
                                    width="16"
                                    height="16"
                                    referrerpolicy="no-referrer"
                                    on:error=move |_| tell(1)
                                />
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
                                on:error=move |_| tell(0)
                            />
                        }
                    })
            }}
            <PreviewExtras image buttons on_broken=Callback::new(move |()| tell(2)) />
        </div>
    }
}

/// The large picture and the buttons, as many as Chrome shows; nothing without any.
#[component]
fn PreviewExtras(
    image: Signal<String>,
    buttons: Signal<Vec<String>>,
    /// Called when the picture cannot be loaded.
    on_broken: Callback<()>,
) -> impl IntoView {
    let picture = move || {
        let image = image.get();
        (!image.is_empty()).then(|| {
            view! {
                <img
                    src=image
                    alt=""
                    referrerpolicy="no-referrer"
                    on:error=move |_| on_broken.run(())
                />
            }
        })
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
