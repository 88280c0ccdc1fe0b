//! Engagement: what recipients of a send report, counted once for each token (CONTRACT 15).
//!
//! Who is counted already stands in blocks of recipients' numbers (`PositionSet`), for each kind and each hour in which messages were
//! made; they go when tokens of that hour are good no more, and nobody is told apart any more. Counting locks the send first, so of two
//! processes that hear of the same token the later one finds it counted.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use async_trait::async_trait;
use hato_domain::{Engagement, PositionSet, SendId, UnixMillis};
use hato_service::ports::{EngagementCounts, EngagementReport, EngagementStore, StoreError};
use hato_service::{first_counted_hour, hour_of};
use serde::Deserialize;

use crate::Database;
use crate::dialect::{DbConnection, sql};
use crate::engagement_events::{due_sends, queue_engagement_events};
use crate::error::{decode_error, json, with_context};
use crate::recent_counts::{RecentCounts, add_to_quarter};
use crate::transaction::transaction;
use crate::values::{number_list, parse_clicks};
use crate::written_blocks::WrittenBlocks;

/// How long the webhook is not told of a send again.
const TELL_INTERVAL: Duration = Duration::from_hours(24);

#[async_trait]
impl EngagementStore for Database {
    async fn count_engagement(
        &self,
        send: &SendId,
        reports: Vec<EngagementReport>,
        now: UnixMillis,
    ) -> Result<(), StoreError> {
        let send = send.clone();
        transaction!(self, "count what recipients did", |c| {
            count(c, &send, &reports, now).await
        })
    }

    async fn queue_engagement_events(
        &self,
        now: UnixMillis,
        limit: u32,
    ) -> Result<bool, StoreError> {
        let due = due_sends(self, now, limit.into()).await;
        let due = due.map_err(with_context("look for engagement that was not told"))?;
        let is_full = due.len() >= usize::try_from(limit).unwrap_or(usize::MAX);
        // One by one: whoever settles a page locks its send before the webhook.
        for send in due {
            transaction!(self, "tell of engagement", |c| queue_engagement_events(
                c, &send, now
            )
            .await)?;
        }
        Ok(is_full)
    }

    async fn forget_engaged(&self, hour: i64, limit: u32) -> Result<bool, StoreError> {
        transaction!(self, "forget who was counted", |c| {
            let limit = i64::from(limit);
            let removed = sqlx::query!(
                "DELETE FROM engaged_recipients WHERE (send_id, engagement, hour, block) IN
                   (SELECT send_id, engagement, hour, block FROM engaged_recipients
                    WHERE hour < $1 ORDER BY hour LIMIT $2)",
                hour,
                limit
            );
            let removed = removed.execute(c).await?.rows_affected();
            Ok(i64::try_from(removed).unwrap_or(i64::MAX) >= limit)
        })
    }
}

/// What counting needs to know of a send.
struct EngagedSendRow {
    app_id: String,
    payload: String,
    due_at: i64,
    finished_at: Option<i64>,
    clicks_by_action: Option<String>,
    told_at: Option<i64>,
}

async fn count(
    c: &mut DbConnection,
    send: &SendId,
    reports: &[EngagementReport],
    now: UnixMillis,
) -> sqlx::Result<()> {
    let kinds = by_kind(reports, first_counted_hour(now));
    if kinds.is_empty() {
        return Ok(());
    }
    let row = lock_send(c, send).await?;
    let Some(row) = row.filter(|row| !row.is_long_over(now)) else {
        return Ok(());
    };
    let counts = count_new(c, send, &row, kinds).await?;
    if counts.displayed + counts.clicked + counts.dismissed == 0 {
        return Ok(());
    }
    add_to_send(c, send, &counts, row.next_telling(now)).await?;
    add_to_day(c, &row.app_id, UnixMillis(row.due_at), &counts).await
}

/// Adds the recipients to those who are counted, and counts those who were not. The clicks by action are the sums with those that the
/// send has.
async fn count_new(
    c: &mut DbConnection,
    send: &SendId,
    row: &EngagedSendRow,
    kinds: BTreeMap<HourlyEngagement, Vec<&EngagementReport>>,
) -> sqlx::Result<EngagementCounts> {
    let mut counts = EngagementCounts {
        clicks_by_action: parse_clicks(row.clicks_by_action.as_deref())?,
        ..EngagementCounts::default()
    };
    let actions = known_actions(&row.payload);
    for (kind, of_kind) in kinds {
        for report in add_new(c, send, kind, of_kind).await? {
            count_one(&mut counts, report, &actions);
        }
    }
    Ok(counts)
}

