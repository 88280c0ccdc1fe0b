//! A target of `make fuzz`: peers that say anything.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hato_domain::{AppId, Endpoint};
use tokio::io::{AsyncWriteExt as _, DuplexStream, copy, duplex, sink, split};
use tokio::runtime::Builder;
use tokio::time::Instant;

use super::body::MAX_HEADER_BYTES;
use super::{PushConnection, http1, http2};
use crate::push::origin::PushTarget;
use crate::push::pool::connection_permits::{ConnectionOwner, ConnectionPermits};
use crate::push::pool::error::ExchangeError;
use crate::push::request::Push;
use crate::push::response::PushResponse;

/// Far more than it takes: whoever is waited for so long was not given up.
const TIME: Duration = Duration::from_secs(30);
/// What a peer says at most, by repeating itself.
const MAX_SAID: usize = 512 * 1_024;
/// Most bytes of a body that are read, and of a message that is pushed.
const MAX_BODY: usize = 4_096;

/// Whatever a peer says, and then closes the connection: two pushes on it come to an end, and what is read of it is bounded. The first
/// byte's lowest bit tells HTTP/1.1 from HTTP/2; the second says how many of the last bytes are repeated without an end.
pub fn http_peer(data: &[u8]) {
    let [version, repeated, said @ ..] = data else {
        return;
    };
    let repeated = said.len().saturating_sub(usize::from(*repeated));
    let (ours, theirs) = duplex(64 * 1_024);
    let runtime = Builder::new_current_thread().enable_time().build();
    let runtime = runtime.expect("a runtime starts");
    runtime.block_on(async {
        tokio::join!(
            push_twice(ours, version & 1 == 1),
            say(theirs, said, &said[repeated..])
        )
    });
}

async fn say(peer: DuplexStream, once: &[u8], repeated: &[u8]) {
    let (mut heard, mut mouth) = split(peer);
    let speak = async move {
        let mut said = once.len();
        let mut result = mouth.write_all(once).await;
        while result.is_ok() && said < MAX_SAID && !repeated.is_empty() {
            result = mouth.write_all(repeated).await;
            said += repeated.len();
        }
        mouth.shutdown().await.ok();
    };
    let mut nowhere = sink();
    tokio::join!(speak, copy(&mut heard, &mut nowhere)).1.ok();
}

async fn push_twice(stream: DuplexStream, is_http1: bool) {
    let endpoint = Endpoint::trusted("https://push.example/x".to_owned());
    let target = PushTarget::from_endpoint(&endpoint).expect("a target");
    let owner = Arc::new(ConnectionOwner {
        app: AppId::trusted("app".to_owned()),
        host: Arc::clone(&target.origin.host),
    });
    let permits = Arc::new(ConnectionPermits::new(2));
    let permit = permits.try_acquire(&owner).expect("a permit is free");
    let started = if is_http1 {
        http1::start(stream, permit)
            .await
            .map(PushConnection::Http1)
    } else {
        http2::start(stream, permit)
            .await
            .map(PushConnection::Http2)
    };
    let Ok(mut connection) = started else {
        return;
    };
    let push = Push {
        target,
        headers: Arc::default(),
        body: Bytes::from_static(&[0; MAX_BODY]),
        begin_by: None,
    };
    for _ in 0..2 {
        check(connection.exchange(&push, Instant::now() + TIME).await);
    }
}

fn check(exchange: Result<PushResponse, ExchangeError>) {
    let response = match exchange {
        Ok(response) => response,
        Err(ExchangeError::TimedOut) => panic!("a connection that was closed is waited for"),
        Err(ExchangeError::Unsent | ExchangeError::Failed(_)) => return,
    };
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
