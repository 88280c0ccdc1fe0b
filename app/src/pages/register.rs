//! Making an account.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::loaded;
use super::log_in::{GithubEntrance, next, with_next};
use crate::calls::{Register, Typed};
use crate::components::{Field, Frame, Kind, Note, RefusalNote, Tone};
use crate::visit::Visit;

/// The form to register; who is signed in already goes on.
#[component]
pub fn RegisterPage() -> impl IntoView {
    loaded(async move |visit: Visit| {
        let next = next(&visit);
        if visit.visitor().await.is_some() {
            visit.redirect(next.as_deref().unwrap_or("/apps"));
            return Ok(().into_any());
        }
        Ok(view! { <Registration visit next /> }.into_any())
    })
}

#[component]
fn Registration(visit: Visit, next: Option<String>) -> impl IntoView {
    let texts = &visit.texts().entrance;
    let log_in = with_next("/login", next.as_deref());
    let open = visit.context().registration_open;
    let form = open.then(|| view! { <RegisterForm visit next /> });
    let closed = (!open).then(|| {
        view! {
            <Note tone=Tone::Mind>
                <p>{texts.closed}</p>
            </Note>
        }
    });
    view! {
        <Frame title=texts.register_title>
            <section class="entrance">
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
fn RegisterForm(visit: Visit, next: Option<String>) -> impl IntoView {
    let texts = &visit.texts().entrance;
    let typed = Typed::take(&visit);
    let github = view! { <GithubEntrance visit=visit.clone() next=next.clone() /> };
    view! {
        <p class="lead">{texts.register_lead}</p>
        <RefusalNote form="register" />
        <form id="register" class="card" method="post" action=Register::url()>
            {next.map(|next| view! { <input type="hidden" name="next" value=next /> })}
            <Field
                form="register"
                name="email"
                kind=Kind::Email
                label=texts.email
                value=typed.of("email")
                max=254
            />
            <Field
                form="register"
                name="password"
                kind=Kind::NewPassword
                label=texts.password
                hint=texts.password_hint
                max=128
            />
            <button type="submit" class="button">
                {texts.register}
            </button>
        </form>
        {github}
    }
    .into_any()
}
