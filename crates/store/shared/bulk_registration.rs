//! Registering many browsers of an app in one transaction (CONTRACT 16).
//!
//! Nearly all endpoints of an import are new. What these need is looked up once for all of them, so each costs the one statement
//! that writes it. The others go the way of single registrations.

use std::collections::{HashMap, HashSet};

use hato_domain::{AppId, LanguageTag, Platform, TimeZoneName, UserId, VapidPublicKey};
use hato_service::ports::{
    DeactivationReason, MAX_REGISTERED_TOGETHER, NewSubscription, RegisterOutcome,
};
use serde_json::{Value, json};

use crate::dialect::{DbConnection, lock_app, sql};
use crate::error::json as json_text;
use crate::registered_profile::{Registration, WrittenProfile};
use crate::registration::register;
use crate::subscription_counts::count_growth;
use crate::tag_positions::{TagChange, change_tags};
use crate::values::{
    count_i64, endpoint_hash, hexadecimal, hexadecimal_hash, parse_plan, parse_tags,
};
use crate::vapid_keys::named_key;

/// What becomes of each of these registrations, which are all of this app. Nothing is kept of a dry run, which is judged in parts as it would
/// be registered.
pub(crate) async fn register_many(
    c: &mut DbConnection,
    app: &AppId,
    all: &[NewSubscription],
    is_dry_run: bool,
) -> sqlx::Result<Vec<RegisterOutcome>> {
    if !is_dry_run {
        return register_all(c, app, all).await;
    }
    sqlx::query("SAVEPOINT dry_run").execute(&mut *c).await?;
    let mut outcomes = Vec::with_capacity(all.len());
    for together in all.chunks(MAX_REGISTERED_TOGETHER) {
        outcomes.extend(register_all(c, app, together).await?);
    }
    for undo in ["ROLLBACK TO SAVEPOINT dry_run", "RELEASE SAVEPOINT dry_run"] {
        sqlx::query(undo).execute(&mut *c).await?;
    }
    Ok(outcomes)
}

async fn register_all(
    c: &mut DbConnection,
    app: &AppId,
    all: &[NewSubscription],
) -> sqlx::Result<Vec<RegisterOutcome>> {
    lock_app(c, app).await?;
    let known = known_endpoints(c, app, all).await?;
    let (new, others) = tell_apart(all, &known);
    let mut outcomes = vec![RegisterOutcome::Unsubscribed; all.len()];
    let (indices, new): (Vec<_>, Vec<_>) = new.into_iter().unzip();
    for (index, outcome) in indices.into_iter().zip(add(c, app, &new).await?) {
        outcomes[index] = outcome;
    }
    for (index, it) in others {
        outcomes[index] = register(c, it, true).await?;
    }
    Ok(outcomes)
}

/// Whether an endpoint that the app has may be registered again.
enum KnownEndpoint {
    /// It is registered, or may be again.
    Registered,
    /// The browser or the owner has ended it.
    Unsubscribed,
}

impl KnownEndpoint {
    fn from_reason(deactivation_reason: Option<&str>) -> Self {
        if deactivation_reason == Some(DeactivationReason::Unsubscribed.as_str()) {
            Self::Unsubscribed
        } else {
            Self::Registered
        }
    }
}

/// Registrations with their places among all of them.
type Placed<'a> = Vec<(usize, &'a NewSubscription)>;

