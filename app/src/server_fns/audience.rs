//! How many a send would go to, while somebody writes it.

use leptos::prelude::*;

use super::ServerFunctionError;
#[cfg(feature = "ssr")]
use super::draft::AudienceDraft;
#[cfg(feature = "ssr")]
use super::form::Form;

/// Says in the language of the page how many a send to this part of the audience would go to now.
#[server(name = CountRecipients, prefix = "/_app", endpoint = "count_recipients")]
pub async fn count_recipients(
    /// The id of the app, `app_…`.
    #[server(default)]
    app: String,
    /// Ids of users, one a line.
    #[server(default)]
    users: String,
    /// An expression of tags.
    #[server(default)]
    tags: String,
) -> Result<String, ServerFunctionError> {
    let form = Form::for_app(&app, "/send", "send");
    form.respond_to_script(async {
        let owner = form.ctx().owner().await?;
        let (access, app) = form.service().managed(&owner, &app).await?;
        let texts = &form.ctx().texts().app.compose;
        let draft = AudienceDraft { users, tags };
        Ok(match draft.filter() {
            Ok(None) => (texts.audience)(app.active_subscriptions),
            Ok(Some(filter)) => {
                let count = form.service().recipients(&access, &filter).await?;
                (texts.part)(count)
            }
            Err(_) if draft.has_forgotten_users() => texts.forgotten_users.to_owned(),
            Err(_) => texts.refused_audience.to_owned(),
        })
    })
    .await
}
