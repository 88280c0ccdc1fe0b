//! The state of a limiter.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::super::admission::{EARLY, MAX_WAIT, MAX_WAIT_AFTER_PAUSE, MIN_WAIT};
use super::{AimdState, Feedback, LimiterBounds, OriginMemory};
use crate::push::response::MAX_PUSH_RETRY_AFTER;

const ANSWERED: Feedback = Feedback::Answered(Duration::from_millis(50));

/// The state of a limiter that begins with `initial` of `ceiling` requests.
fn limiter(initial: usize, ceiling: usize, now: Instant) -> AimdState {
    let bounds = LimiterBounds {
        initial,
        ceiling,
        permit_timeout: Duration::from_secs(2),
    };
    AimdState::new(bounds, Arc::new(OriginMemory::new(now)), now)
}

/// The state of a limiter that has reached its ceiling.
fn wide(ceiling: usize, now: Instant) -> AimdState {
    limiter(ceiling, ceiling, now)
}

fn reserve(state: &mut AimdState, count: usize, now: Instant) -> Duration {
    let limit = state.limit;
    state.admission.reserve(count, limit, now)
}

/// How long to stay away whose turn comes after this time.
fn early(turn: Duration) -> Duration {
    turn.saturating_sub(EARLY)
}

fn feed(state: &mut AimdState, feedback: Feedback, times: usize, now: Instant) {
    for _ in 0..times {
        let generation = state.start();
        state.record(feedback, generation, now);
        state.finish();
    }
}

/// As many requests at a time as are admitted, all of which end like this.
fn round(state: &mut AimdState, feedback: Feedback, now: Instant) {
    let sent: Vec<u64> = (0..state.limit).map(|_| state.start()).collect();
    for generation in &sent {
        state.record(feedback, *generation, now);
    }
    for _ in sent {
        state.finish();
    }
}

#[test]
fn a_few_refusals_among_many_answers_change_nothing() {
    let now = Instant::now();
    let mut state = wide(1_000, now);
    for _ in 0..100 {
        feed(
            &mut state,
            Feedback::Throttled(Some(Duration::from_mins(1))),
            2,
            now,
        );
        feed(&mut state, Feedback::Unanswered, 3, now);
        feed(&mut state, ANSWERED, 20, now);
    }
    assert_eq!(state.limit, 1_000);
    assert_eq!(state.admission.admit(true, now), Ok(()));
}

#[test]
fn the_limit_falls_to_one_and_no_further() {
    let now = Instant::now();
    let mut state = wide(1_000, now);
    feed(&mut state, Feedback::Throttled(None), 1_000, now);
    assert_eq!(state.limit, 1);
    assert_eq!(
        state.admission.admit(true, now),
        Ok(()),
        "no pause was asked for"
    );
}

#[test]
fn the_limit_recovers_by_doubling_and_then_in_steps() {
    let now = Instant::now();
    let mut state = wide(1_024, now);
    feed(&mut state, Feedback::Throttled(None), 1_000, now);
    let mut limits = vec![state.limit];
    while state.limit < 1_024 {
        round(&mut state, ANSWERED, now);
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
    let mut state = wide(100, now);
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
        let mut state = wide(4, now);
        feed(&mut state, Feedback::Throttled(Some(retry_after)), 4, now);
        let almost = now + paused - Duration::from_millis(1);
        assert!(state.admission.admit(true, almost).is_err());
        assert_eq!(state.admission.admit(true, now + paused), Ok(()));
    }
}

#[test]
fn who_is_rejected_comes_back_after_the_pause_in_turn() {
    let now = Instant::now();
    let pause = Duration::from_mins(1);
    let mut state = wide(64, now);
    feed(&mut state, Feedback::Throttled(Some(pause)), 32, now);
    assert_eq!(state.limit, 32);
    let waits: Vec<Duration> = (0..100).map(|_| reserve(&mut state, 32, now)).collect();
    assert_eq!(waits[0], pause + MIN_WAIT);
    let second = early(pause * 2);
    assert_eq!(waits[1], second, "as many as are admitted, each time");
    assert_eq!(waits[2], second + pause);
    let last = early(pause + MAX_WAIT_AFTER_PAUSE);
    assert_eq!(waits[99], last, "and nobody later than that");
}

#[test]
fn who_is_rejected_waits_no_longer_than_five_pauses_but_a_minute() {
    let now = Instant::now();
    for (pause, longest) in [
        (Duration::from_secs(1), MAX_WAIT),
        (Duration::from_secs(30), Duration::from_secs(150)),
        (Duration::from_mins(10), MAX_WAIT_AFTER_PAUSE),
    ] {
        let mut state = wide(2, now);
        feed(&mut state, Feedback::Throttled(Some(pause)), 2, now);
        let waits = (0..100).map(|_| reserve(&mut state, 500, now));
        assert_eq!(waits.last(), Some(early(pause + longest)), "{pause:?}");
    }
}

