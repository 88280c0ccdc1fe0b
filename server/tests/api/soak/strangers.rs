//! The connections of strangers, who send garbage, read slowly or write slowly.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use hato_testkit::seeded_rng::Rng;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{sleep, timeout};

use super::{Soak, lock};
use crate::fixtures::{AUTH, P256DH};

/// How long a stranger stays on a connection, and is away.
const STAY: Duration = Duration::from_secs(4);
const AWAY: std::ops::Range<u64> = 500..3_000;
/// Between two bytes of who writes or reads slowly.
const DRIP: Duration = Duration::from_millis(8);
/// Most bytes of an answer that are looked at.
const MAX_READ: usize = 64 * 1_024;

/// What is looked at: pages, files, and nothing.
const PAGES: [&str; 6] = [
    "/",
    "/pricing",
    "/login",
    "/guides",
    "/sdk/hato.js",
    "/nothing",
];

/// What a stranger does on a connection.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Register,
    SendWithWrongKey,
    LookAtPages,
    ListenToEvents,
    Garbage,
    GarbageInJson,
    WriteSlowly,
    ReadSlowly,
    SayNothing,
    TooMuch,
}

const DEEDS: [Deed; 10] = [
    Deed::Register,
    Deed::SendWithWrongKey,
    Deed::LookAtPages,
    Deed::ListenToEvents,
    Deed::Garbage,
    Deed::GarbageInJson,
    Deed::WriteSlowly,
    Deed::ReadSlowly,
    Deed::SayNothing,
    Deed::TooMuch,
];

/// Comes from an address of its own, does what its number says, goes away, and comes again.
pub async fn bother(soak: Arc<Soak>, number: u32, mut rng: Rng) {
    let deed = DEEDS[number as usize % DEEDS.len()];
    let address = Ipv4Addr::from_bits(Ipv4Addr::new(127, 2, 0, 1).to_bits() + number);
    while !soak.is_over() {
        let request = request(&soak, deed, &mut rng);
        // Whoever is cut off is cut off.
        let visit = timeout(STAY, visit(&soak, deed, address, &request)).await;
        if let Ok(Ok(answer)) = visit {
            judge(&soak, deed, &answer);
        }
        sleep(Duration::from_millis(rng.u64(AWAY))).await;
    }
}

fn judge(soak: &Soak, deed: Deed, answer: &[u8]) {
    let answer = String::from_utf8_lossy(answer);
    let Some(status) = answer.strip_prefix("HTTP/1.1 ").and_then(|it| it.get(..3)) else {
        return;
    };
    let status = status.parse().unwrap_or_default();
    soak.tally.count(&format!("{deed:?}"), status, &answer);
    if status == 201 {
        *lock(&soak.tally.registered) += 1;
    }
}

fn request(soak: &Soak, deed: Deed, rng: &mut Rng) -> Vec<u8> {
    match deed {
        Deed::Register | Deed::WriteSlowly => {
            let endpoint = format!("https://push.example.com/{:032x}", rng.u128(..));
            let body = json!({"endpoint": endpoint, "p256dh": P256DH, "auth": AUTH});
            posted(soak, "/api/v1/subscriptions", body.to_string().as_bytes())
        }
        Deed::SendWithWrongKey => posted(soak, "/api/v1/notify", br#"{"title":"t","body":"b"}"#),
        Deed::GarbageInJson => {
            let body = [br#"{"endpoint":""#.to_vec(), garbage(rng, 200)].concat();
            posted(soak, "/api/v1/subscriptions", &body)
        }
        Deed::LookAtPages | Deed::ReadSlowly => asked(PAGES[rng.usize(..PAGES.len())], ""),
        Deed::ListenToEvents => {
            let path = format!("/api/v1/apps/{}/events/stream", soak.large.id);
            let key = format!("authorization: Bearer {}\r\n", soak.full_key);
            asked(&path, &key)
        }
        Deed::Garbage => garbage(rng, 300),
        Deed::SayNothing => Vec::new(),
        Deed::TooMuch => {
            let length = "content-length: 99999999999\r\n";
            [asked("/api/v1/notify", length), garbage(rng, 100_000)].concat()
        }
    }
}

fn garbage(rng: &mut Rng, bytes: usize) -> Vec<u8> {
    (0..bytes).map(|_| rng.u8(..)).collect()
}

fn asked(path: &str, header: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: h\r\n{header}\r\n").into_bytes()
}

fn posted(soak: &Soak, path: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: h\r\nauthorization: Bearer {}\r\ncontent-length: {}\r\n\r\n",
        soak.page_key,
        body.len()
    );
    [head.as_bytes(), body].concat()
}

async fn visit(soak: &Soak, deed: Deed, from: Ipv4Addr, request: &[u8]) -> io::Result<Vec<u8>> {
    let socket = TcpSocket::new_v4()?;
    if matches!(deed, Deed::ReadSlowly) {
        socket.set_recv_buffer_size(1_024)?;
    }
    socket.bind(SocketAddr::from((from, 0)))?;
    let mut stream = socket.connect(soak.server.address()).await?;
    if matches!(deed, Deed::WriteSlowly) {
        for byte in request {
            stream.write_all(&[*byte]).await?;
            sleep(DRIP).await;
        }
    } else {
        stream.write_all(request).await?;
    }
    let answer = read(&mut stream, matches!(deed, Deed::ReadSlowly)).await?;
    if matches!(deed, Deed::ListenToEvents) {
        sleep(STAY / 2).await;
    }
    Ok(answer)
}

/// The beginning of an answer: its head, and as much as comes with it, unless it is read slowly.
async fn read(stream: &mut TcpStream, slowly: bool) -> io::Result<Vec<u8>> {
    let mut answer = Vec::new();
    while answer.len() < MAX_READ {
        let before = answer.len();
        if slowly {
            sleep(DRIP).await;
            answer.push(stream.read_u8().await?);
        } else {
            stream.read_buf(&mut answer).await?;
        }
        if answer.len() == before || (!slowly && answer.windows(4).any(|it| it == b"\r\n\r\n")) {
            break;
        }
    }
    Ok(answer)
}
