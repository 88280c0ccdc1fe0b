//! When a connection has kept the server waiting for too long: for the rest of a request's head, or for the next request.
//!
//! hyper has one time-out for both, which it asks a timer of ours for. What tells the two apart is whether the head's first byte has
//! come: the connection's stream notes when it reads and writes, and the timer goes by that.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use hyper::rt::{Sleep, Timer};
use tokio::time::{Duration, Instant, sleep_until};

use super::ConnectionTimeouts;

/// What a connection's stream, its timer and the body of its answer know of it together.
#[derive(Debug)]
pub struct ConnectionActivity {
    timeouts: ConnectionTimeouts,
    state: Mutex<ActivityState>,
}

#[derive(Debug)]
struct ActivityState {
    /// Whether hyper waits for a head, and not for a body or an answer.
    awaits_head: bool,
    /// When the awaited head's first byte came; `None` while there is none.
    head_began: Option<Instant>,
    /// When hyper began to wait, or a byte of an answer was taken after that.
    idle_since: Instant,
    /// Whether hyper is known to hold no byte that it has not looked at. It reads on during a request only then, and there is
    /// nothing to be read.
    is_drained: bool,
    /// Bytes of the answer's body that hyper got and the stream has not taken yet.
    unwritten: usize,
    /// The body that waits until they are fewer.
    waiting_body: Option<Waker>,
}

impl ConnectionActivity {
    /// Of a connection that stands from now on. Its first head is due as if its first byte had come.
    pub fn new(timeouts: ConnectionTimeouts) -> Self {
        let now = Instant::now();
        let state = Mutex::new(ActivityState {
            awaits_head: true,
            head_began: Some(now),
            idle_since: now,
            is_drained: false,
            unwritten: 0,
            waiting_body: None,
        });
        Self { timeouts, state }
    }

    /// Notes that bytes were read.
    pub fn has_read(&self) {
        let mut state = self.state();
        state.is_drained = false;
        if state.awaits_head {
            state.head_began.get_or_insert_with(Instant::now);
        }
    }

    /// Notes that nothing is there to be read.
    pub fn has_nothing_to_read(&self) {
        let mut state = self.state();
        if !state.awaits_head {
            state.is_drained = true;
        }
    }

    /// Notes that so many bytes of an answer were taken.
    pub fn has_written(&self, bytes: usize) {
        let mut state = self.state();
        state.idle_since = Instant::now();
        // Those of a head count too: it stands before the body, which then has its turn a little early.
        state.unwritten = state.unwritten.saturating_sub(bytes);
        if let Some(waiting) = state.waiting_body.take() {
            waiting.wake();
        }
    }

    /// Notes that a body begins. What hyper may have cut off the one before, which was longer than it said, is never written.
    pub fn begin_body(&self) {
        self.state().unwritten = 0;
    }

    /// Notes that hyper got so many bytes of the body.
    pub fn has_handed_over(&self, bytes: usize) {
        self.state().unwritten += bytes;
    }

    /// Waits until fewer than `max` bytes of the body are still to be written.
    pub fn poll_unwritten_below(&self, max: usize, context: &Context<'_>) -> Poll<()> {
        let mut state = self.state();
        if state.unwritten < max {
            return Poll::Ready(());
        }
        state.waiting_body = Some(context.waker().clone());
        Poll::Pending
    }

    /// Since when the connection has waited for a request; `None` while one is in work. What has come of its head makes no
    /// difference: whoever sends it at once is not met in the middle of it.
    pub fn waits_for_request_since(&self) -> Option<Instant> {
        let state = self.state();
        state.awaits_head.then_some(state.idle_since)
    }

    /// Notes that hyper waits for a head. Bytes that it already holds are the beginning of that.
    fn begin_head(&self) {
        let now = Instant::now();
        let mut state = self.state();
        state.awaits_head = true;
        state.head_began = (!state.is_drained).then_some(now);
        state.idle_since = now;
    }

    fn end_head(&self) {
        let mut state = self.state();
        state.awaits_head = false;
        state.is_drained = false;
    }

    /// When the connection has waited for too long, unless something happens.
    fn deadline(&self) -> Instant {
        let state = self.state();
        match state.head_began {
            Some(began) => began + self.timeouts.head,
            None => state.idle_since + self.timeouts.idle,
        }
    }

    fn state(&self) -> MutexGuard<'_, ActivityState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The timer that hyper asks when it begins to wait for a head, and for nothing else.
#[derive(Debug)]
pub struct HeadTimer(pub Arc<ConnectionActivity>);

impl Timer for HeadTimer {
    fn sleep(&self, _: Duration) -> Pin<Box<dyn Sleep>> {
        self.0.begin_head();
        Box::pin(HeadDeadline {
            sleep: Box::pin(sleep_until(self.0.deadline())),
            activity: Arc::clone(&self.0),
        })
    }

    fn sleep_until(&self, _: std::time::Instant) -> Pin<Box<dyn Sleep>> {
        self.sleep(self.0.timeouts.idle)
    }

    fn reset(&self, _: &mut Pin<Box<dyn Sleep>>, _: std::time::Instant) {
        self.0.begin_head();
    }
}

/// Ends when a head, or the first byte of one, has been waited for too long; dropped by hyper when a head is there.
struct HeadDeadline {
    activity: Arc<ConnectionActivity>,
    sleep: Pin<Box<tokio::time::Sleep>>,
}

impl Sleep for HeadDeadline {}

impl Future for HeadDeadline {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let deadline = self.activity.deadline();
        if self.sleep.deadline() != deadline {
            self.sleep.as_mut().reset(deadline);
        }
        self.sleep.as_mut().poll(context)
    }
}

impl Drop for HeadDeadline {
    fn drop(&mut self) {
        self.activity.end_head();
    }
}
