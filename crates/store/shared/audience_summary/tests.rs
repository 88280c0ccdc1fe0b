use std::collections::HashMap;

use hato_domain::{PositionSet, ReachBlock};

use super::{DAY_MILLIS, SampledAudience, Seen, age_group};

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

/// Looks at somebody of each host and age, who stand behind each other, and counts: whoever stands at one of `answered` took the last
/// send.
fn sampled(people: impl IntoIterator<Item = (String, usize)>, answered: &[i64]) -> SampledAudience {
    let mut sampled = SampledAudience::default();
    for ((host, age), position) in people.into_iter().zip(1..) {
        let host = sampled.host_number(&host);
        sampled.seen.push(Seen {
            position,
            age,
            host,
        });
    }
    let mut block = ReachBlock::default();
    let answered: PositionSet = answered.iter().copied().collect();
    block.record(1, &answered, &PositionSet::default());
    sampled.count(&HashMap::from([(PositionSet::block_of(1), block)]));
    sampled
}

#[test]
fn beyond_twenty_push_services_are_others() {
    let hosts = (1..=22).flat_map(|number| vec![(format!("{number:02}.example"), 0); number]);
    let summary = sampled(hosts, &[1, 2, 4, 253]).summary(None);
    let shown = |index: usize| {
        let (host, group) = &summary.by_host[index];
        (&**host, group.recipients, group.answered_last_send)
    };
    assert_eq!(summary.by_host.len(), 21);
    assert_eq!(shown(0), ("22.example", 22, 1));
    assert_eq!(shown(19), ("03.example", 3, 1));
    assert_eq!(shown(20), ("other", 3, 2));
}

#[test]
fn an_estimate_adds_up() {
    let people = [("a", 0), ("a", 3), ("b", 3)].map(|(host, age)| (host.to_owned(), age));
    let summary = sampled(people, &[2, 3]).summary(Some(1_000_000));
    let shown = |host: usize| {
        let (host, group) = &summary.by_host[host];
        (&**host, group.recipients, group.answered_last_send)
    };
    assert_eq!(shown(0), ("a", 666_667, 333_333));
    assert_eq!(shown(1), ("b", 333_333, 333_333));
    let ages = summary.by_age.map(|group| group.recipients);
    assert_eq!(ages, [333_333, 0, 0, 666_667]);
    assert_eq!(summary.by_age[3].answered_last_send, 666_667);
    assert!(summary.is_approximate);
}
