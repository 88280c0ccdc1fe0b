//! What the browser itself does: permission, worker and subscription.

use hato_domain::ErrorCode;
use js_sys::{Promise, Reflect};
use leptos::prelude::window;
use leptos::wasm_bindgen::prelude::Closure;
use leptos::wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    BroadcastChannel, DomException, MessageEvent, Notification, NotificationPermission,
    PushManager, PushSubscription, PushSubscriptionOptionsInit, RegistrationOptions,
    ServiceWorkerContainer, ServiceWorkerRegistration,
};

use crate::islands::sleep::{sleep, within};
use crate::server_fns::{
    ServerFunctionError, send_draft_to_me, send_test, subscribe_browser, unsubscribe_browser,
};

/// The worker that customers' sites import.
const WORKER_URL: &str = "/sdk/sw.js";

/// On which channel workers say that they have shown a notification.
const SHOWN: &str = "hato-shown";

/// How often it is asked whether the worker is active, and how many milliseconds apart.
const MAX_ACTIVATION_CHECKS: u32 = 400;
const ACTIVATION_POLL_MS: i32 = 50;

/// How long the browser may take to ask its push service: where that cannot be reached, some never answer.
const PUSH_TIMEOUT_MS: i32 = 15_000;

/// Whether the browser is, or can be, subscribed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PushState {
    /// It offers workers to pages over https alone, and this is none.
    Insecure,
    /// It has no workers, notifications or pushes.
    Unsupported,
    /// The user has blocked notifications.
    Denied,
    /// The browser could subscribe.
    Unsubscribed,
    /// The browser is subscribed to the app.
    Subscribed,
}

/// Why a subscription, a test or an end of a subscription failed.
pub enum PushError {
    /// The user closed the question without an answer.
    Dismissed,
    /// The browser did not do it.
    Browser,
    /// The browser does not reach its push service, though it may make the subscription later.
    Unreachable(LateSubscription),
    /// The server refused it with a code.
    Server(ServerFunctionError),
}

impl From<JsValue> for PushError {
    fn from(_: JsValue) -> Self {
        Self::Browser
    }
}

/// A subscription that the browser was asked for, and that nobody waits for any more.
pub struct LateSubscription(Promise);

impl LateSubscription {
    /// Ends the subscription when the browser makes it after all, unless it is wanted by then.
    pub async fn end_unless(self, is_wanted: impl Fn() -> bool) -> Result<(), JsValue> {
        let made: PushSubscription = JsFuture::from(self.0).await?.unchecked_into();
        if !is_wanted() {
            JsFuture::from(made.unsubscribe()?).await?;
        }
        Ok(())
    }
}

/// Whether the browser gave up: with this name it says that its push service failed.
fn is_abort(error: &JsValue) -> bool {
    let exception = error.dyn_ref::<DomException>();
    exception.is_some_and(|exception| exception.name() == "AbortError")
}

/// The app and its worker's scope.
#[derive(Clone)]
pub struct BrowserPush {
    /// The id of the app that the browser subscribes to, `app_…`.
    pub app: String,
    /// Its VAPID public key, in base64url.
    pub public_key: String,
}

impl BrowserPush {
    /// A scope per app: a worker has one subscription, which is made with one app's key.
    fn scope(&self) -> String {
        format!("/sdk/browsers/{}/", self.app)
    }

    /// Whether the browser is subscribed to the app.
    pub async fn state(&self) -> Result<PushState, JsValue> {
        if !window().is_secure_context() {
            return Ok(PushState::Insecure);
        }
        if workers().is_none() {
            return Ok(PushState::Unsupported);
        }
        if Notification::permission() == NotificationPermission::Denied {
            return Ok(PushState::Denied);
        }
        Ok(match self.subscription().await? {
            Some(_) => PushState::Subscribed,
            None => PushState::Unsubscribed,
        })
    }

