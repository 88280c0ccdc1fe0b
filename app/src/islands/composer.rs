//! A notification while it is being written: how it will look, and how much of the room for it is used.

mod payload_size;

use leptos::ev;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use web_sys::{FormData, HtmlDivElement, HtmlFormElement, HtmlImageElement};

use self::payload_size::payload_bytes;
use super::{PreviewTabs, PreviewTexts};
use crate::text_list::text_list;
use crate::thousands::group_thousands;

/// The form as it stands, and the size of its payload in bytes.
#[derive(Clone, Copy)]
struct DraftSignals {
    size: RwSignal<Option<usize>>,
    title: RwSignal<String>,
    body: RwSignal<String>,
    /// Read when its field is left: each letter would be another image to load.
    icon: RwSignal<String>,
    /// Read when its field is left, as the icon is.
    badge: RwSignal<String>,
    /// Read when its field is left, as the icon is.
    image: RwSignal<String>,
    buttons: RwSignal<Vec<String>>,
    /// What is wrong with the icon.
    icon_problem: RwSignal<Option<IconProblem>>,
}

/// Why no icon is shown, though one is named.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IconProblem {
    /// Its address does not start with `https://`.
    Insecure,
    /// There is no image at its address.
    Broken,
}

text_list! {
    /// The sentence for each [`IconProblem`].
    IconTexts {
        /// What is said of an icon whose address is not `https://`.
        insecure,
        /// What is said of an icon that cannot be loaded.
        broken,
    }
}

text_list! {
    /// A notification as it stands in the form that is shown.
    Written {
        /// The text of the title's field, as it is typed.
        title,
        /// The text of the body's field, as it is typed.
        body,
        /// The address in the icon's field, which may be empty.
        icon,
        /// The address in the badge's field, which may be empty.
        badge,
        /// The address of the large picture.
        image,
    }
    rest {
        /// What its buttons show, without those that show nothing.
        buttons
    }
}

text_list! {
    /// What stands in the preview until something is written.
    Samples {
        /// The title of an example.
        title,
        /// The text of an example.
        body,
        /// Whom browsers name as the sender.
        site,
    }
}

/// Shows how the notification of the form around it would look, and its size.
#[island]
pub fn Composer(
    /// The most bytes of a payload.
    limit: usize,
    /// The text beside the payload's size.
    label: String,
    /// The unit of the size, in words.
    unit: String,
    /// What is said around the previews.
    preview: PreviewTexts,
    /// Fill the preview while nothing is written.
    samples: Samples,
    /// What is said of an icon that cannot be shown.
    icon_texts: IconTexts,
    /// The form as it is.
    written: Written,
    /// The fields of the form, which the preview and the size follow as somebody types.
    children: Children,
) -> impl IntoView {
    let draft = DraftSignals::new(written);
    // Without scripts an example would stay, whatever is written.
    let is_awake = RwSignal::new(false);
    let fields = NodeRef::<leptos::html::Div>::new();
    let read = move |part: fn(DraftSignals, &HtmlDivElement)| {
        if let Some(fields) = fields.get_untracked() {
            part(draft, &fields);
        }
    };
    Effect::new(move |_| {
        is_awake.set(true);
        // Picture and buttons are in another section of the form.
        drop(window_event_listener(ev::input, move |_| {
            read(DraftSignals::read);
        }));
        drop(window_event_listener(ev::change, move |_| {
            read(DraftSignals::read_images);
        }));
        read(DraftSignals::read);
        read(DraftSignals::read_images);
        // What failed before anybody listened tells nothing any more.
        if has_broken_icon() {
            draft.icon_problem.set(Some(IconProblem::Broken));
        }
    });
    let Samples { title, body, site } = samples;
    let is_blank = move || draft.title.get().is_empty() && draft.body.get().is_empty();
    let title = Signal::derive(move || {
        if is_blank() {
            title.clone()
        } else {
            draft.title.get()
        }
    });
    let body = Signal::derive(move || {
        if is_blank() {
            body.clone()
        } else {
            draft.body.get()
        }
    });
    let icon_problem = move || match draft.icon_problem.get() {
        None => String::new(),
        Some(IconProblem::Insecure) => icon_texts.insecure.clone(),
        Some(IconProblem::Broken) => icon_texts.broken.clone(),
    };
    let is_broken = Callback::new(move |()| draft.icon_problem.set(Some(IconProblem::Broken)));
    let used = move || draft.size.get().unwrap_or_default();
    view! {
        <div class="fields" node_ref=fields>
            {children()}
        </div>
        <p class="size" class:over=move || limit < used() hidden=move || draft.size.get().is_none()>
            <span>{label}</span>
            <meter min="0" max=limit high={limit * 9 / 10} value=used aria-hidden="true"></meter>
            <output>
                {move || format!("{} / {} {unit}", format_bytes(used()), format_bytes(limit))}
            </output>
        </p>
        <div class="preview" class:asleep=move || is_blank() && !is_awake.get()>
            <PreviewTabs
                texts=preview
                title
                body
                icon=draft.icon
                badge=draft.badge
                image=draft.image
                buttons=draft.buttons
                site
                on_broken_icon=is_broken
            />
            <p class="icon-problem" role="status">
                {icon_problem}
            </p>
        </div>
    }
}

