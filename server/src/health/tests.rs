//! How often the database is looked at, on a clock that stands still.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use hato_domain::{OutboundPolicy, Plan, PushHosts, UnixMillis};
use hato_service::{AppLimits, Notifier, Secrets, Service, ServiceSettings};
use hato_testkit::manual_clock::ManualClock;
use http::Request;
use tempfile::TempDir;
use tower::ServiceExt as _;

/// The routes over a new database, its folder, and the clock.
async fn setup() -> (Router, TempDir, Arc<ManualClock>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let url = format!("sqlite:{}", folder.path().join("hato.db").display());
    let store = hato_store::open(&url).await.expect("a new database");
    let settings = ServiceSettings {
        vapid_subject: "mailto:owner@example.com".to_owned(),
        default_plan: Plan::Free,
        registration_open: true,
        outbound: OutboundPolicy::default(),
        push_hosts: PushHosts::default(),
        app_limits: AppLimits::default(),
    };
    let clock = Arc::new(ManualClock::starting_at(UnixMillis(0)));
    let secrets = Secrets::new(None, None);
    let service = Service::new(
        store,
        Arc::clone(&clock) as _,
        secrets,
        settings,
        Notifier::default(),
    );
    (super::routes(Arc::new(service)), folder, clock)
}

async fn status(routes: &Router) -> u16 {
    let request = Request::get("/readyz").body(Body::empty());
    let response = routes.clone().oneshot(request.expect("a request")).await;
    response.expect("routers cannot fail").status().as_u16()
}

#[tokio::test]
async fn everybody_is_told_for_a_second_what_one_look_has_found() {
    let (routes, folder, clock) = setup().await;
    let (file, away) = (folder.path().join("hato.db"), folder.path().join("away.db"));
    assert_eq!(status(&routes).await, 200);
    std::fs::rename(&file, &away).expect("moved");
    clock.set(UnixMillis(999));
    assert_eq!(status(&routes).await, 200);
    clock.set(UnixMillis(1_000));
    assert_eq!(status(&routes).await, 503);
    std::fs::rename(&away, &file).expect("moved back");
    assert_eq!(status(&routes).await, 503);
    // What the future has found tells nothing after the clock was set back.
    clock.set(UnixMillis(0));
    assert_eq!(status(&routes).await, 200);
}
