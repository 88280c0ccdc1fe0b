//! A proxy to a server that drops, delays or replaces responses.

use std::future::pending;
use std::net::SocketAddr;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// What the proxy does to a request and its answer.
pub enum ProxyAction {
    /// Request and answer get through.
    Forward,
    /// The server does its work, and the proxy closes the connection.
    DropResponse,
    /// The server does its work, and nothing more is heard.
    Stall,
    /// The server hears nothing: this is answered instead of it.
    Respond(String),
    /// The server hears nothing: an answer begins like this, and nothing more is heard.
    Begin(String),
}

/// Passes requests on, and handles some of them as a test wants.
pub struct HttpProxy {
    /// The proxy's address, which the command takes for the server's.
    pub url: String,
    requests: Arc<AtomicU32>,
    silence: Arc<Notify>,
}

impl HttpProxy {
    /// Loses the answers to the requests with these numbers, counted from 0.
    pub async fn dropping_responses(dropped: Range<u32>, server: SocketAddr) -> Self {
        let action = move |number| {
            if dropped.contains(&number) {
                ProxyAction::DropResponse
            } else {
                ProxyAction::Forward
            }
        };
        Self::start(action, server).await
    }

    /// Each request gets the action of its number, counted from 0.
    pub async fn start(
        action: impl Fn(u32) -> ProxyAction + Send + Sync + 'static,
        server: SocketAddr,
    ) -> Self {
        let action: Arc<ActionByNumber> = Arc::new(action);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("bound"));
        let requests = Arc::new(AtomicU32::new(0));
        let silence = Arc::new(Notify::new());
        let connections = ProxyState {
            action,
            requests: Arc::clone(&requests),
            silence: Arc::clone(&silence),
        };
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(server).await.expect("the server");
                tokio::spawn(connections.clone().forward(client, server));
            }
        });
        Self {
            url,
            requests,
            silence,
        }
    }

    /// Resolves when somebody waits for an answer of which nothing more is heard.
    pub async fn fell_silent(&self) {
        self.silence.notified().await;
    }

    /// The number of requests that came, whatever became of them.
    pub fn requests(&self) -> u32 {
        self.requests.load(Ordering::SeqCst)
    }
}

type ActionByNumber = dyn Fn(u32) -> ProxyAction + Send + Sync;

/// What all connections share.
#[derive(Clone)]
struct ProxyState {
    action: Arc<ActionByNumber>,
    requests: Arc<AtomicU32>,
    silence: Arc<Notify>,
}

impl ProxyState {
    /// Hangs up where an answer is lost, or when either side does.
    async fn forward(self, mut client: TcpStream, mut server: TcpStream) -> Option<()> {
        loop {
            let request = message(&mut client).await?;
            let number = self.requests.fetch_add(1, Ordering::SeqCst);
            let action = (self.action)(number);
            match action {
                ProxyAction::Respond(answer) => {
                    client.write_all(answer.as_bytes()).await.ok()?;
                    return None;
                }
                ProxyAction::Begin(answer) => {
                    client.write_all(answer.as_bytes()).await.ok()?;
                    return self.fall_silent().await;
                }
                _ => {}
            }
            server.write_all(&request).await.ok()?;
            let answer = message(&mut server).await?;
            match action {
                ProxyAction::DropResponse => return None,
                ProxyAction::Stall => return self.fall_silent().await,
                _ => client.write_all(&answer).await.ok()?,
            }
        }
    }

    async fn fall_silent(self) -> Option<()> {
        self.silence.notify_one();
        pending().await
    }
}

/// A whole message of HTTP/1.1 with a `Content-Length`, or without a body.
async fn message(from: &mut TcpStream) -> Option<Vec<u8>> {
    const END: &[u8] = b"\r\n\r\n";
    let mut bytes = Vec::new();
    while !bytes.ends_with(END) {
        bytes.push(from.read_u8().await.ok()?);
    }
    let head = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
    let length = head
        .lines()
        .find_map(|it| it.strip_prefix("content-length:"));
    let length = length.map_or(0, |it| it.trim().parse().expect("a length"));
    let mut body = vec![0; length];
    from.read_exact(&mut body).await.ok()?;
    bytes.append(&mut body);
    Some(bytes)
}
