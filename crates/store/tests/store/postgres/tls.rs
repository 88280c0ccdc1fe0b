//! TLS to the database, as the URL's `sslmode` asks for it.

use std::net::SocketAddr;
use std::path::Path;

use hato_store::{PostgresOpenError, StoreOpenError};
use hato_testkit::secured_cluster::SecuredCluster;
use hato_testkit::test_ca::TestCa;

async fn open(address: SocketAddr, parameters: &str) -> Result<(), PostgresOpenError> {
    let password = SecuredCluster::PASSWORD;
    let url = format!("postgres://guest:{password}@{address}/guest?{parameters}");
    let opened = hato_store::open(&url).await;
    let store = opened.map_err(|error| match error {
        StoreOpenError::Postgres(error) => error,
        other => panic!("{other}"),
    })?;
    store.ping().await.expect("it answers");
    store.close().await;
    Ok(())
}

fn verified(mode: &str, root: &Path) -> String {
    format!("sslmode={mode}&sslrootcert={}", root.display())
}

#[tokio::test]
async fn each_mode_asks_for_what_it_says() {
    let (authority, stranger) = (TestCa::new(), TestCa::new());
    let cluster = SecuredCluster::start(&authority).await;
    let folder = tempfile::tempdir().expect("a folder");
    let (root, wrong_root) = (
        folder.path().join("root.pem"),
        folder.path().join("wrong.pem"),
    );
    authority.write_pem(&root).expect("written");
    stranger.write_pem(&wrong_root).expect("written");
    let (named, unnamed) = (cluster.address(), cluster.unnamed_address());
    for (address, parameters) in [
        (named, "sslmode=allow".to_owned()),
        (named, "sslmode=prefer".to_owned()),
        (named, "sslmode=require".to_owned()),
        (unnamed, verified("require", &root)),
        (named, verified("verify-ca", &root)),
        (unnamed, verified("verify-ca", &root)),
        (named, verified("verify-full", &root)),
    ] {
        let opened = open(address, &parameters).await;
        opened.unwrap_or_else(|error| panic!("{address} {parameters}: {error}"));
    }
    let nowhere = folder.path().join("nowhere.pem");
    for (address, parameters) in [
        (named, verified("require", &wrong_root)),
        (named, verified("require", &nowhere)),
        (named, verified("verify-ca", &wrong_root)),
        (named, verified("verify-full", &wrong_root)),
        (unnamed, verified("verify-full", &root)),
        (named, verified("verify-full", &nowhere)),
    ] {
        let refused = open(address, &parameters).await;
        let is_tls = matches!(refused, Err(PostgresOpenError::Tls { .. }));
        assert!(is_tls, "{address} {parameters}: {refused:?}");
    }
    let plain = open(named, "sslmode=disable").await;
    assert!(
        matches!(plain, Err(PostgresOpenError::Unauthorized { .. })),
        "{plain:?}"
    );
}