#[test]
fn without_a_pause_who_is_rejected_comes_back_at_the_pace_of_the_answers() {
    let now = Instant::now();
    let mut state = wide(100, now);
    let answered = Feedback::Answered(Duration::from_millis(500));
    feed(&mut state, answered, 32, now);
    assert_eq!(reserve(&mut state, 500, now), MIN_WAIT);
    let behind_them = Duration::from_millis(2_500);
    assert_eq!(reserve(&mut state, 500, now), early(behind_them));
    let later = now + Duration::from_mins(1);
    assert_eq!(
        reserve(&mut state, 500, later),
        MIN_WAIT,
        "the line is over"
    );
    for (waiting, minutes) in [(400, 2), (4_000, 4)] {
        state.admission.waiting = waiting;
        let much_later = now + Duration::from_mins(minutes);
        let behind_who_gets_a_permit = early(Duration::from_secs(2));
        let wait = reserve(&mut state, 1, much_later);
        assert_eq!(wait, behind_who_gets_a_permit, "{waiting} wait");
    }
}

#[test]
fn as_many_wait_as_get_a_permit_in_time_once_the_push_service_is_busy() {
    let start = Instant::now();
    let mut state = limiter(16, 3_072, start);
    let mut now = start;
    while now - start < Duration::from_secs(5) {
        let rtt = Duration::from_millis(5) * u32::try_from(state.limit).expect("few");
        now += rtt;
        round(&mut state, Feedback::Answered(rtt), now);
    }
    state.admission.waiting = 399;
    assert!(state.admission.admit(false, now).is_ok());
    state.admission.waiting = 400;
    assert!(
        state.admission.admit(false, now).is_err(),
        "200 a second, 2 seconds"
    );
}

#[test]
fn time_outs_of_a_quarter_lower_the_limit_and_one_answer_among_many_does_not_raise_it() {
    let now = Instant::now();
    let mut state = wide(1_024, now);
    for (unanswered, limit) in [(7, 1_024), (8, 512), (31, 256), (32, 32)] {
        feed(&mut state, ANSWERED, 32 - unanswered, now);
        feed(&mut state, Feedback::Unanswered, unanswered, now);
        assert_eq!(state.limit, limit, "{unanswered} of 32");
    }
}

#[test]
fn the_limit_doubles_in_each_round_trip_while_answers_take_no_longer() {
    let now = Instant::now();
    let mut state = limiter(16, 3_072, now);
    let mut limits = vec![state.limit];
    for _ in 0..9 {
        round(&mut state, ANSWERED, now);
        limits.push(state.limit);
    }
    assert_eq!(
        limits,
        [16, 32, 64, 128, 256, 512, 1_024, 2_048, 3_072, 3_072]
    );
}

#[test]
fn a_limit_that_is_not_used_up_does_not_grow() {
    let now = Instant::now();
    let mut state = limiter(64, 3_072, now);
    feed(&mut state, ANSWERED, 1_000, now);
    assert_eq!(state.limit, 64);
}

#[test]
fn the_limit_stays_while_requests_queue_and_falls_when_they_wait_long() {
    let now = Instant::now();
    let mut state = limiter(64, 3_072, now);
    feed(&mut state, ANSWERED, 32, now);
    for (rtt, limit) in [(120, 128), (130, 128), (590, 128), (610, 64)] {
        round(
            &mut state,
            Feedback::Answered(Duration::from_millis(rtt)),
            now,
        );
        assert_eq!(state.limit, limit, "{rtt} ms");
    }
}

#[test]
fn another_app_begins_with_half_of_what_one_has_reached() {
    let now = Instant::now();
    let mut state = limiter(16, 3_072, now);
    for _ in 0..5 {
        round(&mut state, ANSWERED, now);
    }
    let other = |at| AimdState::new(state.bounds, Arc::clone(&state.origin), at).limit;
    assert_eq!(state.limit, 512);
    assert_eq!(other(now), 256);
    assert_eq!(other(now + Duration::from_mins(1)), 16, "for a minute");
}

#[test]
fn what_was_reached_a_minute_ago_has_to_be_reached_again() {
    let now = Instant::now();
    let mut state = limiter(16, 3_072, now);
    for _ in 0..5 {
        round(&mut state, ANSWERED, now);
    }
    state.begin_page(3_072, true, now + Duration::from_secs(59));
    assert_eq!(state.limit, 512);
    state.begin_page(3_072, true, now + Duration::from_mins(1));
    assert_eq!(state.limit, 16);
}

#[test]
fn a_limiter_is_remembered_while_it_knows_something() {
    let now = Instant::now();
    let mut state = wide(1, now);
    assert!(state.is_forgettable(now));
    let generation = state.start();
    assert!(!state.is_forgettable(now));
    state.finish();
    state.record(Feedback::Unanswered, generation, now);
    assert!(!state.is_forgettable(now));
    assert!(state.is_forgettable(now + Duration::from_mins(1)));
    let mut grown = limiter(16, 1_000, now);
    round(&mut grown, ANSWERED, now);
    assert!(!grown.is_forgettable(now));
    assert!(grown.is_forgettable(now + Duration::from_mins(1)));
}

#[test]
fn a_shrunk_limiter_is_remembered_longer_than_a_retry_takes() {
    let now = Instant::now();
    let mut state = wide(1_000, now);
    assert!(state.is_forgettable(now));
    feed(&mut state, Feedback::Throttled(None), 1_000, now);
    assert!(!state.is_forgettable(now + Duration::from_mins(2)));
    assert!(state.is_forgettable(now + Duration::from_mins(10)));
}
