//! The state of a limiter.

use std::time::Duration;

use tokio::time::Instant;

use super::{AimdState, Feedback, MAX_PUSH_RETRY_AFTER, REJECT_DELAY, Rejected};

fn feed(state: &mut AimdState, feedback: Feedback, times: usize, now: Instant) {
    for _ in 0..times {
        let generation = state.start();
        state.record(feedback, generation, now);
        state.finish();
    }
}

#[test]
fn a_few_refusals_among_many_answers_change_nothing() {
    let now = Instant::now();
    let mut state = AimdState::new(1_000, now);
    for _ in 0..100 {
        feed(
            &mut state,
            Feedback::Throttled(Some(Duration::from_mins(1))),
            2,
            now,
        );
        feed(&mut state, Feedback::Unanswered, 3, now);
        feed(&mut state, Feedback::Answered, 20, now);
    }
    assert_eq!(state.limit, 1_000);
    assert_eq!(state.admit(true, now), Ok(()));
}

#[test]
fn the_limit_falls_to_one_and_no_further() {
    let now = Instant::now();
    let mut state = AimdState::new(1_000, now);
    feed(&mut state, Feedback::Throttled(None), 1_000, now);
    assert_eq!(state.limit, 1);
    assert_eq!(state.admit(true, now), Ok(()), "no pause was asked for");
}

#[test]
fn the_limit_recovers_by_doubling_and_then_in_steps() {
    let now = Instant::now();
    let mut state = AimdState::new(1_024, now);
    feed(&mut state, Feedback::Throttled(None), 1_000, now);
    let mut limits = vec![state.limit];
    while state.limit < 1_024 {
        let in_flight = state.limit;
        feed(&mut state, Feedback::Answered, in_flight, now);
        limits.push(state.limit);
    }
    assert_eq!(limits[..5], [1, 2, 4, 8, 16]);
    assert!(limits.is_sorted());
    let rounds = limits.len();
    assert!((40..100).contains(&rounds), "gradually: {rounds}");
}

#[test]
fn what_was_sent_before_a_change_is_not_held_against_it() {
    let now = Instant::now();
    let mut state = AimdState::new(100, now);
    let sent: Vec<u64> = (0..100).map(|_| state.start()).collect();
    for generation in sent {
        state.record(Feedback::Throttled(None), generation, now);
    }
    assert_eq!(state.limit, 50);
}

#[test]
fn a_pause_is_as_long_as_was_asked_for_up_to_an_hour() {
    let now = Instant::now();
    for (retry_after, paused) in [
        (Duration::from_mins(2), Duration::from_mins(2)),
        (Duration::MAX, MAX_PUSH_RETRY_AFTER),
    ] {
        let mut state = AimdState::new(4, now);
        feed(&mut state, Feedback::Throttled(Some(retry_after)), 4, now);
        let almost = now + paused - Duration::from_millis(1);
        assert!(state.admit(true, almost).is_err());
        assert_eq!(state.admit(true, now + paused), Ok(()));
    }
}

#[test]
fn who_is_rejected_comes_back_after_the_pause_in_turn() {
    let now = Instant::now();
    let pause = Duration::from_mins(1);
    let mut state = AimdState::new(64, now);
    feed(&mut state, Feedback::Throttled(Some(pause)), 32, now);
    let waits: Vec<Duration> = (0..1_000)
        .map(|_| match state.admit(true, now) {
            Err(Rejected::Paused(wait)) => wait,
            other => panic!("{other:?}"),
        })
        .collect();
    assert!(waits.is_sorted());
    assert!(waits[0] > pause);
    assert_eq!(
        waits[32],
        waits[0] + pause,
        "as many as are admitted at a time, each time"
    );
    assert_eq!(
        waits[999],
        pause + REJECT_DELAY.1,
        "and nobody later than that"
    );
}

#[test]
fn a_limiter_is_remembered_while_it_knows_something() {
    let now = Instant::now();
    let mut state = AimdState::new(1, now);
    assert!(state.is_forgettable(now));
    let generation = state.start();
    assert!(!state.is_forgettable(now));
    state.finish();
    state.record(Feedback::Unanswered, generation, now);
    assert!(!state.is_forgettable(now));
    assert!(state.is_forgettable(now + Duration::from_mins(1)));
}

#[test]
fn a_shrunk_limiter_is_remembered_longer_than_a_retry_takes() {
    let now = Instant::now();
    let mut state = AimdState::new(1_000, now);
    assert!(state.is_forgettable(now));
    feed(&mut state, Feedback::Throttled(None), 1_000, now);
    assert!(!state.is_forgettable(now + Duration::from_mins(2)));
    assert!(state.is_forgettable(now + Duration::from_mins(10)));
}
