//! The limit against simulated push services, in simulated time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::{AimdState, Feedback, LimiterBounds, OriginMemory};

/// How long a request waits for its answer.
const TIMEOUT: Duration = Duration::from_secs(10);
const BOUNDS: LimiterBounds = LimiterBounds {
    initial: 16,
    ceiling: 3_072,
    permit_timeout: Duration::from_secs(2),
};

/// How many a push service answers a second, and how far away it is, at a time since the beginning.
type ServiceRate = fn(Duration) -> (u32, Duration);

/// A push service that answers in order, those whom nobody waits for any more as well.
struct SimulatedService {
    pace: ServiceRate,
    busy_until: Duration,
}

/// An answer, or the end of waiting for it: when, to which sender, of which generation, and what it says.
type End = (Duration, usize, u64, Option<Duration>);

/// Senders that always have more to send.
struct Simulation {
    service: SimulatedService,
    epoch: Instant,
    now: Duration,
    senders: Vec<AimdState>,
    ends: BinaryHeap<Reverse<End>>,
    answered: Vec<u64>,
    timed_out: u64,
    /// How long the latest answer took.
    rtt: Duration,
}

impl Simulation {
    fn new(senders: usize, pace: ServiceRate) -> Self {
        let epoch = Instant::now();
        let origin = Arc::new(OriginMemory::new(epoch));
        let sender = || AimdState::new(BOUNDS, Arc::clone(&origin), epoch);
        Self {
            service: SimulatedService {
                pace,
                busy_until: Duration::ZERO,
            },
            epoch,
            now: Duration::ZERO,
            senders: (0..senders).map(|_| sender()).collect(),
            ends: BinaryHeap::new(),
            answered: vec![0; senders],
            timed_out: 0,
            rtt: Duration::ZERO,
        }
    }

    fn send(&mut self, sender: usize) {
        let generation = self.senders[sender].start();
        let (rate, latency) = (self.service.pace)(self.now);
        let queued = self.service.busy_until.saturating_sub(self.now);
        let handled = queued + Duration::from_secs(1) / rate;
        self.service.busy_until = self.now + handled;
        let rtt = handled + latency;
        let answer = (rtt <= TIMEOUT).then_some(rtt);
        let end = self.now + rtt.min(TIMEOUT);
        self.ends.push(Reverse((end, sender, generation, answer)));
    }

    /// Lets all who begin at `from` or before send whatever they may, until `end`.
    fn run(&mut self, end: Duration, from: &[Duration]) {
        loop {
            for (sender, from) in from.iter().enumerate() {
                while *from <= self.now
                    && self.senders[sender].in_flight < self.senders[sender].limit
                {
                    self.send(sender);
                }
            }
            let Some(Reverse((at, sender, generation, rtt))) = self.ends.pop() else {
                return;
            };
            if at >= end {
                self.ends.push(Reverse((at, sender, generation, rtt)));
                self.now = end;
                return;
            }
            self.now = at;
            self.answer(sender, generation, rtt);
        }
    }

    fn answer(&mut self, sender: usize, generation: u64, rtt: Option<Duration>) {
        let feedback = rtt.map_or(Feedback::Unanswered, Feedback::Answered);
        self.rtt = rtt.unwrap_or(TIMEOUT);
        self.answered[sender] += u64::from(rtt.is_some());
        self.timed_out += u64::from(rtt.is_none());
        let now = self.epoch + self.now;
        self.senders[sender].record(feedback, generation, now);
        self.senders[sender].finish();
    }

    /// How many a second were answered to each sender in the `seconds` that follow.
    fn rates(&mut self, seconds: u64, from: &[Duration]) -> Vec<u64> {
        let before = self.answered.clone();
        self.run(self.now + Duration::from_secs(seconds), from);
        let answered = self.answered.iter().zip(before);
        let rate = |(after, before)| (after - before) / seconds;
        answered.map(rate).collect()
    }
}

const AT_ONCE: &[Duration] = &[Duration::ZERO];

fn near(rate: u32) -> (u32, Duration) {
    (rate, Duration::from_millis(1))
}

fn far(latency_ms: u64) -> (u32, Duration) {
    (100_000, Duration::from_millis(latency_ms))
}

