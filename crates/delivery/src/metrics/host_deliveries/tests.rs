use hato_domain::{BrowserKeys, Endpoint, SubscriptionId};
use hato_service::ports::{
    FailureTally, Recipient, RecipientId, RetryJob, SentRecipient, Settlement, VapidKeyNumber,
};

use super::{HostDeliveries, MAX_NAMED, OTHERS, OutcomeCounts, PageTally};

fn tally(host: &str, counts: OutcomeCounts) -> PageTally {
    PageTally([(host.to_owned(), counts)].into())
}

fn counts_of(deliveries: &HostDeliveries, host: &str) -> Option<OutcomeCounts> {
    let by_host = deliveries.by_host();
    let found = by_host.into_iter().find(|(name, _)| name == host);
    found.map(|(_, counts)| counts)
}

fn recipient(id: i64, endpoint: &str) -> Recipient {
    Recipient {
        id: RecipientId(id),
        subscription_id: SubscriptionId::trusted(format!("sub_{id}")),
        endpoint: Endpoint::trusted(endpoint.to_owned()),
        keys: BrowserKeys {
            p256dh: [4; 65],
            auth: [0; 16],
        },
        vapid_key: VapidKeyNumber(0),
    }
}

fn job(recipient: i64, attempt: u8) -> RetryJob {
    RetryJob {
        recipients: vec![RecipientId(recipient)],
        attempt,
        due_at: hato_domain::UnixMillis(0),
    }
}

#[test]
fn a_page_is_counted_by_host_and_outcome() {
    let recipients = [
        recipient(1, "https://push.example/1"),
        recipient(2, "https://other.example:8443/2"),
        recipient(3, "https://push.example/3"),
        recipient(4, "https://PUSH.example?4"),
        recipient(5, "https://[2001:db8::1]:1/5"),
        recipient(6, "https://push.example/6"),
    ];
    let sent = |id| SentRecipient {
        recipient: RecipientId(id),
        http_status: 201,
    };
    let failed = |reason, recipients| FailureTally {
        host: "push.example".to_owned(),
        reason,
        recipients,
    };
    let settlement = Settlement {
        sent: [1, 2, 4, 5].map(sent).into(),
        tallies: vec![failed("expired", 2), failed("refused", 3)],
        retries: vec![job(3, 1), job(6, 0)],
        ..Settlement::default()
    };
    let tally = PageTally::new(&settlement, 0, &recipients);
    let expected = [
        ("[2001:db8::1]", [1, 0, 0, 0]),
        ("other.example", [1, 0, 0, 0]),
        ("push.example", [2, 2, 3, 1]),
    ];
    let expected = expected.map(|(host, counts)| (host.to_owned(), counts));
    assert_eq!(tally, PageTally(expected.into()));
    assert_eq!(tally.total(), [4, 2, 3, 1]);
}

#[test]
fn the_largest_hosts_have_names_and_no_count_ever_falls() {
    let deliveries = HostDeliveries::default();
    for number in 0..MAX_NAMED {
        let host = format!("{number}.example");
        deliveries.add(&tally(&host, [10 + number as u64, 0, 0, 0]));
    }
    deliveries.add(&tally("new.example", [9, 0, 0, 1]));
    assert_eq!(counts_of(&deliveries, "new.example"), None, "not larger");
    assert_eq!(counts_of(&deliveries, OTHERS), Some([9, 0, 0, 1]));

    deliveries.add(&tally("new.example", [1, 0, 0, 0]));
    assert_eq!(
        counts_of(&deliveries, "new.example"),
        Some([1, 0, 0, 0]),
        "what was counted before stays where it was"
    );
    assert_eq!(counts_of(&deliveries, "0.example"), None, "the smallest");
    assert_eq!(counts_of(&deliveries, OTHERS), Some([9, 0, 0, 1]));
    assert_eq!(deliveries.by_host().len(), MAX_NAMED + 1);

    deliveries.add(&tally("0.example", [5, 0, 0, 0]));
    assert_eq!(counts_of(&deliveries, "0.example"), Some([5, 0, 0, 0]));
}

#[test]
fn thousands_of_hosts_are_one() {
    let deliveries = HostDeliveries::default();
    deliveries.add(&tally("large.example", [100, 0, 0, 0]));
    for number in 0..5_000 {
        deliveries.add(&tally(&format!("{number}.example"), [1, 0, 0, 0]));
    }
    assert_eq!(deliveries.by_host().len(), MAX_NAMED + 1);
    assert_eq!(
        counts_of(&deliveries, "large.example"),
        Some([100, 0, 0, 0])
    );
    let unnamed = 5_000 - (MAX_NAMED as u64 - 1);
    assert_eq!(counts_of(&deliveries, OTHERS), Some([unnamed, 0, 0, 0]));
}
