//! What is recorded of a page.

use std::time::Duration;

use hato_domain::{
    AppId, BrowserKeys, Endpoint, FailureDetail, FailureReason, MessageSettings, Schedule, SendId,
    SubscriptionId, Ttl, UnixMillis,
};
use hato_service::ports::{
    ClaimedPage, ExpiredRecipient, FailureTally, JobId, NewDeadLetter, PageLease, PageRange,
    Recipient, RecipientId, RetryJob, SentRecipient, Settlement, VapidKeyNumber,
};

use super::{PushOutcomes, machine_wait, settlement, ttl_left};
use crate::push::response::{DeferralCause, PushOutcome};

const NOW: UnixMillis = UnixMillis(1_000_000);
const DELAYS: [Duration; 3] = [
    Duration::from_secs(5),
    Duration::from_mins(1),
    Duration::from_hours(2),
];

fn page(attempt: u8, ttl: i64) -> ClaimedPage {
    ClaimedPage {
        lease: PageLease {
            job: JobId(1),
            token: 1,
        },
        send_id: SendId::trusted("snd_1".into()),
        app_id: AppId::trusted("app_1".into()),
        range: PageRange::List(Vec::new()),
        attempt,
        payload: String::new(),
        messages: MessageSettings::default(),
        ttl: Ttl::parse(ttl).expect("a TTL"),
        urgency: None,
        topic: None,
        accepted_at: UnixMillis(0),
        schedule: Schedule::default(),
        vapid_key: VapidKeyNumber(0),
        sealed_private_key: Vec::new(),
        clock_lead: 0,
    }
}

fn retry(after: Option<u64>) -> PushOutcome {
    PushOutcome::Retry {
        reason: FailureReason::Throttled,
        status: Some(429),
        after: after.map(Duration::from_secs),
        detail: detail("too many"),
    }
}

fn detail(text: &str) -> Option<FailureDetail> {
    FailureDetail::from_text(text)
}

/// Even numbers are at a.example, odd ones at b.example.
fn recipient(id: i64) -> Recipient {
    let host = if id % 2 == 0 { "a" } else { "b" };
    Recipient {
        id: RecipientId(id),
        subscription_id: SubscriptionId::trusted(format!("sub_{id}")),
        endpoint: Endpoint::trusted(format!("https://{host}.example:444/{id}")),
        keys: BrowserKeys {
            p256dh: [4; 65],
            auth: [0; 16],
        },
        vapid_key: VapidKeyNumber(0),
    }
}

fn sent(id: i64, http_status: u16) -> SentRecipient {
    SentRecipient {
        recipient: RecipientId(id),
        http_status,
    }
}

fn tally(host: &str, reason: &'static str, recipients: i64) -> FailureTally {
    FailureTally {
        host: host.into(),
        reason,
        recipients,
    }
}

fn settle(attempt: u8, outcomes: &[(i64, Option<PushOutcome>)]) -> Settlement {
    let recipients: Vec<_> = outcomes.iter().map(|(id, _)| recipient(*id)).collect();
    let known: PushOutcomes = outcomes
        .iter()
        .filter_map(|(id, it)| Some((RecipientId(*id), it.clone()?)))
        .collect();
    settlement(&page(attempt, 3_600), &recipients, &known, &DELAYS, NOW)
}

fn job(attempt: u8, seconds: u64, recipients: &[i64]) -> RetryJob {
    RetryJob {
        recipients: recipients.iter().copied().map(RecipientId).collect(),
        attempt,
        due_at: NOW.plus(Duration::from_secs(seconds)),
    }
}

#[test]
fn every_recipient_stands_in_one_place() {
    let failed = PushOutcome::Failed {
        reason: FailureReason::Refused,
        status: Some(400),
        detail: detail("no"),
    };
    let settled = settle(
        0,
        &[
            (1, Some(PushOutcome::Sent { status: 201 })),
            (2, Some(PushOutcome::Expired { status: 410 })),
            (3, Some(failed)),
            (4, Some(retry(None))),
            (5, Some(PushOutcome::Sent { status: 202 })),
            (6, None),
        ],
    );
    let expected = Settlement {
        sent: vec![sent(1, 201), sent(5, 202)],
        expired: vec![ExpiredRecipient {
            recipient: RecipientId(2),
            http_status: 410,
        }],
        dead_letters: vec![NewDeadLetter {
            recipient: RecipientId(3),
            reason: FailureReason::Refused,
            http_status: Some(400),
            attempts: 1,
            detail: detail("no"),
        }],
        tallies: vec![
            tally("a.example", "expired", 1),
            tally("b.example", "refused", 1),
        ],
        retries: vec![job(0, 0, &[6]), job(1, 5, &[4])],
    };
    assert_eq!(settled, expected);
}