#[test]
fn a_slow_push_service_is_kept_busy_and_nobody_times_out() {
    let paces: [ServiceRate; 5] = [
        |_| near(5),
        |_| near(20),
        |_| near(200),
        |_| (200, Duration::from_millis(500)),
        |_| near(5_000),
    ];
    for pace in paces {
        let mut simulation = Simulation::new(1, pace);
        simulation.run(Duration::from_secs(5), AT_ONCE);
        let rate = u64::from(pace(Duration::ZERO).0);
        let answered = simulation.rates(100, AT_ONCE)[0];
        assert!(answered * 20 >= rate * 19, "{answered} of {rate} a second");
        assert_eq!(simulation.timed_out, 0, "{rate} a second");
    }
}

#[test]
fn one_that_hardly_answers_gets_few_in_vain() {
    let mut simulation = Simulation::new(1, |_| near(1));
    simulation.run(Duration::from_mins(10), AT_ONCE);
    assert!(simulation.answered[0] > 550, "{:?}", simulation.answered);
    assert!(simulation.timed_out < 60, "{}", simulation.timed_out);
}

#[test]
fn a_fast_one_gets_all_that_the_ceiling_allows_at_any_distance() {
    let paces: [ServiceRate; 3] = [|_| far(50), |_| far(300), |_| far(2_000)];
    for pace in paces {
        let mut simulation = Simulation::new(1, pace);
        let (_, latency) = pace(Duration::ZERO);
        for end in [latency * 9, Duration::from_mins(1)] {
            simulation.run(end, AT_ONCE);
            let limit = simulation.senders[0].limit;
            assert_eq!(limit, BOUNDS.ceiling, "{latency:?} away, after {end:?}");
        }
    }
}

#[test]
fn one_that_becomes_slow_and_fast_again_gets_no_copies() {
    let mut simulation = Simulation::new(1, |at| {
        let is_slow = (5..65).contains(&at.as_secs());
        near(if is_slow { 300 } else { 20_000 })
    });
    for (seconds, rate) in [(5, 19_000), (60, 290), (5, 15_000)] {
        let answered = simulation.rates(seconds, AT_ONCE)[0];
        assert!(answered > rate, "{answered} a second");
    }
    assert_eq!(simulation.timed_out, 0);
}

#[test]
fn a_queue_does_not_grow_with_time() {
    let mut simulation = Simulation::new(1, |_| near(200));
    for seconds in 1..=600 {
        simulation.run(Duration::from_secs(seconds), AT_ONCE);
        let rtt = simulation.rtt;
        assert!(rtt < Duration::from_secs(1), "{rtt:?} after {seconds} s");
    }
}

#[test]
fn a_longer_way_is_told_from_a_queue() {
    let changes: [ServiceRate; 2] = [
        |at| far(if at.as_secs() < 10 { 50 } else { 400 }),
        |at| far(if at.as_secs() < 10 { 50 } else { 2_000 }),
    ];
    for pace in changes {
        let mut simulation = Simulation::new(1, pace);
        simulation.run(Duration::from_secs(90), AT_ONCE);
        let answered = u128::from(simulation.rates(60, AT_ONCE)[0]);
        let (_, latency) = pace(simulation.now);
        let in_a_round_trip = answered * latency.as_millis() / 1_000;
        assert!(in_a_round_trip > 2_700, "{in_a_round_trip} of 3,072");
    }
}

#[test]
fn apps_share_a_push_service_fairly() {
    let paces: [ServiceRate; 3] = [
        |_| near(200),
        |_| (5_000, Duration::from_millis(50)),
        |_| (20_000, Duration::from_millis(50)),
    ];
    for pace in paces {
        let mut simulation = Simulation::new(3, pace);
        let from = [0, 10, 20].map(Duration::from_secs);
        simulation.run(Duration::from_mins(1), &from);
        let rates = simulation.rates(30, &from);
        let fair = u64::from(pace(Duration::ZERO).0 / 3);
        assert!(rates.iter().all(|rate| *rate > fair / 2), "{rates:?}");
        assert_eq!(simulation.timed_out, 0);
    }
}
