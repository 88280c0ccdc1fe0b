//! How records look in answers (SPEC 4, CONTRACT 4): the REST API and MCP answer with the same bodies.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hato_domain::wire::{
    Actor, AgeShare, ApiKey, App, AppUpdated, AudienceReport, BatchAccepted, CreatedKey,
    DeadLetter, HistoryItem, HostReach, HostShare, Identity, KeyEvent, PublicKey, Registered,
    SendAccepted, Subscription, SubscriptionUpdated, User, VapidKey, Webhook,
};
use hato_domain::{MessageSettings, UnixMillis};

use crate::access::{AccountPrincipal, ActorRecord, MaySubscribe};
use crate::ports::{
    AppRecord, AudienceSummary, ChangedApp, DeadLetterRecord, KeyEventRecord, KeyRecord,
    ProfileRecord, ReachCount, SendRecord, SubscriptionRecord, VapidKeyUse,
};
use crate::{IdentitySecrets, NewKey, RegistrationReceipt, SendReceipt, WebhookDetails};

impl AppRecord {
    /// The app as the API shows it; push services are told to turn to `vapid_subject`.
    pub fn into_wire(self, vapid_subject: &str) -> App {
        App {
            app_id: self.id.to_string(),
            vapid_public_key: URL_SAFE_NO_PAD.encode(&self.vapid_public_key),
            name: self.name,
            webhook_url: self.webhook_url,
            vapid_subject: vapid_subject.to_owned(),
            plan: self.plan.as_str().to_owned(),
            active_subscriptions: self.active_subscriptions,
            created_at: self.created_at,
            site_url: site_url(&self.messages),
            declarative: self.messages.declarative,
            tracking: self.messages.tracking.as_str().to_owned(),
        }
    }
}

impl From<ChangedApp> for AppUpdated {
    fn from(app: ChangedApp) -> Self {
        Self {
            ok: true,
            site_url: site_url(&app.messages),
            declarative: app.messages.declarative,
            tracking: app.messages.tracking.as_str().to_owned(),
            webhook_url: app.webhook_url,
        }
    }
}

fn site_url(messages: &MessageSettings) -> Option<String> {
    let site_url = messages.site_url.as_ref();
    site_url.map(|url| url.as_str().to_owned())
}

impl From<&AccountPrincipal> for User {
    fn from(owner: &AccountPrincipal) -> Self {
        let account = owner.account();
        Self {
            id: account.id.to_string(),
            email: account.email.as_str().to_owned(),
            plan: account.plan.as_str().to_owned(),
            created_at: account.created_at,
        }
    }
}

impl From<ActorRecord> for Actor {
    fn from(actor: ActorRecord) -> Self {
        Self {
            kind: actor.kind.as_str().to_owned(),
            id: actor.id,
            name: actor.name,
        }
    }
}

impl From<&MaySubscribe> for PublicKey {
    fn from(access: &MaySubscribe) -> Self {
        Self {
            public_key: URL_SAFE_NO_PAD.encode(access.vapid_public_key()),
            app_id: access.app().to_string(),
        }
    }
}

impl From<&RegistrationReceipt> for Registered {
    fn from(registration: &RegistrationReceipt) -> Self {
        Self {
            id: registration.id.to_string(),
            reactivated: registration.was_deactivated,
            vapid_public_key: registration
                .primary_key
                .as_ref()
                .map(|key| URL_SAFE_NO_PAD.encode(key)),
        }
    }
}

impl From<ProfileRecord> for SubscriptionUpdated {
    fn from(record: ProfileRecord) -> Self {
        let profile = record.profile;
        Self {
            id: record.id.to_string(),
            user_id: profile.user_id.map(|it| it.as_str().to_owned()),
            tags: profile
                .tags
                .iter()
                .map(|it| it.as_str().to_owned())
                .collect(),
            lang: profile.lang.map(|it| it.as_str().to_owned()),
            time_zone: profile.time_zone.map(|it| it.as_str().to_owned()),
        }
    }
}

impl From<IdentitySecrets> for Identity {
    fn from(secrets: IdentitySecrets) -> Self {
        let (previous_secret, previous_secret_expires_at) = secrets.previous_secret.unzip();
        Self {
            identity_secret: secrets.secret,
            previous_secret,
            previous_secret_expires_at,
        }
    }
}

impl From<KeyRecord> for ApiKey {
    fn from(key: KeyRecord) -> Self {
        Self {
            id: key.id.to_string(),
            name: key.name,
            scope: key.scope.as_str().to_owned(),
            last_used_at: key.last_used_at,
            created_at: key.created_at,
        }
    }
}

impl From<NewKey> for CreatedKey {
    fn from(key: NewKey) -> Self {
        Self {
            record: key.record.into(),
            key: key.raw,
        }
    }
}

impl From<KeyEventRecord> for KeyEvent {
    fn from(event: KeyEventRecord) -> Self {
        Self {
            id: event.id.to_string(),
            event: event.event.as_str().to_owned(),
            key_id: event.key_id,
            key_name: event.key_name,
            key_scope: event.key_scope.as_str().to_owned(),
            created_at: event.created_at,
            actor: event.actor.into(),
        }
    }
}

