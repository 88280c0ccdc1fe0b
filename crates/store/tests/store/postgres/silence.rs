//! A network that swallows everything: nobody waits for an answer without an end, and what comes later is done.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use futures_util::future::{join_all, pending};
use hato_store::PostgresSettings;
use hato_testkit::TestDatabase;
use hato_testkit::secured_cluster::SecuredCluster;
use hato_testkit::test_ca::TestCa;
use sqlx::{Connection as _, PgConnection};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use super::{connect, execute, is_true, until_so_many_wait, until_true};
use crate::test_store::{START, TestStore};

/// Longer than an answer is waited for, with all that is tried again.
const LONG: Duration = Duration::from_mins(1);

fn settings() -> PostgresSettings {
    PostgresSettings {
        max_connections: 3,
        acquire_timeout: Duration::from_secs(2),
        statement_timeout: Duration::from_secs(1),
        listen: false,
        ..PostgresSettings::default()
    }
}

/// How connections to a proxy fall silent.
#[derive(Clone)]
struct Silence {
    begins: watch::Receiver<()>,
    /// For each of them, whether something was sent on it afterwards before it was closed.
    asked: mpsc::UnboundedSender<bool>,
}

impl Silence {
    fn new() -> (watch::Sender<()>, mpsc::UnboundedReceiver<bool>, Self) {
        let (silence, begins) = watch::channel(());
        let (asked, were_asked) = mpsc::unbounded_channel();
        (silence, were_asked, Self { begins, asked })
    }
}

/// The URL of a proxy to the database, on whose connections nothing passes any more once the silence begins, and neither end hears of
/// it. Later connections are served.
async fn proxy(database: &TestDatabase, silence: Silence) -> String {
    let (path, parameters) = database.url().split_once("?host=").expect("its address");
    let (folder, user) = parameters.split_once("&user=").expect("its user");
    let name = path.strip_prefix("postgres:///").expect("its name");
    let socket = PathBuf::from(folder).join(".s.PGSQL.5432");
    let address = proxy_to(move || UnixStream::connect(socket.clone()), silence).await;
    format!("postgres://{user}@{address}/{name}?sslmode=disable")
}

async fn proxy_to<S, F>(
    connect: impl Fn() -> F + Send + Sync + 'static,
    silence: Silence,
) -> SocketAddr
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    F: Future<Output = io::Result<S>> + Send,
{
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
    let listener = listener.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            // A database that is asked by many at once refuses now and then; whoever is refused asks again.
            if let Ok(server) = connect().await {
                tokio::spawn(forward(client, server, silence.clone()));
            }
        }
    });
    address
}