/// Those that are new to the app and replace nothing, and the others, but for those who have unsubscribed. Of several with the same
/// endpoint, the first is new.
fn tell_apart<'a>(
    all: &'a [NewSubscription],
    known: &HashMap<Vec<u8>, KnownEndpoint>,
) -> (Placed<'a>, Placed<'a>) {
    let (mut new, mut others, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
    for (index, it) in all.iter().enumerate() {
        let hash = endpoint_hash(&it.endpoint);
        let is_first = seen.insert(hash);
        match known.get(&hash[..]) {
            Some(KnownEndpoint::Unsubscribed) => {}
            None if is_first && it.replaces.is_none() => new.push((index, it)),
            None | Some(KnownEndpoint::Registered) => others.push((index, it)),
        }
    }
    (new, others)
}

/// Which endpoints the app knows, by their hashes.
async fn known_endpoints(
    c: &mut DbConnection,
    app: &AppId,
    all: &[NewSubscription],
) -> sqlx::Result<HashMap<Vec<u8>, KnownEndpoint>> {
    let hashes = all.iter().map(|it| hexadecimal_hash(&it.endpoint));
    let rows = sql!(query [
        "SELECT endpoint_hash, deactivation_reason FROM subscriptions
         WHERE " OF_APP("endpoint_hash" IN HASHES)
    ] json_text(&hashes.collect::<Vec<_>>())?, app.as_str())
    .fetch_all(c)
    .await?;
    let known = rows.into_iter().map(|row| {
        let known = KnownEndpoint::from_reason(row.deactivation_reason.as_deref());
        (row.endpoint_hash, known)
    });
    Ok(known.collect())
}

/// Adds endpoints that are new to the app, as many as it may have; their order is that of their positions.
async fn add(
    c: &mut DbConnection,
    app: &AppId,
    new: &[&NewSubscription],
) -> sqlx::Result<Vec<RegisterOutcome>> {
    let Some(mut room) = room(c, app, new).await? else {
        return Ok(vec![RegisterOutcome::NoApp; new.len()]);
    };
    let mut keys = VapidKeyNumbers::default();
    let (mut outcomes, mut taken) = (Vec::with_capacity(new.len()), Vec::new());
    for it in new {
        let outcome = match keys.number(c, it).await? {
            Err(refusal) => refusal,
            Ok(_) if room == 0 => RegisterOutcome::LimitReached,
            Ok(key) => match Registration::from_new(it, key)? {
                None => RegisterOutcome::TooManyTags,
                Some(written) => {
                    room -= 1;
                    taken.push(written);
                    RegisterOutcome::Created(it.id.clone())
                }
            },
        };
        outcomes.push(outcome);
    }
    write(c, app, &taken).await?;
    Ok(outcomes)
}

/// How many active subscriptions the app may have besides those that it has; `None` when it is gone.
async fn room(
    c: &mut DbConnection,
    app: &AppId,
    new: &[&NewSubscription],
) -> sqlx::Result<Option<i64>> {
    let row = sqlx::query!(
        "SELECT a.plan, p.active_subscriptions
         FROM apps AS p JOIN accounts AS a ON a.id = p.account_id
         WHERE p.id = $1 AND p.deleted_at IS NULL",
        app.as_str()
    )
    .fetch_optional(c)
    .await?;
    let Some(row) = row else {
        return Ok(None);
    };
    let limit = max_active(&row.plan, new)?;
    Ok(Some((limit - row.active_subscriptions).max(0)))
}

/// The limit of the plan or of the registrations, whichever is smaller.
fn max_active(plan: &str, new: &[&NewSubscription]) -> sqlx::Result<i64> {
    let limits = [
        parse_plan(plan)?.max_subscriptions(),
        new.first().and_then(|it| it.max_active),
    ];
    Ok(limits.into_iter().flatten().min().unwrap_or(i64::MAX))
}

/// The numbers of the VAPID keys that registrations name, each looked up once.
#[derive(Default)]
struct VapidKeyNumbers(Vec<(VapidPublicKey, Result<i64, RegisterOutcome>)>);

impl VapidKeyNumbers {
    async fn number(
        &mut self,
        c: &mut DbConnection,
        new: &NewSubscription,
    ) -> sqlx::Result<Result<Option<i64>, RegisterOutcome>> {
        let Some(key) = new.vapid_public_key else {
            return Ok(Ok(None));
        };
        let known = self.0.iter().find(|(known, _)| *known == key);
        let number = if let Some((_, number)) = known {
            number.clone()
        } else {
            let number = named_key(c, &new.app_id, &key).await?;
            self.0.push((key, number.clone()));
            number
        };
        Ok(number.map(Some))
    }
}

/// Writes these at the next positions of the app, and counts them.
async fn write(
    c: &mut DbConnection,
    app: &AppId,
    taken: &[(Registration<'_>, WrittenProfile)],
) -> sqlx::Result<()> {
    let Some((registration, _)) = taken.first() else {
        return Ok(());
    };
    let count = count_i64(taken.len());
    count_growth(c, app.as_str(), registration.new.now, (count, 0)).await?;
    let last = sqlx::query_scalar!(
        r#"UPDATE apps
           SET last_position = last_position + $2, active_subscriptions = active_subscriptions + $2
           WHERE id = $1 RETURNING last_position AS "last_position!""#,
        app.as_str(),
        count
    );
    let first = last.fetch_one(&mut *c).await? - count + 1;
    insert(c, app, taken, first).await?;
    change_tags(c, app.as_str(), &added_tags(taken, first)?).await
}

/// The tags of these, whose positions are those from `first` on.
fn added_tags(
    taken: &[(Registration<'_>, WrittenProfile)],
    first: i64,
) -> sqlx::Result<Vec<TagChange>> {
    let mut tags = Vec::new();
    for ((_, profile), position) in taken.iter().zip(first..) {
        let added = parse_tags(profile.tags.as_deref())?;
        tags.extend(added.iter().map(|tag| TagChange::new(tag, position, true)));
    }
    Ok(tags)
}

/// Makes the rows, at the positions from `first` on, in one statement: what each costs besides is handed to SQLite's thread and back.
/// The app is locked since their endpoints were looked for, so nobody has made one of them meanwhile.
async fn insert(
    c: &mut DbConnection,
    app: &AppId,
    taken: &[(Registration<'_>, WrittenProfile)],
    first: i64,
) -> sqlx::Result<()> {
    sql!(query [
        "INSERT INTO subscriptions (public_id, app_id, endpoint, endpoint_hash, p256dh, auth,
                                    platform, position, created_at, user_id, tags, lang, time_zone,
                                    vapid_key)
         SELECT added.public_id, $2, added.endpoint, added.endpoint_hash, added.p256dh, added.auth,
                added.platform, added.position, added.created_at, added.user_id,
                NULLIF(added.tags, '[]'), added.lang, added.time_zone,
                COALESCE(added.vapid_key, (SELECT vapid_key FROM apps WHERE id = $2))
         FROM (" NEW_SUBSCRIPTIONS ") AS added ORDER BY added.position"
    ] new_rows(taken, first)?, app.as_str())
    .execute(c)
    .await
    .map(drop)
}

/// These as `NEW_SUBSCRIPTIONS` takes them.
fn new_rows(taken: &[(Registration<'_>, WrittenProfile)], first: i64) -> sqlx::Result<String> {
    let rows = taken.iter().zip(first..);
    let rows = rows.map(|(it, position)| new_row(it, position));
    json_text(&rows.collect::<Vec<_>>())
}

fn new_row((registration, profile): &(Registration<'_>, WrittenProfile), position: i64) -> Value {
    let new = registration.new;
    json!([
        new.id.as_str(),
        new.endpoint.as_str(),
        hexadecimal_hash(&new.endpoint),
        hexadecimal(&new.keys.p256dh),
        hexadecimal(&new.keys.auth),
        new.platform.as_ref().map(Platform::as_str),
        position,
        new.created_at.0,
        profile.user_id.as_ref().map(UserId::as_str),
        profile.tags,
        profile.lang.as_ref().map(LanguageTag::as_str),
        profile.time_zone.as_ref().map(TimeZoneName::as_str),
        registration.vapid_key
    ])
}
