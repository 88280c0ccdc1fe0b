//! A network that swallows everything: nobody waits for an answer without an end, and what comes later is done.

use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::time::Duration;

use futures_util::future::{join_all, pending};
use hato_store::PostgresSettings;
use hato_testkit::TestDatabase;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;
use tokio::time::timeout;

use super::{connect, execute, until_so_many_wait};
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

/// The address of a proxy to the database, on whose connections nothing passes any more once `silence` is told, and neither end
/// hears of it.
async fn proxy(database: &TestDatabase, silence: watch::Receiver<()>) -> String {
    let (path, parameters) = database.url().split_once("?host=").expect("its address");
    let (folder, user) = parameters.split_once("&user=").expect("its user");
    let name = path.strip_prefix("postgres:///").expect("its name");
    let socket = PathBuf::from(folder).join(".s.PGSQL.5432");
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
    let listener = listener.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            // A database that is asked by many at once refuses now and then; whoever is refused asks again.
            if let Ok(server) = UnixStream::connect(&socket).await {
                tokio::spawn(forward(client, server, silence.clone()));
            }
        }
    });
    format!("postgres://{user}@{address}/{name}?sslmode=disable")
}

async fn forward(mut client: TcpStream, mut server: UnixStream, mut silence: watch::Receiver<()>) {
    silence.mark_unchanged();
    tokio::select! {
        _ = copy_bidirectional(&mut client, &mut server) => {}
        Ok(()) = silence.changed() => pending().await,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_waits_for_a_network_that_swallows_everything_is_told_and_others_go_on() {
    let database = TestDatabase::postgres().await;
    let (silence, silent) = watch::channel(());
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
    let (silence, silent) = watch::channel(());
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
