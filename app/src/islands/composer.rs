//! A notification while it is being written: how it will look, and how much of the room for it is used.

mod payload_size;
mod pictures;

use leptos::ev;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use web_sys::{FormData, HtmlDivElement, HtmlFormElement};

use self::payload_size::payload_bytes;
use self::pictures::PictureSignals;
use super::{PreviewTabs, PreviewTexts};
use crate::text_list::text_list;
use crate::thousands::group_thousands;

/// The form as it stands, and the size of its payload in bytes.
#[derive(Clone, Copy)]
struct DraftSignals {
    size: RwSignal<Option<usize>>,
    title: RwSignal<String>,
    body: RwSignal<String>,
    /// Icon, badge and large picture.
    pictures: [PictureSignals; 3],
    buttons: RwSignal<Vec<String>>,
}

text_list! {
    /// What is said of pictures that are named, and not shown.
    PictureTexts {
        /// What is said, after its name, of one whose address is not `https://`.
        insecure,
        /// The same of one that cannot be loaded.
        broken,
    }
    rest {
        /// What they are called: icon, badge and large picture.
        names
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
    /// What is said of pictures that cannot be shown.
    picture_texts: PictureTexts,
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
        for (number, picture) in draft.pictures.iter().enumerate() {
            picture.find_broken(number);
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
    let picture_problems = move || {
        let named = draft.pictures.iter().zip(&picture_texts.names);
        let said = named.filter_map(|(picture, name)| picture.says(&picture_texts, name));
        said.collect::<Vec<_>>().join(" ")
    };
    let [icon, badge, image] = draft.pictures.map(|picture| picture.url);
    let on_broken = Callback::new(move |number: usize| draft.pictures[number].is_broken());
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
                icon
                badge
                image
                buttons=draft.buttons
                site
                on_broken
            />
            <p class="picture-problem" role="status">
                {picture_problems}
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
            pictures: [written.icon, written.badge, written.image]
                .map(|url| PictureSignals::new(&url)),
            buttons: RwSignal::new(written.buttons),
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
        for (picture, name) in self.pictures.into_iter().zip(["icon", "badge", "image"]) {
            picture.read(&url(name).unwrap_or_default());
        }
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

fn format_bytes(bytes: usize) -> String {
    group_thousands(i64::try_from(bytes).unwrap_or(i64::MAX))
}
