//! The owner's own browser as a subscriber of the app, with Hato's worker under a scope of the app's.

mod loft;

use hato_domain::ErrorCode;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde::{Deserialize, Serialize};

use self::loft::{Loft, Standing, Trouble};
use super::live::look_at_once;
use crate::calls::CallError;

/// What the island says.
#[derive(Clone, Serialize, Deserialize)]
pub struct Words {
    /// Subscribes.
    pub subscribe: String,
    /// Sends a test.
    pub test: String,
    /// Ends the subscription.
    pub unsubscribe: String,
    /// It is being found out.
    pub looking: String,
    /// The browser is not subscribed.
    pub unsubscribed: String,
    /// It is.
    pub subscribed: String,
    /// The page is not served over https.
    pub insecure: String,
    /// The browser has no push notifications.
    pub unsupported: String,
    /// The user has said no.
    pub denied: String,
    /// The user has closed the question.
    pub dismissed: String,
    /// Something is under way.
    pub working: String,
    /// A test is on its way.
    pub sent: String,
    /// The browser did not do it.
    pub failed: String,
    /// Why the server refused, by code.
    pub refusals: Vec<(String, String)>,
}

/// What is said of the last click.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Said {
    Nothing,
    Working,
    Sent,
    Dismissed,
    Failed,
    Refused(ErrorCode),
}

/// Subscribes this browser to the app, and sends it a test.
#[island]
pub fn ThisBrowser(
    /// The app's id.
    app: String,
    /// The app's VAPID public key, in base64url.
    public_key: String,
    /// What is said.
    words: Words,
) -> impl IntoView {
    let loft = StoredValue::new(Loft { app, public_key });
    let standing = RwSignal::new(None);
    let said = RwSignal::new(Said::Nothing);
    Effect::new(move |_| spawn_local(look(loft.get_value(), standing)));
    let act = move |action: Action| {
        if said.get_untracked() != Said::Working {
            said.set(Said::Working);
            spawn_local(perform(action, loft.get_value(), standing, said));
        }
    };
    let is = move |other: Standing| standing.get() == Some(other);
    let busy = move || (said.get() == Said::Working).then_some("true");
    let Words {
        subscribe,
        test,
        unsubscribe,
        ..
    } = words.clone();
    view! {
        <p class="standing" role="status">
            {move || sentence(&words, standing.get(), said.get())}
        </p>
        <p class="ways" hidden=move || !is(Standing::Unsubscribed)>
            <button
                type="button"
                class="button"
                aria-disabled=busy
                on:click=move |_| act(Action::Subscribe)
            >
                {subscribe}
            </button>
        </p>
        <p class="ways" hidden=move || !is(Standing::Subscribed)>
            <button
                type="button"
                class="button"
                aria-disabled=busy
                on:click=move |_| act(Action::Test)
            >
                {test}
            </button>
            <button
                type="button"
                class="button quiet"
                aria-disabled=busy
                on:click=move |_| act(Action::Unsubscribe)
            >
                {unsubscribe}
            </button>
        </p>
    }
}

fn sentence(words: &Words, standing: Option<Standing>, said: Said) -> String {
    let refusal = |code: ErrorCode| {
        let known = words.refusals.iter().find(|(it, _)| it == code.as_str());
        known.map_or(&words.failed, |(_, sentence)| sentence)
    };
    match (said, standing) {
        (Said::Working, _) => &words.working,
        (Said::Sent, _) => &words.sent,
        (Said::Refused(code), _) => refusal(code),
        (_, Some(Standing::Denied)) => &words.denied,
        (Said::Dismissed, _) => &words.dismissed,
        (Said::Failed, _) => &words.failed,
        (_, None) => &words.looking,
        (_, Some(Standing::Insecure)) => &words.insecure,
        (_, Some(Standing::Unsupported)) => &words.unsupported,
        (_, Some(Standing::Unsubscribed)) => &words.unsubscribed,
        (_, Some(Standing::Subscribed)) => &words.subscribed,
    }
    .clone()
}

/// What a button does.
#[derive(Clone, Copy)]
enum Action {
    Subscribe,
    Test,
    Unsubscribe,
}

async fn look(loft: Loft, standing: RwSignal<Option<Standing>>) {
    let found = loft.standing().await.unwrap_or(Standing::Unsupported);
    standing.set(Some(found));
}

async fn perform(
    action: Action,
    loft: Loft,
    standing: RwSignal<Option<Standing>>,
    said: RwSignal<Said>,
) {
    let done = match action {
        Action::Subscribe => loft.subscribe().await.map(|()| Said::Nothing),
        Action::Test => loft.test().await.map(|()| Said::Sent),
        Action::Unsubscribe => loft.unsubscribe().await.map(|()| Said::Nothing),
    };
    look_at_once();
    look(loft, standing).await;
    said.set(match done {
        Ok(done) => done,
        Err(Trouble::Dismissed) => Said::Dismissed,
        Err(Trouble::Browser) => Said::Failed,
        Err(Trouble::Server(CallError(code))) => Said::Refused(code),
    });
}
