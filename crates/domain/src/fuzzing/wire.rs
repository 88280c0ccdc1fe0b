//! A target of `make fuzz`: every wire type.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::wire::{
    Account, Acknowledged, AddVapidKey, ApiKey, App, AppUpdated, AudienceReport, BatchAccepted,
    Cancelled, ConfirmOwner, CreateApp, CreateKey, CreatedKey, Credentials, DeadLetter, EcJwk,
    EraseUser, ErrorBody, ExportedSubscription, ExportedVapidKey, HistoryItem, Identity, KeyEvent,
    ListEntries, NamedKey, Notify, NotifyBatch, Page, PublicKey, RegisterMany,
    RegisterSubscription, Registered, RegisteredMany, ReportEngagement, SendAccepted,
    SessionCreated, Stats, Subscription, SubscriptionUpdated, To, Unsubscribe, UpdateApp,
    UpdateSubscription, User, UserErased, VapidKey, has_unique_members, read,
};
use crate::{ErrorCode, Notification, PageRequest};

/// Requests as they are read, and what they mean. Their place in the list is the input's first byte.
const REQUESTS: [fn(&[u8]); 17] = [
    |body| {
        drop(kept::<Credentials>(body).map(Credentials::for_registration));
        drop(kept::<Credentials>(body).map(Credentials::for_login));
    },
    |body| drop(kept::<CreateKey>(body).map(CreateKey::into_parts)),
    |body| drop(read::<NamedKey>(body)),
    |body| drop(read::<ListEntries>(body).and_then(|it| page(&it))),
    checked::<RegisterSubscription>,
    |body| drop(kept::<Unsubscribe>(body).map(Unsubscribe::into_endpoint)),
    |body| drop(read::<RegisterMany>(body).and_then(RegisterMany::into_items)),
    |body| drop(kept::<Notify>(body).map(notification)),
    |body| drop(kept::<NotifyBatch>(body).map(NotifyBatch::into_parts)),
    checked::<To>,
    checked::<ReportEngagement>,
    |body| {
        let Ok(update) = read::<UpdateSubscription>(body) else {
            return;
        };
        drop((update.parse(true), update.parse(false)));
    },
    |body| drop(kept::<EraseUser>(body).map(EraseUser::into_user)),
    checked::<AddVapidKey>,
    |body| drop(kept::<ConfirmOwner>(body).map(|it| it.typed(true))),
    |body| drop(kept::<CreateApp>(body).map(CreateApp::into_name)),
    |body| drop(read::<UpdateApp>(body).and_then(UpdateApp::into_parts)),
];

/// Responses, which clients read.
const RESPONSES: [fn(&[u8]); 28] = [
    checked::<Account>,
    checked::<Acknowledged>,
    checked::<ApiKey>,
    checked::<App>,
    checked::<AppUpdated>,
    checked::<AudienceReport>,
    checked::<BatchAccepted>,
    checked::<Cancelled>,
    checked::<CreatedKey>,
    checked::<DeadLetter>,
    checked::<EcJwk>,
    checked::<ErrorBody>,
    checked::<ExportedSubscription>,
    checked::<ExportedVapidKey>,
    checked::<Page<HistoryItem>>,
    checked::<Identity>,
    checked::<Page<KeyEvent>>,
    checked::<PublicKey>,
    checked::<Registered>,
    checked::<RegisteredMany>,
    checked::<SendAccepted>,
    checked::<SessionCreated>,
    checked::<Stats>,
    checked::<Page<Subscription>>,
    checked::<SubscriptionUpdated>,
    checked::<User>,
    checked::<UserErased>,
    checked::<VapidKey>,
];

/// What is read of a JSON body and written again says the same.
pub fn wire(data: &[u8]) {
    let Some((kind, body)) = data.split_first() else {
        return;
    };
    let kinds: Vec<fn(&[u8])> = REQUESTS.into_iter().chain(RESPONSES).collect();
    kinds[usize::from(*kind) % kinds.len()](body);
    has_unique_members(body);
}

fn checked<T: Serialize + DeserializeOwned>(body: &[u8]) {
    kept::<T>(body);
}

/// The body, if it can be read: written and read again, it is the same.
fn kept<T: Serialize + DeserializeOwned>(body: &[u8]) -> Option<T> {
    let value: T = read(body).ok()?;
    let written = serde_json::to_vec(&value).expect("wire types are plain data");
    let again: T = read(&written).expect("what was written can be read");
    assert_eq!(shown(&again), shown(&value));
    Some(value)
}

/// As JSON, without what numbers have behind the point: its last digit may be rounded.
fn shown(value: &impl Serialize) -> Value {
    let mut value = serde_json::to_value(value).expect("wire types are plain data");
    cut(&mut value);
    value
}

fn cut(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => *value = Value::Null,
        Value::Array(items) => items.iter_mut().for_each(cut),
        Value::Object(members) => members.values_mut().for_each(cut),
        _ => {}
    }
}

fn page(members: &ListEntries) -> Result<PageRequest, ErrorCode> {
    let text = |number: Option<i64>| number.map(|number| number.to_string());
    let (limit, before) = (text(members.limit), text(members.before));
    let before_id = members.before_id.as_deref();
    PageRequest::parse(limit.as_deref(), before.as_deref(), before_id)
}

fn notification(message: Notify) -> Result<Notification, ErrorCode> {
    message.options()?;
    message.schedule()?;
    message.filter()?;
    message.into_notification()
}
