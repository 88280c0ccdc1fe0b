//! The pace of a gate.

use std::time::Duration;

use tokio::time::Instant;

use super::{LONGEST_PAUSE, PUT_OFF, Pace};
use crate::gate::{Closed, Report};

fn report(pace: &mut Pace, report: Report, times: usize, now: Instant) {
    for _ in 0..times {
        let generation = pace.let_in();
        pace.take_note(report, generation, now);
        pace.let_out();
    }
}

#[test]
fn a_few_refusals_among_many_answers_change_nothing() {
    let now = Instant::now();
    let mut pace = Pace::new(1_000, now);
    for _ in 0..100 {
        report(
            &mut pace,
            Report::Throttled(Some(Duration::from_mins(1))),
            2,
            now,
        );
        report(&mut pace, Report::Unanswered, 3, now);
        report(&mut pace, Report::Answered, 20, now);
    }
    assert_eq!(pace.limit(), 1_000);
    assert_eq!(pace.admit(true, now), Ok(()));
}

#[test]
fn the_limit_falls_to_one_and_no_further() {
    let now = Instant::now();
    let mut pace = Pace::new(1_000, now);
    report(&mut pace, Report::Throttled(None), 1_000, now);
    assert_eq!(pace.limit(), 1);
    assert_eq!(pace.admit(true, now), Ok(()), "no pause was asked for");
}

#[test]
fn the_limit_recovers_by_doubling_and_then_in_steps() {
    let now = Instant::now();
    let mut pace = Pace::new(1_024, now);
    report(&mut pace, Report::Throttled(None), 1_000, now);
    let mut limits = vec![pace.limit()];
    while pace.limit() < 1_024 {
        let inside = pace.limit();
        report(&mut pace, Report::Answered, inside, now);
        limits.push(pace.limit());
    }
    assert_eq!(limits[..5], [1, 2, 4, 8, 16]);
    assert!(limits.is_sorted());
    let rounds = limits.len();
    assert!((40..100).contains(&rounds), "gradually: {rounds}");
}

#[test]
fn what_was_sent_before_a_change_is_not_held_against_it() {
    let now = Instant::now();
    let mut pace = Pace::new(100, now);
    let sent: Vec<u64> = (0..100).map(|_| pace.let_in()).collect();
    for generation in sent {
        pace.take_note(Report::Throttled(None), generation, now);
    }
    assert_eq!(pace.limit(), 50);
}

#[test]
fn a_pause_is_as_long_as_was_asked_for_up_to_an_hour() {
    let now = Instant::now();
    for (asked, paused) in [
        (Duration::from_mins(2), Duration::from_mins(2)),
        (Duration::MAX, LONGEST_PAUSE),
    ] {
        let mut pace = Pace::new(4, now);
        report(&mut pace, Report::Throttled(Some(asked)), 4, now);
        let almost = now + paused - Duration::from_millis(1);
        assert!(pace.admit(true, almost).is_err());
        assert_eq!(pace.admit(true, now + paused), Ok(()));
    }
}

#[test]
fn who_is_put_off_comes_back_after_the_pause_in_his_turn() {
    let now = Instant::now();
    let pause = Duration::from_mins(1);
    let mut pace = Pace::new(64, now);
    report(&mut pace, Report::Throttled(Some(pause)), 32, now);
    let waits: Vec<Duration> = (0..1_000)
        .map(|_| match pace.admit(true, now) {
            Err(Closed::Busy(wait)) => wait,
            other => panic!("{other:?}"),
        })
        .collect();
    assert!(waits.is_sorted());
    assert!(waits[0] > pause);
    assert_eq!(
        waits[32],
        waits[0] + pause,
        "as many as are let in at a time, each time"
    );
    assert_eq!(waits[999], pause + PUT_OFF.1, "and nobody later than that");
}

#[test]
fn a_gate_is_remembered_while_it_knows_something() {
    let now = Instant::now();
    let mut pace = Pace::new(1, now);
    assert!(pace.is_forgettable(now));
    let generation = pace.let_in();
    assert!(!pace.is_forgettable(now));
    pace.let_out();
    pace.take_note(Report::Unanswered, generation, now);
    assert!(!pace.is_forgettable(now));
    assert!(pace.is_forgettable(now + Duration::from_mins(1)));
}

#[test]
fn a_narrow_gate_is_remembered_longer_than_a_retry_takes() {
    let now = Instant::now();
    let mut pace = Pace::new(1_000, now);
    assert!(pace.is_forgettable(now));
    report(&mut pace, Report::Throttled(None), 1_000, now);
    assert!(!pace.is_forgettable(now + Duration::from_mins(2)));
    assert!(pace.is_forgettable(now + Duration::from_mins(10)));
}
