//! A target of `make fuzz`: peers that say anything.

mod frames;

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hato_domain::{AppId, Endpoint};
use tokio::io::{AsyncWriteExt as _, DuplexStream, copy, duplex, sink, split};
use tokio::runtime::Builder;
use tokio::time::{Instant, sleep};

use self::frames::{frames, preface};
use super::body::MAX_HEADER_BYTES;
use super::{PushConnection, http1, http2};
use crate::push::origin::PushTarget;
use crate::push::pool::connection_permits::{ConnectionOwner, ConnectionPermits};
use crate::push::pool::error::ExchangeError;
use crate::push::request::Push;
use crate::push::response::PushResponse;

/// How long a push may take, on a clock that goes as fast as nothing happens.
const TIME: Duration = Duration::from_secs(30);
/// To which that clock rounds up.
const TICK: Duration = Duration::from_millis(1);
/// What a peer says at most, by repeating itself.
const MAX_SAID: usize = 512 * 1_024;
/// What a step counts, so that pauses come to an end as well: 8,192 of at most two ticks each, in half of [`TIME`].
const STEP_BYTES: usize = 64;
/// Most bytes of a body that are read, and of a message that is pushed.
const MAX_BODY: usize = 4_096;

/// What a peer does next.
enum PeerStep {
    Say(Vec<u8>),
    /// Lets the other side do all that it can.
    Pause,
}

/// How a peer goes on: bits of an input's first byte.
#[derive(Clone, Copy)]
struct Mode(u8);

impl Mode {
    const fn is_http1(self) -> bool {
        self.0 & 1 != 0
    }

    /// The bytes stand for frames of HTTP/2, and are not those of the connection.
    const fn makes_frames(self) -> bool {
        self.0 & 3 == 2
    }

    /// It never closes the connection.
    const fn stays(self) -> bool {
        self.0 & 4 != 0
    }

    fn steps(self, bytes: &[u8]) -> Vec<PeerStep> {
        if self.makes_frames() {
            frames(bytes)
        } else if bytes.is_empty() {
            Vec::new()
        } else {
            vec![PeerStep::Say(bytes.to_vec())]
        }
    }
}

/// Whatever a peer says: two pushes on its connection come to an end in time, and what is read of it is bounded. The first byte's bits
/// are HTTP/1.1, frames, and that it stays; the second byte says how many of the last bytes are repeated without an end.
pub fn http_peer(data: &[u8]) {
    let [mode, repeated, said @ ..] = data else {
        return;
    };
    let mode = Mode(*mode);
    let repeated = said.len().saturating_sub(usize::from(*repeated));
    let mut once = if mode.makes_frames() {
        preface()
    } else {
        Vec::new()
    };
    once.extend(mode.steps(said));
    let repeated = mode.steps(&said[repeated..]);
    let (ours, theirs) = duplex(64 * 1_024);
    let runtime = Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build();
    runtime.expect("a runtime starts").block_on(async {
        tokio::select! {
            () = push_twice(ours, mode) => {}
            () = peer(theirs, mode, &once, &repeated) => {}
        }
    });
}

/// Never ends: the pushes do.
async fn peer(stream: DuplexStream, mode: Mode, once: &[PeerStep], repeated: &[PeerStep]) {
    let (mut reader, mut writer) = split(stream);
    let speak = async move {
        let mut said = 0;
        let mut steps = once.iter().chain(repeated.iter().cycle());
        while said < MAX_SAID
            && let Some(step) = steps.next()
        {
            said += STEP_BYTES;
            match step {
                PeerStep::Pause => sleep(TICK).await,
                PeerStep::Say(bytes) => {
                    said += bytes.len();
                    if writer.write_all(bytes).await.is_err() {
                        break;
                    }
                }
            }
        }
        if !mode.stays() {
            writer.shutdown().await.ok();
        }
        pending::<()>().await;
    };
    let mut nowhere = sink();
    let listen = async {
        copy(&mut reader, &mut nowhere).await.ok();
        pending::<()>().await;
    };
    tokio::join!(speak, listen);
}

async fn push_twice(stream: DuplexStream, mode: Mode) {
    let endpoint = Endpoint::trusted("https://push.example/x".to_owned());
    let target = PushTarget::from_endpoint(&endpoint).expect("a target");
    let owner = Arc::new(ConnectionOwner {
        app: AppId::trusted("app".to_owned()),
        host: Arc::clone(&target.origin.host),
    });
    let permits = Arc::new(ConnectionPermits::new(2));
    let permit = permits.try_acquire(&owner).expect("a permit is free");
    let push = Push {
        target,
        headers: Arc::default(),
        body: Bytes::from_static(&[0; MAX_BODY]),
        begin_by: None,
    };
    if mode.is_http1() {
        let Ok(sender) = http1::start(stream, permit).await else {
            return;
        };
        let mut connection = PushConnection::Http1(sender);
        exchange(&mut connection, &push, mode).await;
        exchange(&mut connection, &push, mode).await;
    } else {
        let Ok(http2) = http2::start(stream, permit).await else {
            return;
        };
        let mut first = PushConnection::Http2(http2.clone());
        let mut second = PushConnection::Http2(http2);
        tokio::join!(
            exchange(&mut first, &push, mode),
            exchange(&mut second, &push, mode)
        );
    }
}

async fn exchange(connection: &mut PushConnection, push: &Push, mode: Mode) {
    let deadline = Instant::now() + TIME;
    let exchange = connection.exchange(push, deadline).await;
    assert!(
        Instant::now() <= deadline + TICK,
        "it has not ended in time"
    );
    match exchange {
        Ok(response) => check(&response),
        Err(ExchangeError::TimedOut) => {
            assert!(mode.stays(), "a connection that was closed is waited for");
        }
        Err(ExchangeError::Unsent | ExchangeError::Failed(_)) => {}
    }
}

fn check(response: &PushResponse) {
    assert!(response.body.len() <= MAX_BODY);
    let headers = response.headers.iter();
    let bytes: usize = headers
        .map(|(name, value)| name.as_str().len() + value.len())
        .sum();
    assert!(
        bytes <= MAX_HEADER_BYTES as usize,
        "{bytes} bytes of headers"
    );
}
