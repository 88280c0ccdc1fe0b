//! A push service that tells the secrets it was told.

use hato_testkit::push_service::BrowserSubscription;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy, sink};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::Talkative;
use crate::fixtures::{post, register};

const PATH: &str = "path-between-two-people";

/// What a client of HTTP/2 says first (RFC 9113 §3.4), and how long the header of a frame is (§4.1).
const PREFACE_BYTES: usize = 24;
const HEADER_BYTES: usize = 9;

const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const GOAWAY: u8 = 7;

/// The last stream that was processed, which is none, and `ENHANCE_YOUR_CALM` (RFC 9113 §6.8, §7).
const NONE_FOR_NOW: [u8; 8] = [0, 0, 0, 0, 0, 0, 0, 11];

/// A frame of the connection.
fn frame(kind: u8, payload: &[u8]) -> Vec<u8> {
    let length = u8::try_from(payload.len()).expect("a short frame");
    [&[0, 0, length, kind, 0, 0, 0, 0, 0], payload].concat()
}

/// Answers the first push on the first connection by closing it, with the endpoint as the reason.
async fn gossip(listener: TcpListener, acceptor: TlsAcceptor) -> std::io::Result<()> {
    let (stream, _) = listener.accept().await?;
    let mut stream = acceptor.accept(stream).await?;
    stream.write_all(&frame(SETTINGS, &[])).await?;
    stream.read_exact(&mut [0; PREFACE_BYTES]).await?;
    let mut header = [0; HEADER_BYTES];
    while header[3] != HEADERS {
        stream.read_exact(&mut header).await?;
        let length = u32::from_be_bytes([0, header[0], header[1], header[2]]);
        copy(&mut (&mut stream).take(length.into()), &mut sink()).await?;
    }
    let reason = [&NONE_FOR_NOW, PATH.as_bytes()].concat();
    stream.write_all(&frame(GOAWAY, &reason)).await?;
    copy(&mut stream, &mut sink()).await?;
    Ok(())
}

impl Talkative {
    pub async fn push_to_gossip(&mut self) {
        let listener = TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let acceptor = TlsAcceptor::from(self.push.ca().server_config(&["h2"]));
        let gossip = tokio::spawn(gossip(listener, acceptor));
        let browser = BrowserSubscription {
            endpoint: format!("https://127.0.0.1:{port}/push/{PATH}"),
            ..self.push.subscribe(Some(&self.app.vapid_public_key))
        };
        self.must_not_log("an endpoint's path", PATH);
        let message = json!({"title": "t", "body": "b", "endpoint": browser.endpoint});
        register(&self.app.frontend, &[browser]).await;
        let reply = post(&self.app.backend, "/api/v1/notify", &message).await;
        assert_eq!(reply.status, 202, "{reply}");
        let heard = gossip.await.expect("no panic");
        heard.expect("a push, and a connection that was closed");
    }
}