impl From<VapidKeyUse> for VapidKey {
    fn from(used: VapidKeyUse) -> Self {
        let key = used.key;
        Self {
            id: key.id().to_string(),
            public_key: key.public_text(),
            primary: key.is_primary,
            created_at: key.created_at,
            active_subscriptions: used.active_subscriptions,
        }
    }
}

impl From<&SendReceipt> for SendAccepted {
    fn from(receipt: &SendReceipt) -> Self {
        Self {
            ok: true,
            send_id: receipt.send_id.to_string(),
            queued: receipt.queued,
            send_at: receipt.send_at,
        }
    }
}

impl From<&SendReceipt> for BatchAccepted {
    fn from(receipt: &SendReceipt) -> Self {
        Self {
            queued: receipt.queued,
            send_id: receipt.send_id.to_string(),
            send_at: receipt.send_at,
        }
    }
}

impl From<SendRecord> for HistoryItem {
    fn from(send: SendRecord) -> Self {
        let counts = send.counts;
        Self {
            send_id: send.id.to_string(),
            title: send.title,
            body: send.body,
            url: send.url,
            sent_count: counts.sent,
            failed_count: counts.failed_expired + counts.failed_other,
            failed_expired: counts.failed_expired,
            failed_other: counts.failed_other,
            created_at: send.created_at,
            actor: send.actor.into(),
            status: send.status.as_str().to_owned(),
            recipients: send.recipients,
            skipped_count: counts.skipped,
            cancelled_count: counts.cancelled,
            dead_letters_omitted: counts.omitted_dead_letters(),
            send_at: send.schedule.send_at(),
            expires_at: send.schedule.expires_at(),
            max_per_minute: send.schedule.pace().map(|pace| pace.per_minute().into()),
            refused_reason: send.refused_reason,
            displayed_count: send.engagement.displayed,
            clicked_count: send.engagement.clicked,
            dismissed_count: send.engagement.dismissed,
            clicks_by_action: send.engagement.clicks_by_action,
        }
    }
}

impl From<DeadLetterRecord> for DeadLetter {
    fn from(letter: DeadLetterRecord) -> Self {
        Self {
            id: letter.id.to_string(),
            send_id: letter.send_id.to_string(),
            subscription_id: letter.subscription_id,
            endpoint: letter.endpoint,
            reason: letter.reason,
            detail: letter.detail,
            http_status: letter.http_status,
            attempts: letter.attempts,
            created_at: letter.created_at,
        }
    }
}

impl From<SubscriptionRecord> for Subscription {
    fn from(subscription: SubscriptionRecord) -> Self {
        let day = |number| UnixMillis::from_day_number(number).day();
        let tags = subscription.tags.iter();
        Self {
            id: subscription.id.to_string(),
            endpoint: subscription.endpoint,
            platform: subscription.platform,
            user_id: subscription.user_id,
            tags: tags.map(|tag| tag.as_str().to_owned()).collect(),
            lang: subscription.lang,
            time_zone: subscription.time_zone,
            state: state(subscription.deactivated.is_some()).to_owned(),
            created_at: subscription.created_at,
            last_success_on: subscription.last_success_on.map(day),
            deactivated_at: subscription.deactivated.map(|end| end.at),
            reason: subscription
                .deactivated
                .map(|end| end.reason.as_str().to_owned()),
        }
    }
}

const fn state(is_deactivated: bool) -> &'static str {
    if is_deactivated {
        "deactivated"
    } else {
        "active"
    }
}

impl From<AudienceSummary> for AudienceReport {
    fn from(summary: AudienceSummary) -> Self {
        let ages = AudienceSummary::AGES.map(Some).into_iter().chain([None]);
        Self {
            recipients: summary.recipients,
            by_host: summary.by_host.iter().map(host_share).collect(),
            reach_by_host: summary.by_host.into_iter().map(host_reach).collect(),
            by_age: ages.zip(summary.by_age).map(age_share).collect(),
            approximate: summary.is_approximate,
        }
    }
}

fn host_share((host, group): &(String, ReachCount)) -> HostShare {
    HostShare {
        host: host.clone(),
        recipients: group.recipients,
    }
}

fn host_reach((host, group): (String, ReachCount)) -> HostReach {
    HostReach {
        host,
        recipients: group.recipients,
        answered_last_send: group.answered_last_send,
    }
}

const fn age_share((days, group): (Option<i64>, ReachCount)) -> AgeShare {
    AgeShare {
        days,
        recipients: group.recipients,
        answered_last_send: group.answered_last_send,
    }
}

impl From<WebhookDetails> for Webhook {
    fn from(webhook: WebhookDetails) -> Self {
        let (previous_secret, previous_secret_expires_at) = webhook.previous_secret.unzip();
        let reason = webhook.disabled.map(|reason| reason.as_str().to_owned());
        Self {
            webhook_url: webhook.url,
            secret: webhook.secret,
            previous_secret,
            previous_secret_expires_at,
            enabled: reason.is_none(),
            disabled_reason: reason,
        }
    }
}