    /// Calls `heard` whenever the app's worker says that it has shown a notification, as long as the page is open.
    pub fn hear_shown(&self, heard: impl Fn() + 'static) -> Result<(), JsValue> {
        let (channel, scope) = (BroadcastChannel::new(SHOWN)?, self.scope());
        let listen = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            let shown_at = event.data().as_string().unwrap_or_default();
            if shown_at.ends_with(&scope) {
                heard();
            }
        });
        channel.set_onmessage(Some(listen.as_ref().unchecked_ref()));
        listen.forget();
        Ok(())
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

    /// Makes a subscription of its own, always: an old one may be one that the server has given up on.
    pub async fn subscribe(&self) -> Result<(), PushError> {
        // First of all: the click's permission to ask does not survive a wait.
        JsFuture::from(Notification::request_permission()?).await?;
        match Notification::permission() {
            NotificationPermission::Granted => {}
            NotificationPermission::Default => return Err(PushError::Dismissed),
            _ => return Err(PushError::Browser),
        }
        let mut replaced = String::new();
        if let Some(old) = self.subscription().await? {
            replaced = old.endpoint();
            JsFuture::from(old.unsubscribe()?).await?;
        }
        let push = self.active_worker().await?.push_manager()?;
        let made = self.ask_push_service(&push).await?;
        self.register(&made, replaced).await
    }

    async fn ask_push_service(&self, push: &PushManager) -> Result<PushSubscription, PushError> {
        let options = PushSubscriptionOptionsInit::new();
        options.set_user_visible_only(true);
        options.set_application_server_key(&JsValue::from_str(&self.public_key));
        let asked = push.subscribe_with_options(&options)?;
        match within(PUSH_TIMEOUT_MS, &asked).await {
            Ok(Some(made)) => Ok(made.unchecked_into()),
            Err(error) if !is_abort(&error) => Err(error.into()),
            Ok(None) | Err(_) => Err(PushError::Unreachable(LateSubscription(asked))),
        }
    }

    async fn active_worker(&self) -> Result<ServiceWorkerRegistration, JsValue> {
        let workers = workers().ok_or(JsValue::NULL)?;
        let options = RegistrationOptions::new();
        options.set_scope(&self.scope());
        let made = JsFuture::from(workers.register_with_options(WORKER_URL, &options)).await?;
        let registration: ServiceWorkerRegistration = made.unchecked_into();
        for _ in 0..MAX_ACTIVATION_CHECKS {
            if registration.active().is_some() {
                return Ok(registration);
            }
            sleep(ACTIVATION_POLL_MS).await?;
        }
        Err(JsValue::NULL)
    }

    /// A subscription that the server does not take is of no use.
    async fn register(&self, made: &PushSubscription, replaced: String) -> Result<(), PushError> {
        let json: JsValue = made.to_json()?.into();
        let keys = Reflect::get(&json, &"keys".into())?;
        let key = |name: &str| -> Result<String, JsValue> {
            Ok(Reflect::get(&keys, &name.into())?
                .as_string()
                .unwrap_or_default())
        };
        let (p256dh, auth) = (key("p256dh")?, key("auth")?);
        let app = self.app.clone();
        let registered = subscribe_browser(app, made.endpoint(), p256dh, auth, replaced).await;
        if registered.is_err() {
            JsFuture::from(made.unsubscribe()?).await?;
        }
        registered.map_err(PushError::Server)
    }

    /// Sends this browser a test. The server may have given the subscription up, or its owner may have removed it: then it
    /// ends here too.
    pub async fn test(&self) -> Result<(), PushError> {
        let subscription = self.subscription().await?.ok_or(JsValue::NULL)?;
        let sent = send_test(self.app.clone(), subscription.endpoint()).await;
        if sent == Err(ServerFunctionError(ErrorCode::NotFound)) {
            JsFuture::from(subscription.unsubscribe()?).await?;
        }
        sent.map_err(PushError::Server)
    }

    /// Sends this browser what is being written, after subscribing it unless it is.
    pub async fn send_draft(&self, draft: String, is_subscribed: bool) -> Result<(), PushError> {
        if !is_subscribed {
            self.subscribe().await?;
        }
        let subscription = self.subscription().await?.ok_or(JsValue::NULL)?;
        let sent = send_draft_to_me(self.app.clone(), subscription.endpoint(), draft).await;
        sent.map_err(PushError::Server)
    }

    /// Ends the subscription, here and at the server.
    pub async fn unsubscribe(&self) -> Result<(), PushError> {
        let subscription = self.subscription().await?.ok_or(JsValue::NULL)?;
        let result = unsubscribe_browser(self.app.clone(), subscription.endpoint()).await;
        JsFuture::from(subscription.unsubscribe()?).await?;
        result.map_err(PushError::Server)
    }
}

/// Where workers are registered, if this browser has workers, notifications and pushes.
fn workers() -> Option<ServiceWorkerContainer> {
    let has = |name: &str| Reflect::has(&window(), &name.into()).unwrap_or(false);
    let able = has("PushManager") && has("Notification");
    let workers = Reflect::get(&window().navigator(), &"serviceWorker".into()).ok()?;
    (able && workers.is_object()).then(|| workers.unchecked_into())
}