/// Reads a send of an app that is not deleted, and locks it.
async fn lock_send(c: &mut DbConnection, send: &SendId) -> sqlx::Result<Option<EngagedSendRow>> {
    sql!(query_as EngagedSendRow [
        r#"SELECT app_id, payload, COALESCE(send_at, created_at) AS "due_at!: i64", finished_at,
                  clicks_by_action, engagement_told_at AS "told_at"
           FROM sends WHERE id = $1
             AND EXISTS (SELECT 1 FROM apps AS own
                         WHERE own.id = sends.app_id AND own.deleted_at IS NULL)"# FOR_UPDATE
    ] send.as_str())
    .fetch_optional(c)
    .await
}

impl EngagedSendRow {
    /// Whether all its messages were made in hours whose tokens are good no more. Tokens have room for seven years only.
    fn is_long_over(&self, now: UnixMillis) -> bool {
        let finished_at = self.finished_at.map(UnixMillis);
        finished_at.is_some_and(|at| hour_of(at) + 1 < first_counted_hour(now))
    }

    /// When the webhook may be told of what is new.
    fn next_telling(&self, now: UnixMillis) -> UnixMillis {
        let told_at = self.told_at.map(UnixMillis);
        told_at.map_or(now, |at| at.plus(TELL_INTERVAL).max(now))
    }
}

/// Whose reports stand in blocks of their own: what was done, and the hour of the message.
type HourlyEngagement = (Engagement, i64);

/// The reports whose tokens are still good.
fn by_kind(
    reports: &[EngagementReport],
    first_hour: i64,
) -> BTreeMap<HourlyEngagement, Vec<&EngagementReport>> {
    let mut kinds: BTreeMap<HourlyEngagement, Vec<&EngagementReport>> = BTreeMap::new();
    for report in reports.iter().filter(|report| report.hour >= first_hour) {
        let kind = (report.engagement, report.hour);
        kinds.entry(kind).or_default().push(report);
    }
    kinds
}

/// Adds the recipients to those who are counted, and returns the reports of those who were not.
async fn add_new<'r>(
    c: &mut DbConnection,
    send: &SendId,
    kind: HourlyEngagement,
    reports: Vec<&'r EngagementReport>,
) -> sqlx::Result<Vec<&'r EngagementReport>> {
    let block_of = |report: &EngagementReport| PositionSet::block_of(report.recipient.0);
    let blocks: BTreeSet<i64> = reports.iter().map(|report| block_of(report)).collect();
    let blocks: Vec<i64> = blocks.into_iter().collect();
    let mut counted = counted_recipients(c, send, kind, &blocks).await?;
    let new: Vec<_> = reports
        .into_iter()
        .filter(|report| counted.insert(report.recipient.0))
        .collect();
    let changed = new.iter().map(|report| block_of(report)).collect();
    let written = only_blocks(&counted, &changed);
    if !written.is_empty() {
        write_blocks(c, send, kind, &written).await?;
    }
    Ok(new)
}

/// Who is counted already, of the recipients in these blocks.
async fn counted_recipients(
    c: &mut DbConnection,
    send: &SendId,
    (engagement, hour): HourlyEngagement,
    blocks: &[i64],
) -> sqlx::Result<PositionSet> {
    let rows = sql!(query [
        r#"SELECT block AS "block!", recipients AS "recipients!" FROM engaged_recipients
           WHERE block IN ("# NUMBERS r#") AND send_id = $2 AND engagement = $3 AND hour = $4"#
    ] number_list(blocks)?, send.as_str(), engagement.as_str(), hour)
    .fetch_all(c)
    .await?;
    let mut counted = PositionSet::default();
    for row in rows {
        if !counted.insert_block(row.block, &row.recipients) {
            return Err(decode_error("recipients"));
        }
    }
    Ok(counted)
}

fn only_blocks(counted: &PositionSet, numbers: &BTreeSet<i64>) -> Vec<(i64, Vec<u8>)> {
    let blocks = counted.blocks();
    let blocks = blocks.filter(|(number, _)| numbers.contains(number));
    blocks.collect()
}

