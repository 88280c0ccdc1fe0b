//! Logging in.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::loaded;
use crate::calls::{LogIn, Typed};
use crate::components::{Field, Frame, Kind, Note, RefusalNote, Tone};
use crate::own_path::{own_path, with_query};
use crate::visit::Visit;

/// The form to log in; who is signed in already goes on.
#[component]
pub fn LogInPage() -> impl IntoView {
    loaded(async move |visit: Visit| {
        let next = next(&visit);
        if visit.visitor().await.is_some() {
            visit.redirect(next.as_deref().unwrap_or("/apps"));
            return Ok(().into_any());
        }
        Ok(view! { <LogInForm visit next /> }.into_any())
    })
}

/// Where to go afterwards: `?next=`, if it is a path of this site.
pub fn next(visit: &Visit) -> Option<String> {
    let next = visit.query("next")?;
    own_path(&next).map(str::to_owned)
}

/// The way to another entrance, which leads on to the same place.
pub fn with_next(path: &str, next: Option<&str>) -> String {
    next.map_or_else(
        || path.to_owned(),
        |next| with_query(path, &[("next", next)]),
    )
}

/// The way through GitHub, where the server offers it.
#[component]
pub fn GithubEntrance(visit: Visit, next: Option<String>) -> impl IntoView {
    let way = with_next("/auth/github", next.as_deref());
    let text = visit.texts().entrance.github;
    visit
        .context()
        .github_login
        .then(|| {
            view! {
                <a class="button quiet" href=way>
                    {text}
                </a>
            }
        })
        .into_any()
}

#[component]
fn LogInForm(visit: Visit, next: Option<String>) -> impl IntoView {
    let texts = &visit.texts().entrance;
    let typed = Typed::take(&visit);
    let sent_here = next.is_some() && visit.refused().is_none();
    let register = with_next("/register", next.as_deref());
    let open = visit.context().registration_open;
    let github = view! { <GithubEntrance visit=visit.clone() next=next.clone() /> };
    view! {
        <Frame title=texts.log_in_title>
            <section class="entrance">
                <h1>{texts.log_in_title}</h1>
                <p class="lead">{texts.log_in_lead}</p>
                <RefusalNote form="login" />
                {sent_here
                    .then(|| {
                        view! {
                            <Note tone=Tone::Mind>
                                <p>{texts.log_in_first}</p>
                            </Note>
                        }
                    })}
                <form id="login" class="card" method="post" action=LogIn::url()>
                    {next.map(|next| view! { <input type="hidden" name="next" value=next /> })}
                    <Field
                        form="login"
                        name="email"
                        kind=Kind::Email
                        label=texts.email
                        value=typed.of("email")
                    />
                    <Field form="login" name="password" kind=Kind::Password label=texts.password />
                    <button type="submit" class="button">
                        {texts.log_in}
                    </button>
                </form>
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
