//! The pictures of a notification that is being written: what is shown of them, and what is wrong with them.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use web_sys::HtmlImageElement;

use super::PictureTexts;
use crate::islands::preview::PICTURES;

/// A picture of the preview.
#[derive(Clone, Copy)]
pub struct PictureSignals {
    /// Read when its field is left: each letter would be another image to load. Empty where none can be shown.
    pub url: RwSignal<String>,
    problem: RwSignal<Option<PictureProblem>>,
}

/// Why a picture is not shown, though one is named.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PictureProblem {
    /// Its address does not start with `https://`.
    Insecure,
    /// There is no image at its address.
    Broken,
}

impl PictureSignals {
    pub fn new(url: &str) -> Self {
        Self {
            url: RwSignal::new(displayable(url)),
            problem: RwSignal::new(None),
        }
    }

    /// Takes over the address in the form.
    pub fn read(self, url: &str) {
        let shown = displayable(url);
        if !shown.is_empty() && shown == self.url.get_untracked() {
            // The same image: what is known of it still holds.
            return;
        }
        let is_insecure = shown.is_empty() && !url.trim().is_empty();
        self.problem
            .set(is_insecure.then_some(PictureProblem::Insecure));
        self.url.set(shown);
    }

    /// Remembers that it cannot be loaded.
    pub fn is_broken(self) {
        self.problem.set(Some(PictureProblem::Broken));
    }

    /// The same, if the picture of this number in the preview has been loaded, and is none.
    pub fn find_broken(self, number: usize) {
        let image = document().query_selector(PICTURES[number]).ok().flatten();
        let is_broken = image.is_some_and(|image| {
            let image = image.unchecked_ref::<HtmlImageElement>();
            image.complete() && image.natural_width() == 0
        });
        if is_broken {
            self.is_broken();
        }
    }

    /// What is said of it, if something is wrong.
    pub fn says(self, texts: &PictureTexts, name: &str) -> Option<String> {
        let text = match self.problem.get()? {
            PictureProblem::Insecure => &texts.insecure,
            PictureProblem::Broken => &texts.broken,
        };
        Some(format!("{name}{text}"))
    }
}

/// The address of a picture, if it can be shown.
fn displayable(url: &str) -> String {
    if url.starts_with("https://") {
        url.to_owned()
    } else {
        String::new()
    }
}
