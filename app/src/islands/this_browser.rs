//! The owner's own browser as a subscriber of the app, with Hato's worker under a scope of the app's.

mod browser_push;
mod send_to_me;

use hato_domain::ErrorCode;
use leptos::prelude::*;
use leptos::task::spawn_local;

use self::browser_push::{BrowserPush, LateSubscription, PushError, PushState};
pub use self::send_to_me::SendToMe;
use super::live_refresh::refresh_now;
use crate::server_fns::ServerFunctionError;
use crate::text_list::text_list;

text_list! {
    /// The texts of the island, which the server gives it in the language of the page.
    PushTexts {
        /// The button that subscribes.
        subscribe,
        /// The button that sends a test.
        test,
        /// The button that ends the subscription.
        unsubscribe,
        /// Said until the state of the browser is known.
        checking,
        /// The browser is not subscribed.
        unsubscribed,
        /// The browser is subscribed.
        subscribed,
        /// The page is not served over https.
        insecure,
        /// The browser has no push notifications.
        unsupported,
        /// The user has blocked notifications.
        denied,
        /// The user has closed the question.
        dismissed,
        /// Said while a click is being handled.
        working,
        /// A test is on its way.
        sent,
        /// A notification has just been shown.
        arrived,
        /// The browser does not reach its push service.
        unreachable,
        /// The browser failed at it.
        failed,
    }
    rest {
        /// Why the server refused, in the order of [`REFUSALS`].
        refusals
    }
}

/// Why the server may refuse.
pub const REFUSALS: [ErrorCode; 14] = [
    ErrorCode::InvalidEndpoint,
    ErrorCode::InvalidSession,
    ErrorCode::Unauthorized,
    ErrorCode::NotFound,
    ErrorCode::MonthlyLimitExceeded,
    ErrorCode::SubscriberLimitExceeded,
    ErrorCode::RateLimited,
    ErrorCode::InvalidOrigin,
    ErrorCode::ConfigError,
    ErrorCode::InternalError,
    ErrorCode::MissingFields,
    ErrorCode::InvalidUrl,
    ErrorCode::InvalidInput,
    ErrorCode::PayloadTooLarge,
];

/// The outcome of the last click.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ActionStatus {
    Idle,
    Working,
    Sent,
    Dismissed,
    Unreachable,
    Failed,
    Refused(ErrorCode),
}

/// Subscribes this browser to the app, and sends it a test.
#[island]
pub fn ThisBrowser(
    /// The id of the app that the browser subscribes to, `app_…`.
    app: String,
    /// The app's VAPID public key, in base64url.
    public_key: String,
    /// The island's texts, in the language of the page.
    texts: PushTexts,
) -> impl IntoView {
    let push = StoredValue::new(BrowserPush { app, public_key });
    let state = RwSignal::new(None);
    let status = RwSignal::new(ActionStatus::Idle);
    // Whether one was shown since the last click, and ever since the page was opened.
    let (arrived, has_arrived) = (RwSignal::new(false), RwSignal::new(false));
    // Without scripts nothing is being checked.
    let is_awake = RwSignal::new(false);
    Effect::new(move |_| {
        is_awake.set(true);
        spawn_local(load_state(push.get_value(), state));
        // A browser without such channels only stays silent.
        drop(push.get_value().hear_shown(move || {
            arrived.set(true);
            has_arrived.set(true);
        }));
    });
    let run = move |action: BrowserAction| {
        if status.get_untracked() != ActionStatus::Working {
            arrived.set(false);
            status.set(ActionStatus::Working);
            spawn_local(perform(action, push.get_value(), state, status));
        }
    };
    let is = move |other: PushState| state.get() == Some(other);
    let busy = move || (status.get() == ActionStatus::Working).then_some("true");
    let button = move |class: &'static str, action: BrowserAction, label: &str| {
        view! {
            <button type="button" class=class aria-disabled=busy on:click=move |_| run(action)>
                {label.to_owned()}
            </button>
        }
    };
    let subscribe = button("button", BrowserAction::Subscribe, &texts.subscribe);
    let test = button("button", BrowserAction::Test, &texts.test);
    let unsubscribe = button(
        "button quiet",
        BrowserAction::Unsubscribe,
        &texts.unsubscribe,
    );
    view! {
        <p
            class="push-state"
            role="status"
            data-arrived=move || has_arrived.get().then_some("")
        >
            {move || {
                let says = || match status.get() {
                    ActionStatus::Idle | ActionStatus::Sent if arrived.get() => texts.arrived.clone(),
                    status => status_text(&texts, state.get(), status),
                };
                is_awake.get().then(says)
            }}
        </p>
        <p class="actions" hidden=move || !is(PushState::Unsubscribed)>
            {subscribe}
        </p>
        <p class="actions" hidden=move || !is(PushState::Subscribed)>
            {test} {unsubscribe}
        </p>
    }
}

