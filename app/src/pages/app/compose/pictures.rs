//! The choice of an uploaded picture as icon or badge. What is chosen has the form's field `icon_choice` or `badge_choice`.

use hato_service::access::MayManage;
use hato_service::ports::PictureRecord;
use hato_service::{PictureError, ServiceResult};
use leptos::prelude::*;

use crate::components::{FileField, PICTURE_FILES, Tone};
use crate::i18n::{PicturesTexts, message};
use crate::request_context::RequestContext;

/// What an app's pictures are chosen from.
#[derive(Clone, Default)]
pub(super) struct PictureChoices {
    choices: Vec<PictureChoice>,
    /// Whether notifications can have none, because the base address is not https.
    are_insecure: bool,
    /// What became of a picture that was uploaded with the form.
    outcome: Option<(Tone, &'static str)>,
}

#[derive(Clone)]
struct PictureChoice {
    /// What the notification says.
    url: String,
    /// Where this page gets it.
    path: String,
    label: String,
    is_icon: bool,
}

impl PictureChoice {
    fn new(base: &str, picture: &PictureRecord, label: String) -> Self {
        let path = format!("/media/{}", picture.name);
        Self {
            url: format!("{base}{path}"),
            path,
            label,
            is_icon: picture.is_icon,
        }
    }
}

impl PictureChoices {
    /// Reads the pictures that the app keeps, for the choice in the form.
    pub(super) async fn load(ctx: &RequestContext, access: &MayManage) -> ServiceResult<Self> {
        Ok(Self::new(ctx, ctx.service().pictures(access).await?))
    }

    fn new(ctx: &RequestContext, pictures: Vec<PictureRecord>) -> Self {
        let base = &ctx.app_context().base_url;
        if !base.starts_with("https://") {
            return Self {
                are_insecure: true,
                ..Self::default()
            };
        }
        let texts = &ctx.texts().app.pictures;
        let count = pictures.len();
        let numbered = pictures.into_iter().enumerate();
        let choices = numbered.map(|(before, picture)| {
            PictureChoice::new(base, &picture, (texts.numbered)(count - before))
        });
        Self {
            choices: choices.collect(),
            ..Self::default()
        }
    }

    /// The same after a picture was uploaded, if one was.
    pub(super) fn after(
        mut self,
        ctx: &RequestContext,
        kept: Option<Result<(), PictureError>>,
    ) -> Self {
        let texts = &ctx.texts().app.pictures;
        self.outcome = kept.map(|kept| match kept {
            Ok(()) => (Tone::Success, texts.uploaded),
            Err(error) => {
                let text = texts.refusal(&error);
                let text = text.unwrap_or_else(|| message(ctx.lang(), error.code()));
                (Tone::Error, text)
            }
        });
        self
    }

    /// What became of a picture that was uploaded.
    pub(super) fn outcome(&self) -> Option<(Tone, &'static str)> {
        self.outcome
    }

    /// The address of the app's icon; empty without one.
    pub(super) fn icon(&self) -> String {
        let icon = self.choices.iter().find(|choice| choice.is_icon);
        icon.map_or_else(String::new, |choice| choice.url.clone())
    }

    /// Whether notifications can have none.
    pub(super) fn are_insecure(&self) -> bool {
        self.are_insecure
    }

    /// Whether the address is that of one of them.
    pub(super) fn has(&self, url: &str) -> bool {
        self.choices.iter().any(|choice| choice.url == url)
    }
}

/// Each picture, and none of them, as a choice; nothing where there are no pictures.
#[component]
pub(super) fn PictureField(
    texts: &'static PicturesTexts,
    name: &'static str,
    legend: &'static str,
    choices: PictureChoices,
    /// The address that the notification says now.
    chosen: String,
) -> impl IntoView {
    if choices.choices.is_empty() {
        return ().into_any();
    }
    let by_url = !choices.has(&chosen);
    let choice = |choice: PictureChoice| {
        let checked = choice.url == chosen;
        view! {
            <label>
                <input type="radio" name=name value=choice.url checked=checked />
                <img src=choice.path alt=choice.label width="40" height="40" loading="lazy" />
            </label>
        }
    };
    view! {
        <fieldset class="picture-choice">
            <legend>{legend}</legend>
            <label>
                <input type="radio" name=name value="" checked=by_url />
                <span>{texts.by_url}</span>
            </label>
            {choices.choices.into_iter().map(choice).collect_view()}
        </fieldset>
    }
    .into_any()
}

/// Uploads a picture with the form, which comes back as it is.
#[component]
pub(super) fn PictureUpload(texts: &'static PicturesTexts, app: String) -> impl IntoView {
    view! {
        <FileField
            id="send-picture"
            name="picture"
            accept=PICTURE_FILES
            label=texts.file
            hint=texts.file_hint
            optional=true
        />
        <p>
            <button
                type="submit"
                class="button quiet"
                formaction=format!("/apps/{app}/send#send-pictures")
                formenctype="multipart/form-data"
                formnovalidate=true
            >
                {texts.upload}
            </button>
        </p>
    }
    .into_any()
}
