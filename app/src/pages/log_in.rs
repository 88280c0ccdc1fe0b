//! The page to log in, and what it shares with the page to register: the path to go on to, and the way through GitHub.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::load_page;
use crate::components::{Field, FieldKind, FormErrorNote, Frame, Note, PostForm, Tone};
use crate::local_path::{local_path, with_query};
use crate::request_context::RequestContext;
use crate::server_fns::{LogIn, SubmittedFields};

/// The form to log in; who is logged in already goes on.
#[component]
pub fn LogInPage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        let next = next(&ctx);
        if ctx.logged_in_owner().await.is_some() {
            ctx.redirect(next.as_deref().unwrap_or("/apps"));
            return Ok(().into_any());
        }
        Ok(view! { <LogInForm ctx next /> }.into_any())
    })
}

/// Where to go afterwards: `?next=`, if it is a path of this site.
pub fn next(ctx: &RequestContext) -> Option<String> {
    let next = ctx.query("next")?;
    local_path(&next).map(str::to_owned)
}

/// The path of another login page, which leads on to the same place.
pub fn with_next(path: &str, next: Option<&str>) -> String {
    with_query(path, &[("next", next.unwrap_or_default())])
}

/// The link to the login through GitHub, where the server offers it.
#[component]
pub fn GithubLogin(ctx: RequestContext, next: Option<String>) -> impl IntoView {
    let path = with_next("/auth/github", next.as_deref());
    let text = ctx.texts().auth.github;
    ctx.app_context()
        .github_login
        .then(|| {
            view! {
                <a class="button quiet" href=path>
                    {text}
                </a>
            }
        })
        .into_any()
}

#[component]
fn LogInForm(ctx: RequestContext, next: Option<String>) -> impl IntoView {
    let texts = &ctx.texts().auth;
    let submitted = SubmittedFields::take(&ctx);
    let sent_here = next.is_some() && ctx.form_error().is_none();
    let register = with_next("/register", next.as_deref());
    let open = ctx.app_context().registration_open;
    let github = view! { <GithubLogin ctx=ctx.clone() next=next.clone() /> };
    view! {
        <Frame title=texts.log_in_title>
            <section class="auth">
                <h1>{texts.log_in_title}</h1>
                <p class="lead">{texts.log_in_lead}</p>
                <FormErrorNote form="login" />
                {sent_here.then(|| view! { <Note tone=Tone::Warning text=texts.log_in_first /> })}
                <PostForm
                    id="login"
                    class="card"
                    action=LogIn::url()
                    hidden=next.map(|next| ("next", next)).into_iter().collect()
                    button=texts.log_in
                >
                    <Field
                        form="login"
                        name="email"
                        kind=FieldKind::Email
                        label=texts.email
                        value=submitted.get("email")
                    />
                    <Field
                        form="login"
                        name="password"
                        kind=FieldKind::Password
                        label=texts.password
                    />
                </PostForm>
                {github}
                {open
                    .then(|| {
                        view! {
                            <p>
                                <a href=register>{texts.newcomer}</a>
                            </p>
                        }
                    })}
                <p class="hint">{texts.forgotten}</p>
            </section>
        </Frame>
    }
    .into_any()
}