fn status_text(texts: &PushTexts, state: Option<PushState>, status: ActionStatus) -> String {
    let refusal = |code: ErrorCode| {
        let known = REFUSALS
            .iter()
            .zip(&texts.refusals)
            .find(|(it, _)| **it == code);
        known.map_or(&texts.failed, |(_, sentence)| sentence)
    };
    match (status, state) {
        (ActionStatus::Working, _) => &texts.working,
        (ActionStatus::Sent, _) => &texts.sent,
        (ActionStatus::Refused(code), _) => refusal(code),
        (_, Some(PushState::Denied)) => &texts.denied,
        (ActionStatus::Dismissed, _) => &texts.dismissed,
        (ActionStatus::Unreachable, _) => &texts.unreachable,
        (ActionStatus::Failed, _) => &texts.failed,
        (_, None) => &texts.checking,
        (_, Some(PushState::Insecure)) => &texts.insecure,
        (_, Some(PushState::Unsupported)) => &texts.unsupported,
        (_, Some(PushState::Unsubscribed)) => &texts.unsubscribed,
        (_, Some(PushState::Subscribed)) => &texts.subscribed,
    }
    .clone()
}

/// The action of a button.
#[derive(Clone, Copy)]
enum BrowserAction {
    Subscribe,
    Test,
    Unsubscribe,
}

async fn load_state(push: BrowserPush, state: RwSignal<Option<PushState>>) {
    let found = push.state().await.unwrap_or(PushState::Unsupported);
    state.set(Some(found));
}

async fn perform(
    action: BrowserAction,
    push: BrowserPush,
    state: RwSignal<Option<PushState>>,
    status: RwSignal<ActionStatus>,
) {
    let done = match action {
        BrowserAction::Subscribe => push.subscribe().await.map(|()| ActionStatus::Idle),
        BrowserAction::Test => push.test().await.map(|()| ActionStatus::Sent),
        BrowserAction::Unsubscribe => push.unsubscribe().await.map(|()| ActionStatus::Idle),
    };
    refresh_now();
    load_state(push, state).await;
    status.set(ended(done, state, status));
}

/// How an action has ended, once what it has left behind is taken care of.
fn ended(
    done: Result<ActionStatus, PushError>,
    state: RwSignal<Option<PushState>>,
    status: RwSignal<ActionStatus>,
) -> ActionStatus {
    match done {
        Ok(done) => done,
        Err(PushError::Dismissed) => ActionStatus::Dismissed,
        Err(PushError::Browser) => ActionStatus::Failed,
        Err(PushError::Unreachable(late)) => {
            spawn_local(end_late(late, state, status));
            ActionStatus::Unreachable
        }
        Err(PushError::Server(ServerFunctionError(code))) => ActionStatus::Refused(code),
    }
}

/// Ends a subscription that was made too late, unless another click has asked for it again.
async fn end_late(
    late: LateSubscription,
    state: RwSignal<Option<PushState>>,
    status: RwSignal<ActionStatus>,
) {
    let is_wanted = || {
        status.get_untracked() == ActionStatus::Working
            || state.get_untracked() == Some(PushState::Subscribed)
    };
    // It is no subscription, or ends with the next click.
    drop(late.end_unless(is_wanted).await);
}
