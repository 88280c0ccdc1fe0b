//! What an owner decides about what was there before the account was theirs.

use std::collections::HashMap;

#[cfg(feature = "ssr")]
use hato_service::ReviewDecisions;
use leptos::prelude::*;

use super::ServerFunctionError;
#[cfg(feature = "ssr")]
use super::form::Form;
#[cfg(feature = "ssr")]
use crate::request_context::REVIEW_PATH;

/// Keeps and deletes an app's keys, its webhook and its sends that wait, which ends the app's review.
#[server(name = ConcludeReview, prefix = "/_app", endpoint = "conclude_review")]
pub async fn conclude_review(
    /// The id of the app, `app_…`.
    #[server(default)]
    app: String,
    /// `keep` or `delete` by the ids of keys and sends, `webhook` and `other_sends`.
    #[server(default)]
    decisions: HashMap<String, String>,
) -> Result<(), ServerFunctionError> {
    let form = Form::new(REVIEW_PATH, "review");
    form.respond(async {
        let owner = form.ctx().owner_before_review().await?;
        let decisions = ReviewDecisions::parse(decisions)?;
        let service = form.service();
        service.conclude_review(&owner, &app, &decisions).await?;
        Ok(REVIEW_PATH.to_owned())
    })
    .await
}

/// Deletes an app under review with everything in it.
#[server(name = RejectApp, prefix = "/_app", endpoint = "reject_app")]
pub async fn reject_app(
    /// The id of the app, `app_…`.
    #[server(default)]
    app: String,
) -> Result<(), ServerFunctionError> {
    let form = Form::new(REVIEW_PATH, "reject");
    form.respond(async {
        let owner = form.ctx().owner_before_review().await?;
        form.service().reject_app(&owner, &app).await?;
        Ok(REVIEW_PATH.to_owned())
    })
    .await
}
