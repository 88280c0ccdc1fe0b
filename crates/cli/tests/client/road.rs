//! A road to a server on which answers get lost, and others stand in for them.

use std::future::pending;
use std::net::SocketAddr;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// What becomes of a request and its answer.
pub enum Fate {
    /// Both get through.
    Passed,
    /// The server does its work, and the road hangs up.
    Lost,
    /// The server does its work, and nothing more is heard.
    Silenced,
    /// The server hears nothing: this is answered instead of it.
    Answered(String),
}

/// Passes requests on, and deals with some of them as it is told.
pub struct Road {
    /// Its address, to be taken for the server's.
    pub url: String,
    journeys: Arc<AtomicU32>,
}

impl Road {
    /// Loses the answers to the requests with these numbers, counted from 0.
    pub async fn losing(lost: Range<u32>, server: SocketAddr) -> Self {
        let fate = move |number| {
            if lost.contains(&number) {
                Fate::Lost
            } else {
                Fate::Passed
            }
        };
        Self::with(fate, server).await
    }

    /// Each request has the fate of its number, counted from 0.
    pub async fn with(
        fate: impl Fn(u32) -> Fate + Send + Sync + 'static,
        server: SocketAddr,
    ) -> Self {
        let fate: Arc<Fates> = Arc::new(fate);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("bound"));
        let journeys = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&journeys);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(server).await.expect("the server");
                tokio::spawn(carry(
                    client,
                    server,
                    Arc::clone(&fate),
                    Arc::clone(&counted),
                ));
            }
        });
        Self { url, journeys }
    }

    /// How many requests it has carried.
    pub fn journeys(&self) -> u32 {
        self.journeys.load(Ordering::SeqCst)
    }
}

type Fates = dyn Fn(u32) -> Fate + Send + Sync;

/// Hangs up where an answer is lost, or when either side does.
async fn carry(
    mut client: TcpStream,
    mut server: TcpStream,
    fate: Arc<Fates>,
    journeys: Arc<AtomicU32>,
) -> Option<()> {
    loop {
        let request = message(&mut client).await?;
        let number = journeys.fetch_add(1, Ordering::SeqCst);
        let fate = fate(number);
        if let Fate::Answered(answer) = fate {
            client.write_all(answer.as_bytes()).await.ok()?;
            return None;
        }
        server.write_all(&request).await.ok()?;
        let answer = message(&mut server).await?;
        match fate {
            Fate::Lost => return None,
            Fate::Silenced => pending().await,
            _ => client.write_all(&answer).await.ok()?,
        }
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
