//! Responses, which clients read.

use super::{Kind, is_kept};
use crate::wire::{
    Account, Acknowledged, ApiKey, App, AppUpdated, AudienceReport, BatchAccepted, Cancelled,
    CreatedKey, DeadLetter, EcJwk, ErrorBody, ExportedSubscription, ExportedVapidKey, HistoryItem,
    Identity, KeyEvent, Page, PublicKey, Registered, RegisteredMany, SendAccepted, SessionCreated,
    Stats, Subscription, SubscriptionUpdated, User, UserErased, VapidKey, Webhook,
};

/// Their place behind the requests is the input's first byte, and so is in the seeds.
pub const RESPONSES: [Kind; 29] = [
    ("Account", is_kept::<Account>),
    ("Acknowledged", is_kept::<Acknowledged>),
    ("ApiKey", is_kept::<ApiKey>),
    ("App", is_kept::<App>),
    ("AppUpdated", is_kept::<AppUpdated>),
    ("AudienceReport", is_kept::<AudienceReport>),
    ("BatchAccepted", is_kept::<BatchAccepted>),
    ("Cancelled", is_kept::<Cancelled>),
    ("CreatedKey", is_kept::<CreatedKey>),
    ("DeadLetter", is_kept::<DeadLetter>),
    ("EcJwk", is_kept::<EcJwk>),
    ("ErrorBody", is_kept::<ErrorBody>),
    ("ExportedSubscription", is_kept::<ExportedSubscription>),
    ("ExportedVapidKey", is_kept::<ExportedVapidKey>),
    ("PageOfHistoryItem", is_kept::<Page<HistoryItem>>),
    ("Identity", is_kept::<Identity>),
    ("PageOfKeyEvent", is_kept::<Page<KeyEvent>>),
    ("PublicKey", is_kept::<PublicKey>),
    ("Registered", is_kept::<Registered>),
    ("RegisteredMany", is_kept::<RegisteredMany>),
    ("SendAccepted", is_kept::<SendAccepted>),
    ("SessionCreated", is_kept::<SessionCreated>),
    ("Stats", is_kept::<Stats>),
    ("PageOfSubscription", is_kept::<Page<Subscription>>),
    ("SubscriptionUpdated", is_kept::<SubscriptionUpdated>),
    ("User", is_kept::<User>),
    ("UserErased", is_kept::<UserErased>),
    ("VapidKey", is_kept::<VapidKey>),
    ("Webhook", is_kept::<Webhook>),
];
