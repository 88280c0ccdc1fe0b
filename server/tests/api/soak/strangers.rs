//! The connections of strangers: each stands until it was answered and for a while, and then there is the next one.

use std::convert::Infallible;
use std::future::pending;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hato_testkit::seeded_rng::Rng;
use tokio::io::{AsyncWriteExt as _, sink};
use tokio::net::tcp::WriteHalf;
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::deed::Deed;
use super::raw_response::{DRIP, RawResponse};
use super::stranger_app::StrangerApp;
use super::{Soak, lock, requests};

/// How long a stranger waits for an answer: longer than any time-out of the server's for a request.
const STAY: Duration = Duration::from_secs(40);
/// How long a connection stands after its answer, in milliseconds; and one that listens.
const IDLE_MILLIS: std::ops::Range<u64> = 500..3_000;
const LISTENING_MILLIS: std::ops::Range<u64> = 5_000..40_000;
/// After how long whose connection was closed comes again.
const CLOSED_DELAY: Duration = Duration::from_millis(100);

/// Comes from an address of its own and does what its number says, again and again, until it is over.
pub async fn bother(soak: Arc<Soak>, over: CancellationToken, number: usize, mut rng: Rng) {
    let deed = Deed::of(number);
    let first = Ipv4Addr::new(127, 2, 0, 1).to_bits();
    let from = Ipv4Addr::from_bits(first + u32::try_from(number).expect("not so many"));
    let app = &soak.stranger_apps[number % soak.stranger_apps.len()];
    let arrival = soak.extent.arrival.mul_f64(rng.f64());
    let visits = async {
        sleep(arrival).await;
        loop {
            let request = requests::bytes(&soak, app, deed, &mut rng);
            let idle = if deed.is_stream() {
                LISTENING_MILLIS
            } else {
                IDLE_MILLIS
            };
            let idle = Duration::from_millis(rng.u64(idle));
            visit(&soak, app, deed, from, &request, idle).await;
        }
    };
    let ended: Option<Infallible> = over.run_until_cancelled(visits).await;
    assert!(ended.is_none());
}

async fn visit(
    soak: &Soak,
    app: &StrangerApp,
    deed: Deed,
    from: Ipv4Addr,
    request: &[u8],
    idle: Duration,
) {
    let mut stream = match connect(soak, deed, from).await {
        Ok(stream) => stream,
        Err(error) => {
            soak.results.count(deed, &format!("no connection: {error}"));
            return sleep(idle).await;
        }
    };
    let mut answer = RawResponse::to(deed);
    let ended = timeout(STAY, talk(&mut stream, deed, request, &mut answer)).await;
    if judge(soak, app, deed, &answer, ended.is_err()) {
        soak.results.note_served(from);
    }
    if ended.is_ok() {
        // Whoever is cut off is cut off.
        let mut nowhere = sink();
        let listening = tokio::io::copy(&mut stream, &mut nowhere);
        if timeout(idle, listening).await.is_ok() {
            sleep(CLOSED_DELAY).await;
        }
    }
}

/// Counts what came of it; whether that is what is to come of it.
fn judge(soak: &Soak, app: &StrangerApp, deed: Deed, answer: &RawResponse, has_left: bool) -> bool {
    let outcome = answer.outcome(has_left);
    soak.results.count(deed, &outcome);
    match answer.status() {
        Some(201) => *lock(&soak.results.registered) += 1,
        Some(202) => {
            app.accepted.fetch_add(1, Ordering::Relaxed);
        }
        _ => {}
    }
    deed.expected().contains(&&*outcome)
}

async fn connect(soak: &Soak, deed: Deed, from: Ipv4Addr) -> io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    if let Some(bytes) = deed.buffer_bytes() {
        socket.set_recv_buffer_size(bytes)?;
    }
    socket.bind(SocketAddr::from((from, 0)))?;
    socket.connect(soak.server.address()).await
}

/// Writes the request and reads what there is of an answer, at the same time.
async fn talk(stream: &mut TcpStream, deed: Deed, request: &[u8], answer: &mut RawResponse) {
    let (mut reader, mut writer) = stream.split();
    let writing = async {
        // That it is not taken, the answer shows.
        write(&mut writer, deed, request).await.ok();
        pending::<()>().await;
    };
    tokio::select! {
        () = answer.read(&mut reader) => {}
        () = writing => {}
    }
}

async fn write(writer: &mut WriteHalf<'_>, deed: Deed, request: &[u8]) -> io::Result<()> {
    if !deed.writes_slowly() {
        return writer.write_all(request).await;
    }
    let at_once = if deed == Deed::SlowBody {
        let end = request.windows(4).position(|it| it == b"\r\n\r\n");
        end.map_or(0, |end| end + 4)
    } else {
        request.len().saturating_sub(requests::LONG_HEAD)
    };
    let (first, rest) = request.split_at(at_once);
    writer.write_all(first).await?;
    for byte in rest {
        writer.write_all(&[*byte]).await?;
        sleep(DRIP).await;
    }
    Ok(())
}
