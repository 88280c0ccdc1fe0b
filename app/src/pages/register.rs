//! The page to register an account with an email address and a password.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::load_page;
use super::log_in::{GithubLogin, next, with_next};
use crate::components::{Field, FieldKind, FormErrorNote, Frame, Note, PostForm, Tone};
use crate::request_context::RequestContext;
use crate::server_fns::{Register, SubmittedFields};

/// The form to register; who is logged in already goes on.
#[component]
pub fn RegisterPage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        let next = next(&ctx);
        if ctx.logged_in_owner().await.is_some() {
            ctx.redirect(next.as_deref().unwrap_or("/apps"));
            return Ok(().into_any());
        }
        Ok(view! { <Registration ctx next /> }.into_any())
    })
}

#[component]
fn Registration(ctx: RequestContext, next: Option<String>) -> impl IntoView {
    let texts = &ctx.texts().auth;
    let log_in = with_next("/login", next.as_deref());
    let open = ctx.app_context().registration_open;
    let form = open.then(|| view! { <RegisterForm ctx next /> });
    let closed = (!open).then(|| view! { <Note tone=Tone::Warning text=texts.closed /> });
    view! {
        <Frame title=texts.register_title>
            <section class="auth">
                <h1>{texts.register_title}</h1>
                {closed}
                {form}
                <p>
                    <a href=log_in>{texts.registered}</a>
                </p>
            </section>
        </Frame>
    }
    .into_any()
}

#[component]
fn RegisterForm(ctx: RequestContext, next: Option<String>) -> impl IntoView {
    let texts = &ctx.texts().auth;
    let submitted = SubmittedFields::take(&ctx);
    let github = view! { <GithubLogin ctx=ctx.clone() next=next.clone() /> };
    view! {
        <p class="lead">{texts.register_lead}</p>
        <FormErrorNote form="register" />
        <PostForm
            id="register"
            class="card"
            action=Register::url()
            hidden=next.map(|next| ("next", next)).into_iter().collect()
            button=texts.register
        >
            <Field
                form="register"
                name="email"
                kind=FieldKind::Email
                label=texts.email
                value=submitted.get("email")
                max=254
            />
            <Field
                form="register"
                name="password"
                kind=FieldKind::NewPassword
                label=texts.password
                hint=texts.password_hint
                max=128
            />
        </PostForm>
        {github}
    }
    .into_any()
}