async fn forward<S>(mut client: TcpStream, mut server: S, mut silence: Silence)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    silence.begins.mark_unchanged();
    tokio::select! {
        _ = copy_bidirectional(&mut client, &mut server) => {}
        Ok(()) = silence.begins.changed() => {
            silence.asked.send(client.read_u8().await.is_ok()).ok();
            pending::<()>().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_waits_for_a_network_that_swallows_everything_is_told_and_others_go_on() {
    let database = TestDatabase::postgres().await;
    let (silence, _asked, silent) = Silence::new();
    let url = proxy(&database, silent).await;
    let store = hato_store::open_with(&url, &settings()).await;
    let store = store.expect("opened");
    assert!(
        join_all([store.ping(), store.ping(), store.ping()])
            .await
            .iter()
            .all(Result::is_ok)
    );
    silence.send_replace(());
    let asked = [(); 3].map(|()| timeout(LONG, store.ping()));
    for answer in join_all(asked).await {
        answer.expect("an answer, whatever it is").ok();
    }
    let again = async { while store.ping().await.is_err() {} };
    timeout(LONG, again).await.expect("it answers again");
}

/// A read that has its place while the network falls silent gives it back, though its connection never answers.
#[tokio::test(flavor = "multi_thread")]
async fn reads_that_are_under_way_give_their_places_back() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    let send = test.broadcast(&app, START).await;
    let (silence, _asked, silent) = Silence::new();
    let url = proxy(&test.database, silent).await;
    let store = hato_store::open_with(&url, &settings()).await;
    let store = store.expect("opened");
    let mut other = connect(&test).await;
    execute(
        &mut other,
        "BEGIN; LOCK TABLE send_failures IN ACCESS EXCLUSIVE MODE",
    )
    .await;
    let reading = join_all([(); 2].map(|()| timeout(LONG, store.failures_of(&app, &send, 10))));
    let falling_silent = async {
        until_so_many_wait(&mut other, 2).await;
        silence.send_replace(());
        execute(&mut other, "COMMIT").await;
    };
    let (answers, ()) = tokio::join!(reading, falling_silent);
    for answer in answers {
        answer.expect("an answer, whatever it is").ok();
    }
    let again = async {
        while !matches!(store.failures_of(&app, &send, 10).await, Ok(read) if !read.is_cut_short) {}
    };
    timeout(LONG, again).await.expect("it has a place again");
}

/// Sessions of the store that have done something, and nothing since.
const THREE_IDLE: &str = "SELECT COUNT(*) = 3 FROM pg_stat_activity
    WHERE datname = current_database() AND state = 'idle' AND query = 'COMMIT'";

/// Twice as long as a connection is trusted without a question.
const FOR_LONG: &str = "AND clock_timestamp() - state_change > '2 s'";

/// Whoever comes first waits for an answer on one of three connections, and nobody does on the others.
async fn assert_one_is_asked(
    url: &str,
    mut observer: PgConnection,
    silence: watch::Sender<()>,
    mut asked: mpsc::UnboundedReceiver<bool>,
) {
    let settings = PostgresSettings {
        acquire_timeout: Duration::from_secs(10),
        ..settings()
    };
    let store = hato_store::open_with(url, &settings).await;
    let store = store.expect("opened");
    while !is_true(&mut observer, THREE_IDLE).await {
        for answer in join_all([store.ping(), store.ping(), store.ping()]).await {
            answer.expect("it answers");
        }
    }
    until_true(&mut observer, &format!("{THREE_IDLE} {FOR_LONG}")).await;
    silence.send_replace(());
    for _ in 0..3 {
        store.ping().await.expect("another connection answers");
    }
    let mut were_asked = Vec::new();
    while were_asked.len() < 3 {
        were_asked.push(asked.recv().await.expect("the proxy runs"));
    }
    were_asked.sort_unstable();
    assert_eq!(were_asked, [false, false, true]);
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_that_fell_silent_while_idle_cost_one_wait_together() {
    let database = TestDatabase::postgres().await;
    let (silence, asked, silent) = Silence::new();
    let url = proxy(&database, silent).await;
    let observer = PgConnection::connect(database.url()).await;
    assert_one_is_asked(&url, observer.expect("connected"), silence, asked).await;
}

/// A database that takes passwords over TLS, a URL that leads there through a proxy, and a connection of somebody else's.
async fn with_tls(silence: Silence) -> (SecuredCluster, String, PgConnection) {
    let cluster = SecuredCluster::start(&TestCa::new()).await;
    let server = cluster.address();
    let address = proxy_to(move || TcpStream::connect(server), silence).await;
    let password = SecuredCluster::PASSWORD;
    let url = format!("postgres://guest:{password}@{address}/guest?sslmode=require");
    let other = PgConnection::connect(&cluster.cluster().url("guest")).await;
    (cluster, url, other.expect("connected"))
}

/// A TLS connection is closed by a message, which a silent one shall not be waited for either.
#[tokio::test(flavor = "multi_thread")]
async fn nor_do_they_cost_more_with_tls() {
    let (silence, asked, silent) = Silence::new();
    let (_cluster, url, observer) = with_tls(silent).await;
    assert_one_is_asked(&url, observer, silence, asked).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_that_fall_silent_in_use_are_replaced_though_they_cannot_be_closed() {
    let (silence, _asked, silent) = Silence::new();
    let (_cluster, url, mut other) = with_tls(silent).await;
    let store = hato_store::open_with(&url, &settings()).await;
    let store = store.expect("opened");
    let lock = "BEGIN; LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE";
    execute(&mut other, lock).await;
    let asking = join_all([(); 3].map(|()| timeout(LONG, store.ping())));
    let falling_silent = async {
        until_so_many_wait(&mut other, 3).await;
        silence.send_replace(());
        execute(&mut other, "COMMIT").await;
    };
    let (answers, ()) = tokio::join!(asking, falling_silent);
    for answer in answers {
        answer.expect("an answer, whatever it is").ok();
    }
    let again = async { while store.ping().await.is_err() {} };
    timeout(LONG, again).await.expect("there are others");
}
