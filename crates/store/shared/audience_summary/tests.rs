use super::{DAY_MILLIS, LookedAt, age_group};

#[test]
fn an_age_ends_with_its_last_day() {
    for (days, group) in [
        (-1, 0),
        (0, 0),
        (30, 0),
        (31, 1),
        (90, 1),
        (91, 2),
        (271, 3),
    ] {
        assert_eq!(age_group(days * DAY_MILLIS), group, "{days}");
    }
    assert_eq!(age_group(270 * DAY_MILLIS + 1), 3);
}

#[test]
fn beyond_twenty_push_services_are_others() {
    let hosts = (1..=22).map(|number| (format!("{number:02}.example"), number));
    let looked_at = LookedAt {
        hosts: hosts.collect(),
        recipients: 253,
        ..LookedAt::default()
    };
    let summary = looked_at.summary(None);
    assert_eq!(summary.by_host.len(), 21);
    assert_eq!(summary.by_host[0], ("22.example".to_owned(), 22));
    assert_eq!(summary.by_host[20], ("other".to_owned(), 3));
}

#[test]
fn an_estimate_adds_up() {
    let mut looked_at = LookedAt {
        hosts: [("a".to_owned(), 2), ("b".to_owned(), 1)].into(),
        recipients: 3,
        ..LookedAt::default()
    };
    looked_at.ages[0].recipients = 1;
    looked_at.ages[3].recipients = 2;
    looked_at.ages[3].answered_last_send = 2;
    let summary = looked_at.summary(Some(1_000_000));
    assert_eq!(summary.by_host[0], ("a".to_owned(), 666_667));
    assert_eq!(summary.by_host[1], ("b".to_owned(), 333_333));
    let ages = summary.by_age.map(|group| group.recipients);
    assert_eq!(ages, [333_333, 0, 0, 666_667]);
    assert_eq!(summary.by_age[3].answered_last_send, 666_667);
    assert!(summary.is_approximate);
}