impl DraftSignals {
    fn new(written: Written) -> Self {
        Self {
            size: RwSignal::new(None),
            title: RwSignal::new(written.title),
            body: RwSignal::new(written.body),
            icon: RwSignal::new(displayable(&written.icon)),
            badge: RwSignal::new(displayable(&written.badge)),
            image: RwSignal::new(displayable(&written.image)),
            buttons: RwSignal::new(written.buttons),
            icon_problem: RwSignal::new(None),
        }
    }

    fn read(self, fields: &HtmlDivElement) {
        let Some(form) = form_around(fields) else {
            return;
        };
        self.size
            .set(Some(payload_bytes(|name| chosen_or_typed(&form, name))));
        self.title.set(field(&form, "title"));
        self.body.set(field(&form, "body"));
        let buttons = ["button_1", "button_2", "button_3"].map(|name| field(&form, name));
        let shown = buttons.into_iter().filter(|text| !text.trim().is_empty());
        self.buttons.set(shown.collect());
    }

    fn read_images(self, fields: &HtmlDivElement) {
        let form = form_around(fields);
        let url = |name| form.as_ref().map(|form| chosen_or_typed(form, name));
        self.badge
            .set(displayable(&url("badge").unwrap_or_default()));
        self.image
            .set(displayable(&url("image").unwrap_or_default()));
        let icon = url("icon").unwrap_or_default();
        let shown = displayable(&icon);
        if !shown.is_empty() && shown == self.icon.get_untracked() {
            // The same image: what is known of it still holds.
            return;
        }
        let is_insecure = shown.is_empty() && !icon.trim().is_empty();
        self.icon_problem
            .set(is_insecure.then_some(IconProblem::Insecure));
        self.icon.set(shown);
    }
}

/// Whether the preview's icon has been loaded, and is none.
fn has_broken_icon() -> bool {
    let icon = document().query_selector(".preview .notification > img");
    let icon = icon.ok().flatten();
    icon.is_some_and(|icon| {
        let icon = icon.unchecked_ref::<HtmlImageElement>();
        icon.complete() && icon.natural_width() == 0
    })
}

/// The address of an icon or a badge, if it can be shown.
fn displayable(url: &str) -> String {
    if url.starts_with("https://") {
        url.to_owned()
    } else {
        String::new()
    }
}

fn form_around(fields: &HtmlDivElement) -> Option<FormData> {
    let form = fields.closest("form").ok()??;
    FormData::new_with_form(form.unchecked_ref::<HtmlFormElement>()).ok()
}

fn field(form: &FormData, name: &str) -> String {
    form.get(name).as_string().unwrap_or_default()
}

/// The text of a field, or in its place the address of the uploaded picture that was chosen.
fn chosen_or_typed(form: &FormData, name: &str) -> String {
    match field(form, &format!("{name}_choice")) {
        choice if choice.is_empty() => field(form, name),
        choice => choice,
    }
}

/// The host of an `https://` URL; nothing for anything else.
pub fn host(url: &str) -> String {
    let rest = url.strip_prefix("https://").unwrap_or_default();
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    rest[..end].to_owned()
}

fn format_bytes(bytes: usize) -> String {
    group_thousands(i64::try_from(bytes).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::host;

    #[test]
    fn the_site_is_the_links_host() {
        for (url, site) in [
            ("https://example.com/a?b", "example.com"),
            ("https://example.com", "example.com"),
            ("http://example.com/", ""),
            ("", ""),
        ] {
            assert_eq!(host(url), site, "{url}");
        }
    }
}