#[test]
fn retry_after_counts_when_longer_and_up_to_an_hour() {
    let asked = [
        (1, None),
        (2, Some(1)),
        (3, Some(5)),
        (4, Some(90)),
        (5, Some(u64::MAX)),
    ];
    let settled = settle(0, &asked.map(|(id, after)| (id, Some(retry(after)))));
    assert_eq!(
        settled.retries,
        [job(1, 5, &[1, 2, 3]), job(1, 90, &[4]), job(1, 3_600, &[5])]
    );
    let third = settle(2, &[(1, Some(retry(Some(10))))]);
    assert_eq!(
        third.retries,
        [job(3, 7_200, &[1])],
        "the operator's own wait is not cut"
    );
}

#[test]
fn what_a_push_service_asks_for_is_rounded_up_to_seconds() {
    let asked = |millis| PushOutcome::Retry {
        reason: FailureReason::Throttled,
        status: Some(429),
        after: Some(Duration::from_millis(millis)),
        detail: None,
    };
    let settled = settle(0, &[(1, Some(asked(8_001))), (2, Some(asked(8_999)))]);
    assert_eq!(settled.retries, [job(1, 9, &[1, 2])]);
}

/// Each recipient of a page may be at a push service of somebody's own.
#[test]
fn waits_that_all_differ_share_a_few_jobs() {
    let waits = |ttl| {
        let outcomes = (1..=500).map(|id| (RecipientId(id), retry(Some(7 * id.unsigned_abs()))));
        let recipients: Vec<Recipient> = (1..=500).map(recipient).collect();
        let page = page(0, ttl);
        settlement(&page, &recipients, &outcomes.collect(), &DELAYS, NOW).retries
    };
    for (ttl, last) in [(0, 3_584), (4_100, 3_099)] {
        let retries = waits(ttl);
        assert!(retries.len() < 80, "{}", retries.len());
        for retry in &retries {
            let waited = retry.due_at.since(NOW).as_secs();
            for recipient in &retry.recipients {
                let asked = 7 * recipient.0.unsigned_abs();
                let is_late = asked > last && asked <= 3_600;
                let range = asked..=if is_late {
                    3_600
                } else {
                    last.min(asked * 9 / 8)
                };
                assert!(range.contains(&waited), "{waited} of {asked}");
            }
        }
    }
}

fn deferred(millis: u64, cause: DeferralCause) -> PushOutcome {
    PushOutcome::Deferred {
        wait: Duration::from_millis(millis),
        cause,
    }
}

#[test]
fn who_is_deferred_keeps_the_attempt_and_waits_with_the_others_of_the_host() {
    let deferred = |millis| Some(deferred(millis, DeferralCause::PushService));
    let settled = settle(
        2,
        &[
            (1, deferred(1_500)),
            (2, deferred(60_000)),
            (3, deferred(7_001)),
            (4, deferred(100)),
        ],
    );
    assert_eq!(settled.retries, [job(2, 8, &[1, 3]), job(2, 60, &[2, 4])]);
}

/// Accepted 1,000 s ago. What push services hold back is given up after a day at the latest, what this machine does with its TTL.
#[test]
fn who_is_deferred_past_the_messages_time_has_failed() {
    const DAY: u64 = 24 * 3_600;
    let recipients = [recipient(1), recipient(3)];
    let settle = |ttl, wait, cause| {
        let known = recipients
            .iter()
            .map(|it| (it.id, deferred(wait * 1_000, cause)));
        settlement(&page(2, ttl), &recipients, &known.collect(), &DELAYS, NOW)
    };
    for (ttl, cause, in_time, reason) in [
        (1_060, DeferralCause::PushService, 59, "throttled"),
        (
            2_419_200,
            DeferralCause::PushService,
            DAY - 1_001,
            "throttled",
        ),
        (0, DeferralCause::PushService, DAY - 1_001, "throttled"),
        (1_060, DeferralCause::ThisMachine, 59, "out_of_time"),
        (200_000, DeferralCause::ThisMachine, 198_999, "out_of_time"),
    ] {
        let waiting = settle(ttl, in_time, cause);
        assert_eq!(waiting.retries, [job(2, in_time, &[1, 3])], "{ttl}");
        let late = settle(ttl, in_time + 1, cause);
        assert_eq!(late.retries, []);
        let letters = late.dead_letters.iter();
        let letters: Vec<_> = letters
            .map(|it| (it.reason.as_str(), it.attempts))
            .collect();
        assert_eq!(letters, [(reason, 2), (reason, 2)]);
    }
    let waiting = settle(0, 100 * DAY, DeferralCause::ThisMachine);
    assert_eq!(waiting.retries, [job(2, 100 * DAY, &[1, 3])]);
}