async fn write_blocks(
    c: &mut DbConnection,
    send: &SendId,
    (engagement, hour): HourlyEngagement,
    blocks: &[(i64, Vec<u8>)],
) -> sqlx::Result<()> {
    let written = WrittenBlocks::new(blocks)?;
    sql!(query [
        "INSERT INTO engaged_recipients (send_id, engagement, hour, block, recipients)
         SELECT $2, $4, CAST($5 AS BIGINT), written.block, written.positions
         FROM (" BLOCKS ") AS written
         WHERE TRUE ON CONFLICT (send_id, engagement, hour, block)
         DO UPDATE SET recipients = excluded.recipients"
    ] written.places, send.as_str(), written.bytes, engagement.as_str(), hour)
    .execute(c)
    .await
    .map(drop)
}

fn count_one(counts: &mut EngagementCounts, report: &EngagementReport, actions: &BTreeSet<String>) {
    match report.engagement {
        Engagement::Displayed => counts.displayed += 1,
        Engagement::Dismissed => counts.dismissed += 1,
        Engagement::Clicked => {
            counts.clicked += 1;
            let action = report.action.as_ref();
            if let Some(action) = action.filter(|action| actions.contains(*action)) {
                *counts.clicks_by_action.entry(action.clone()).or_default() += 1;
            }
        }
    }
}

/// The parts of a payload that name its buttons (CONTRACT 13).
#[derive(Default, Deserialize)]
struct Buttons {
    #[serde(default)]
    actions: Vec<Button>,
}

#[derive(Deserialize)]
struct Button {
    action: String,
}

/// The buttons of the message; reports may name others, which are none.
fn known_actions(payload: &str) -> BTreeSet<String> {
    let buttons: Buttons = serde_json::from_str(payload).unwrap_or_default();
    let actions = buttons.actions.into_iter();
    actions.map(|button| button.action).collect()
}

/// Adds to the counts of the send; those by action are the sums already.
async fn add_to_send(
    c: &mut DbConnection,
    send: &SendId,
    counts: &EngagementCounts,
    due_at: UnixMillis,
) -> sqlx::Result<()> {
    let clicks = &counts.clicks_by_action;
    let clicks = (!clicks.is_empty()).then(|| json(clicks)).transpose()?;
    sqlx::query!(
        "UPDATE sends SET displayed = displayed + $2, clicked = clicked + $3,
                          dismissed = dismissed + $4, clicks_by_action = $5,
                          engagement_due_at = COALESCE(engagement_due_at, $6)
         WHERE id = $1",
        send.as_str(),
        counts.displayed,
        counts.clicked,
        counts.dismissed,
        clicks,
        due_at.0
    )
    .execute(c)
    .await
    .map(drop)
}

/// Adds to the day when the send was due, which has a row since then, and to that quarter of an hour.
async fn add_to_day(
    c: &mut DbConnection,
    app: &str,
    due_at: UnixMillis,
    counts: &EngagementCounts,
) -> sqlx::Result<()> {
    sqlx::query!(
        "UPDATE daily_counts SET displayed = displayed + $3, clicked = clicked + $4,
                                 dismissed = dismissed + $5
         WHERE app_id = $1 AND day = $2",
        app,
        due_at.day_number(),
        counts.displayed,
        counts.clicked,
        counts.dismissed
    )
    .execute(&mut *c)
    .await?;
    let recent = RecentCounts {
        displayed: counts.displayed,
        clicked: counts.clicked,
        dismissed: counts.dismissed,
        ..RecentCounts::default()
    };
    add_to_quarter(c, app, due_at, &recent).await
}

#[cfg(test)]
mod tests {
    use super::known_actions;

    #[test]
    fn buttons_are_those_of_the_message() {
        let actions = |payload| known_actions(payload).into_iter().collect::<Vec<_>>();
        let payload = r#"{"title":"t","actions":[{"action":"read","title":"Read"},{"action":"b","title":"B"}]}"#;
        assert_eq!(actions(payload), ["b", "read"]);
        for other in [
            "",
            "{}",
            r#"{"actions":7}"#,
            r#"{"actions":[{"title":"t"}]}"#,
        ] {
            assert!(actions(other).is_empty(), "{other}");
        }
    }
}
