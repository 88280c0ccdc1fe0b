//! The owner's own browser as a subscriber of the app, with Hato's worker under a scope of the app's.

use hato_domain::ErrorCode;
use js_sys::Reflect;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_bindgen::{JsCast, JsValue};
use serde::{Deserialize, Serialize};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Notification, NotificationPermission, PushSubscription, PushSubscriptionOptionsInit,
    RegistrationOptions, ServiceWorkerContainer, ServiceWorkerRegistration,
};

use super::live::look_at_once;
use super::pause::pause;
use crate::calls::{CallError, send_test, subscribe_browser, unsubscribe_browser};

/// The worker that customers' sites import.
const WORKER: &str = "/sdk/sw.js";

/// How often it is asked whether the worker is active, and for how many milliseconds it rests in between.
const LOOKS: u32 = 400;
const REST: i32 = 50;

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
    /// It cannot be.
    pub unsupported: String,
    /// The user has said no.
    pub denied: String,
    /// Something is under way.
    pub working: String,
    /// A test is on its way.
    pub sent: String,
    /// The browser did not do it.
    pub failed: String,
    /// Why the server refused, by code.
    pub refusals: Vec<(String, String)>,
}

/// How the browser stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    Unsupported,
    Denied,
    Unsubscribed,
    Subscribed,
}

/// What is said of the last click.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Said {
    Nothing,
    Working,
    Sent,
    Failed,
    Refused(ErrorCode),
}

/// What went wrong.
enum Trouble {
    Browser,
    Server(CallError),
}

impl From<JsValue> for Trouble {
    fn from(_: JsValue) -> Self {
        Self::Browser
    }
}

/// The app and its worker's scope.
#[derive(Clone)]
struct Loft {
    app: String,
    public_key: String,
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
        (Said::Failed, _) => &words.failed,
        (_, None) => &words.looking,
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
        Err(Trouble::Browser) => Said::Failed,
        Err(Trouble::Server(CallError(code))) => Said::Refused(code),
    });
}

impl Loft {
    /// Of each app one: a worker has one subscription, which is made with one app's key.
    fn scope(&self) -> String {
        format!("/sdk/browsers/{}/", self.app)
    }

    async fn standing(&self) -> Result<Standing, JsValue> {
        if workers().is_none() {
            return Ok(Standing::Unsupported);
        }
        if Notification::permission() == NotificationPermission::Denied {
            return Ok(Standing::Denied);
        }
        Ok(match self.subscription().await? {
            Some(_) => Standing::Subscribed,
            None => Standing::Unsubscribed,
        })
    }

    async fn registration(&self) -> Result<Option<ServiceWorkerRegistration>, JsValue> {
        let Some(workers) = workers() else {
            return Ok(None);
        };
        let scope = self.scope();
        let found = JsFuture::from(workers.get_registration_with_document_url(&scope)).await?;
        let found = found.dyn_into::<ServiceWorkerRegistration>().ok();
        Ok(found.filter(|registration| registration.scope().ends_with(&scope)))
    }

    async fn subscription(&self) -> Result<Option<PushSubscription>, JsValue> {
        let Some(registration) = self.registration().await? else {
            return Ok(None);
        };
        let found = JsFuture::from(registration.push_manager()?.get_subscription()?).await?;
        Ok(found.dyn_into().ok())
    }

    /// Always a subscription of its own: an old one may be one that the server has given up on.
    async fn subscribe(&self) -> Result<(), Trouble> {
        // First of all: the click's permission to ask does not survive a wait.
        let allowed = JsFuture::from(Notification::request_permission()?).await?;
        if allowed.as_string().as_deref() != Some("granted") {
            return Err(Trouble::Browser);
        }
        if let Some(old) = self.subscription().await? {
            JsFuture::from(old.unsubscribe()?).await?;
        }
        let options = PushSubscriptionOptionsInit::new();
        options.set_user_visible_only(true);
        options.set_application_server_key(&JsValue::from_str(&self.public_key));
        let push = self.active_worker().await?.push_manager()?;
        let made = JsFuture::from(push.subscribe_with_options(&options)?).await?;
        self.register(made.unchecked_ref()).await
    }

    async fn active_worker(&self) -> Result<ServiceWorkerRegistration, JsValue> {
        let workers = workers().ok_or(JsValue::NULL)?;
        let options = RegistrationOptions::new();
        options.set_scope(&self.scope());
        let made = JsFuture::from(workers.register_with_options(WORKER, &options)).await?;
        let registration: ServiceWorkerRegistration = made.unchecked_into();
        for _ in 0..LOOKS {
            if registration.active().is_some() {
                return Ok(registration);
            }
            pause(REST).await?;
        }
        Err(JsValue::NULL)
    }

    /// A subscription that the server does not take is of no use.
    async fn register(&self, made: &PushSubscription) -> Result<(), Trouble> {
        let json: JsValue = made.to_json()?.into();
        let keys = Reflect::get(&json, &"keys".into())?;
        let key = |name: &str| -> Result<String, JsValue> {
            Ok(Reflect::get(&keys, &name.into())?
                .as_string()
                .unwrap_or_default())
        };
        let (p256dh, auth) = (key("p256dh")?, key("auth")?);
        let registered = subscribe_browser(self.app.clone(), made.endpoint(), p256dh, auth).await;
        if registered.is_err() {
            JsFuture::from(made.unsubscribe()?).await?;
        }
        registered.map_err(Trouble::Server)
    }

    /// The server may have given the subscription up, or its owner may have removed it: then it ends here too.
    async fn test(&self) -> Result<(), Trouble> {
        let subscription = self.subscription().await?.ok_or(JsValue::NULL)?;
        let sent = send_test(self.app.clone(), subscription.endpoint()).await;
        if sent == Err(CallError(ErrorCode::NotFound)) {
            JsFuture::from(subscription.unsubscribe()?).await?;
        }
        sent.map_err(Trouble::Server)
    }

    async fn unsubscribe(&self) -> Result<(), Trouble> {
        let subscription = self.subscription().await?.ok_or(JsValue::NULL)?;
        let told = unsubscribe_browser(self.app.clone(), subscription.endpoint()).await;
        JsFuture::from(subscription.unsubscribe()?).await?;
        told.map_err(Trouble::Server)
    }
}

/// Where workers are registered, if this browser has workers, notifications and pushes.
fn workers() -> Option<ServiceWorkerContainer> {
    let has = |name: &str| Reflect::has(&window(), &name.into()).unwrap_or(false);
    let able = has("PushManager") && has("Notification");
    let workers = Reflect::get(&window().navigator(), &"serviceWorker".into()).ok()?;
    (able && workers.is_object()).then(|| workers.unchecked_into())
}
