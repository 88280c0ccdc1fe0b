//! The section of the form that says whom the notification is for (CONTRACT 12).

use leptos::prelude::*;

use crate::components::{Field, FieldKind};
use crate::i18n::ComposeTexts;
use crate::islands::RecipientCount;
use crate::server_fns::AudienceDraft;

/// Users and tags, with how many they are.
#[component]
pub(super) fn AudienceSection(
    texts: &'static ComposeTexts,
    /// The id of the app.
    app: String,
    draft: AudienceDraft,
    /// The sentence that says how many get it if it is for everybody.
    everybody: String,
) -> impl IntoView {
    let is_for_all = draft.users.is_empty() && draft.tags.is_empty();
    let initial = if is_for_all {
        everybody
    } else {
        texts.count_later.to_owned()
    };
    view! {
        <fieldset class="section">
            <legend>{texts.to}</legend>
            <p class="hint">{texts.to_hint}</p>
            <RecipientCount app initial failed=texts.count_later.to_owned()>
                <Field
                    form="send"
                    name="tags"
                    kind=FieldKind::Text
                    label=texts.tags
                    hint=texts.tags_hint
                    value=draft.tags
                    optional=true
                />
                <Field
                    form="send"
                    name="users"
                    kind=FieldKind::Multiline
                    label=texts.users
                    hint=texts.users_hint
                    value=draft.users
                    optional=true
                />
            </RecipientCount>
        </fieldset>
    }
    .into_any()
}
