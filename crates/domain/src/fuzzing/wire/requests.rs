//! Requests as they are read, and what they mean.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Kind, kept};
#[cfg(feature = "curve")]
use crate::BrowserKeys;
#[cfg(feature = "private-key")]
use crate::VapidPrivateKey;
use crate::wire::{
    AddVapidKey, ConfirmOwner, CreateApp, CreateKey, Credentials, EraseUser, ListEntries, NamedKey,
    Notify, NotifyBatch, RegisterMany, RegisterSubscription, ReportEngagement, To, Unsubscribe,
    UpdateApp, UpdateSubscription, read,
};
use crate::{
    Endpoint, Engagement, ErrorCode, Notification, PageRequest, Platform, RegistrationFault,
    VapidPublicKey,
};

/// Their place is the input's first byte, and so is in the seeds.
pub const REQUESTS: [Kind; 17] = [
    ("Credentials", |body| {
        means(body, Credentials::for_registration) & means(body, Credentials::for_login)
    }),
    ("CreateKey", |body| means(body, CreateKey::into_parts)),
    ("NamedKey", |body| {
        read::<NamedKey>(body).is_ok_and(|it| it.key_id.is_some())
    }),
    ("ListEntries", |body| {
        read(body).and_then(|it| page(&it)).is_ok()
    }),
    ("RegisterSubscription", |body| means(body, registration)),
    ("Unsubscribe", |body| {
        means(body, Unsubscribe::into_endpoint)
    }),
    ("RegisterMany", registers_somebody),
    ("Notify", |body| means(body, notification)),
    ("NotifyBatch", |body| {
        means(body, |it: NotifyBatch| {
            let (_, payload) = it.into_parts()?;
            notification(payload)
        })
    }),
    ("To", |body| means(body, audience)),
    ("ReportEngagement", |body| means(body, engagement)),
    ("UpdateSubscription", |body| {
        read::<UpdateSubscription>(body)
            .is_ok_and(|it| it.parse(true).is_ok() | it.parse(false).is_ok())
    }),
    ("EraseUser", |body| means(body, EraseUser::into_user)),
    ("AddVapidKey", |body| means(body, vapid_key)),
    ("ConfirmOwner", |body| {
        means(body, |it: ConfirmOwner| it.typed(true))
            & means(body, |it: ConfirmOwner| it.typed(false))
    }),
    ("CreateApp", |body| means(body, CreateApp::into_name)),
    ("UpdateApp", |body| {
        read(body).and_then(UpdateApp::into_parts).is_ok()
    }),
];

/// Whether the body can be read, as what is written again as it is, and means something.
fn means<T, M, E>(body: &[u8], meaning: impl FnOnce(T) -> Result<M, E>) -> bool
where
    T: Serialize + DeserializeOwned,
{
    kept(body).is_some_and(|it| meaning(it).is_ok())
}

fn page(members: &ListEntries) -> Result<PageRequest, ErrorCode> {
    let text = |number: Option<i64>| number.map(|number| number.to_string());
    let (limit, before) = (text(members.limit), text(members.before));
    let before_id = members.before_id.as_deref();
    PageRequest::parse(limit.as_deref(), before.as_deref(), before_id)
}

fn registers_somebody(body: &[u8]) -> bool {
    let Ok(items) = read(body).and_then(RegisterMany::into_items) else {
        return false;
    };
    let of_items = items.into_iter().map(|it| registration(it?.registration));
    of_items.flatten().count() > 0
}

/// What a registration means, as the use case takes it apart.
fn registration(request: RegisterSubscription) -> Result<(), RegistrationFault> {
    drop(request.profile_change(true));
    request.profile_change(false)?;
    let platform = request.platform.as_deref().map(Platform::parse);
    platform
        .transpose()
        .map_err(|_| RegistrationFault::Platform)?;
    let vapid_key = request
        .vapid_public_key
        .as_deref()
        .map(VapidPublicKey::parse);
    vapid_key
        .transpose()
        .map_err(|_| RegistrationFault::VapidKey)?;
    for endpoint in request.replaces.iter().chain(&request.endpoint) {
        Endpoint::parse(endpoint).map_err(RegistrationFault::from_endpoint_error)?;
    }
    let p256dh = request.p256dh.ok_or(RegistrationFault::NoBrowserKeys)?;
    let auth = request.auth.ok_or(RegistrationFault::NoBrowserKeys)?;
    browser_keys(&p256dh, &auth)
}

/// A browser's keys are the same in the form in which they are exported.
#[cfg(feature = "curve")]
fn browser_keys(p256dh: &str, auth: &str) -> Result<(), RegistrationFault> {
    let keys = BrowserKeys::parse(p256dh, auth)?;
    let again = BrowserKeys::parse(&base64url(&keys.p256dh), &base64url(&keys.auth));
    assert!(again == Ok(keys), "a key is another one when it is written");
    Ok(())
}

#[cfg(not(feature = "curve"))]
fn browser_keys(_: &str, _: &str) -> Result<(), RegistrationFault> {
    Ok(())
}

#[cfg(feature = "curve")]
fn base64url(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes)
}

fn notification(message: Notify) -> Result<Notification, ErrorCode> {
    message.options()?;
    message.schedule()?;
    message.filter()?;
    message.into_notification()
}

/// Whom a message with nothing else to say is for.
fn audience(to: To) -> Result<(), ErrorCode> {
    let message = Notify {
        to: Some(to),
        ..Notify::default()
    };
    message.filter().map(drop)
}

fn engagement(report: ReportEngagement) -> Result<Engagement, ErrorCode> {
    let event = report.event.ok_or(ErrorCode::MissingFields)?;
    Engagement::parse(&event).ok_or(ErrorCode::InvalidInput)
}

/// A key that is imported is the same in the form in which it is exported.
#[cfg(feature = "private-key")]
fn vapid_key(request: AddVapidKey) -> Result<(), ErrorCode> {
    let Some(text) = request.private_key else {
        return Ok(());
    };
    let key = VapidPrivateKey::parse(&text)?;
    let public_key = key.public_key();
    let jwk = VapidPrivateKey::to_jwk(&key.into_secret());
    let jwk = serde_json::to_string(&jwk).expect("a key is plain data");
    let again = VapidPrivateKey::parse(&jwk).expect("an exported key can be imported");
    assert!(again.public_key() == public_key, "it is another key");
    Ok(())
}

#[cfg(not(feature = "private-key"))]
fn vapid_key(_: AddVapidKey) -> Result<(), ErrorCode> {
    Ok(())
}