#[test]
fn a_page_of_which_this_machine_could_try_nobody_only_waits() {
    let recipients = [recipient(1), recipient(2)];
    let wait = |ttl, outcomes: [Option<PushOutcome>; 2]| {
        let known = recipients.iter().zip(outcomes);
        let known = known.filter_map(|(it, outcome)| Some((it.id, outcome?)));
        machine_wait(&page(0, ttl), &recipients, &known.collect(), NOW)
    };
    let local = |seconds: u64| Some(deferred(seconds * 1_000, DeferralCause::ThisMachine));
    let throttled = Some(deferred(1_000, DeferralCause::PushService));
    let sent = Some(PushOutcome::Sent { status: 201 });
    let five = Some(Duration::from_secs(5));
    assert_eq!(wait(3_600, [local(1), local(5)]), five);
    assert_eq!(wait(0, [local(1), local(5)]), five);
    assert_eq!(wait(1_005, [local(1), local(5)]), None, "too late by then");
    for other in [throttled, sent, None] {
        assert_eq!(wait(3_600, [local(5), other]), None);
    }
}

#[test]
fn attempts_are_the_requests_that_were_begun() {
    let attempts = |outcome| {
        let settled = settle(3, &[(1, Some(outcome))]);
        settled.dead_letters[0].attempts
    };
    assert_eq!(attempts(PushOutcome::BLOCKED), 3);
    assert_eq!(attempts(PushOutcome::REFUSED), 3);
    assert_eq!(attempts(PushOutcome::UNREACHABLE), 4);
    assert_eq!(attempts(retry(None)), 4);
}

#[test]
fn failures_are_tallied_by_host_and_reason() {
    let gone = Some(PushOutcome::Expired { status: 410 });
    let settled = settle(
        3,
        &[
            (1, gone.clone()),
            (3, gone.clone()),
            (4, gone),
            (5, Some(retry(None))),
            (7, Some(retry(None))),
        ],
    );
    assert_eq!(
        settled.tallies,
        [
            tally("a.example", "expired", 1),
            tally("b.example", "expired", 2),
            tally("b.example", "throttled", 2),
        ]
    );
}

#[test]
fn the_fourth_failure_is_a_dead_letter() {
    let settled = settle(3, &[(1, Some(retry(Some(10))))]);
    assert!(settled.retries.is_empty());
    let expected = NewDeadLetter {
        recipient: RecipientId(1),
        reason: FailureReason::Throttled,
        http_status: Some(429),
        attempts: 4,
        detail: detail("too many"),
    };
    assert_eq!(settled.dead_letters, [expected]);
}

#[test]
fn a_retry_carries_the_ttl_that_is_left() {
    let left = |attempt, ttl, millis| {
        ttl_left(&page(attempt, ttl), UnixMillis(millis)).map(|left| left.as_secs())
    };
    assert_eq!(left(0, 60, 90_000), Some(60), "the first attempt as given");
    assert_eq!(left(1, 60, 10_500), Some(49));
    assert_eq!(left(1, 60, 59_999), Some(1));
    assert_eq!(left(1, 60, 60_000), None);
    assert_eq!(left(3, 0, 60_000), Some(0), "TTL 0 stays 0");
}

#[test]
fn a_time_or_a_pace_counts_the_ttl_from_when_the_send_was_due() {
    // It is accepted, and so due, at 0; the schedule is known from the page.
    let left = |attempt, ttl, (expires_at, pace), millis| {
        let schedule = Schedule::parse(Some(0), expires_at, pace).expect("a schedule");
        let page = ClaimedPage {
            schedule,
            ..page(attempt, ttl)
        };
        ttl_left(&page, UnixMillis(millis)).map(|left| left.as_secs())
    };
    for pace in [None, Some(600)] {
        assert_eq!(left(0, 60, (None, pace), 0), Some(60));
        assert_eq!(left(0, 60, (None, pace), 500), Some(60));
        assert_eq!(left(0, 60, (None, pace), 1_000), Some(59));
        assert_eq!(left(0, 60, (None, pace), 59_999), Some(1));
        assert_eq!(left(0, 60, (None, pace), 60_000), None);
        assert_eq!(left(1, 60, (None, pace), 1_500), Some(58), "a retry");
        assert_eq!(left(0, 60, (Some(10_000), pace), 1_000), Some(9));
        assert_eq!(left(0, 60, (Some(10_000), pace), 9_999), Some(1));
        assert_eq!(left(0, 60, (Some(10_000), pace), 10_000), None);
        assert_eq!(left(0, 60, (Some(100_000), pace), 1_000), Some(59));
        assert_eq!(left(0, 0, (None, pace), 90_000), Some(0), "TTL 0 stays 0");
        assert_eq!(left(0, 0, (Some(10_000), pace), 9_999), Some(0));
        assert_eq!(left(0, 0, (Some(10_000), pace), 10_000), None);
    }
}
