//! The whole route table, in the specification's order.

use std::time::Duration;

use axum::Router;
use axum::body::HttpBody;
use axum::middleware::{from_fn, from_fn_with_state, map_response};
use axum::routing::{MethodRouter, any, get};
use http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY,
    RETRY_AFTER, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderName, HeaderValue, Method};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::predicate::{Predicate, SizeAbove};
use tower_http::compression::{CompressionLayer, CompressionLevel};
use tower_http::cors::{Any, CorsLayer};
use tower_http::set_header::SetResponseHeaderLayer;

use crate::api::{
    apps, audience, event_stream, events, keys, notifications, notify, stats, subscriptions,
    transfer, users, vapid_keys, webhook,
};
use crate::http::access::RenewedSession;
use crate::http::error::{self, unknown_path, wrong_method};
use crate::http::request_body::{self, BodyLimits};
use crate::http::strict_transport_security::HTTPS_FOR_A_YEAR;
use crate::http::{client_address, drain, in_flight, path, rate_limit, request_id, whole_page};
use crate::routes::{Route, Routes};
use crate::state::AppState;
use crate::{accounts, assets, dashboard, health, llms, mcp, media, openapi};

type DefaultHeader = SetResponseHeaderLayer<HeaderValue>;

/// Most bytes of JSON that is compressed.
const MAX_COMPRESSED_JSON_BYTES: u64 = 32 * 1024;

/// Everything the server answers.
pub fn router(state: &AppState) -> Router {
    let routes = Router::new()
        .merge(health::routes(state.service.clone()))
        .nest(
            "/api",
            Router::new().nest("/v1", api(state)).fallback(unknown_path),
        )
        .nest("/auth", auth(state))
        .route("/api/", any(unknown_path))
        .merge(limit_in_flight(state, below_auth(state)))
        .merge(mcp_router(state))
        .route("/mcp/", any(unknown_path))
        .route("/mcp/{*rest}", any(unknown_path))
        .route("/llms.txt", get(llms::show))
        .nest("/sdk", sdk(state))
        .merge(limit_in_flight(state, assets::site()))
        .merge(limit_in_flight(state, pictures()))
        .method_not_allowed_fallback(wrong_method)
        .fallback_service(limit_in_flight(
            state,
            whole_pages(catch_panics(dashboard::routes(state))),
        ))
        .with_state(state.clone())
        .layer(from_fn_with_state(
            BodyLimits::default(),
            request_body::bound,
        ))
        .layer(from_fn_with_state(
            state.clone(),
            client_address::identify_client,
        ))
        .layer(from_fn(drain::drain_unread))
        .layer(from_fn(path::require))
        .layer(CatchPanicLayer::custom(error::panicked))
        .layer(from_fn_with_state(state.clone(), error::write_bodies))
        .layer(compression(ShortJson))
        .layer(default_headers());
    require_https(state, routes).layer(from_fn(request_id::assign))
}

/// What a server that only delivers answers: its health, and that there is nothing else.
pub fn worker(state: &AppState) -> Router {
    let routes = Router::new()
        .merge(health::routes(state.service.clone()))
        .fallback(unknown_path)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(state.clone(), error::write_bodies))
        .layer(default_headers());
    require_https(state, routes).layer(from_fn(request_id::assign))
}

/// Every endpoint of the API and of accounts.
pub fn endpoints() -> Vec<Route> {
    let all = [api_routes(), report_routes(), auth_routes(), mcp_routes()];
    all.map(Routes::into_list).concat()
}

/// The endpoints of the API (SPEC 4, CONTRACT 4, 8, 12, 16).
fn api_routes() -> Routes {
    Routes::under("/api/v1")
        .post("/subscriptions", subscriptions::register)
        .post(
            "/apps/{appId}/subscriptions",
            subscriptions::register_within_limit,
        )
        .delete("/apps/{appId}/subscriptions", subscriptions::unsubscribe)
        .get("/apps/{appId}/subscriptions", audience::list)
        .get("/apps/{appId}/audience", audience::show)
        .get("/vapid-public-key", subscriptions::show_public_key)
        .patch("/subscriptions", subscriptions::update)
        .get("/stats", stats::show)
        .get("/apps/{appId}/stats", stats::show_for_app)
        .post("/apps/{appId}/keys", keys::create)
        .get("/apps/{appId}/keys", keys::list)
        .delete("/apps/{appId}/keys/{keyId}", keys::delete)
        .post("/notify", notify::send)
        .post("/notify/batch", notify::send_batch)
        .post("/apps/{appId}/notify", notify::broadcast)
        .get("/apps/{appId}/notifications", notifications::list)
        .get("/apps/{appId}/notifications/{send_id}", notifications::show)
        .delete(
            "/apps/{appId}/notifications/{send_id}",
            notifications::cancel,
        )
        .get(
            "/apps/{appId}/dead-letters",
            notifications::list_dead_letters,
        )
        .get("/apps/{appId}/key-events", keys::list_events)
        .patch("/apps/{appId}", apps::update)
        .get("/apps/{appId}/webhook", webhook::show)
        .post("/apps/{appId}/webhook/secret", webhook::rotate)
        .post("/apps/{appId}/webhook/enable", webhook::enable)
        .get("/apps/{appId}/identity", users::show_identity)
        .post("/apps/{appId}/identity/secret", users::rotate_identity)
        .post("/apps/{appId}/users/erase", users::erase)
        .post("/apps", apps::create)
        .get("/apps", apps::list)
        .get("/apps/{appId}", apps::show)
        .delete("/apps/{appId}", apps::delete)
        .get("/apps/{appId}/vapid-keys", vapid_keys::list)
        .post("/apps/{appId}/vapid-keys", vapid_keys::add)
        .post(
            "/apps/{appId}/vapid-keys/{vapidKeyId}/primary",
            vapid_keys::make_primary,
        )
        .post(
            "/apps/{appId}/vapid-keys/{vapidKeyId}/export",
            vapid_keys::export,
        )
        .delete("/apps/{appId}/vapid-keys/{vapidKeyId}", vapid_keys::delete)
        .post("/apps/{appId}/subscriptions/bulk", transfer::register_many)
        .get("/apps/{appId}/export", transfer::export)
        .get("/apps/{appId}/events/stream", event_stream::stream_events)
        .get("/openapi.json", openapi::show)
}

/// Where browsers report what became of notifications (CONTRACT 15).
fn report_routes() -> Routes {
    Routes::under("/api/v1").post("/events", events::report)
}

/// The endpoints of accounts and sessions (CONTRACT 4).
fn auth_routes() -> Routes {
    Routes::under("/auth")
        .post("/register", accounts::register)
        .post("/login", accounts::log_in)
        .post("/logout", accounts::log_out)
        .get("/session", accounts::session)
        .get("/github", accounts::github::begin)
        .get("/github/callback", accounts::github::finish)
}

/// The endpoint of the Model Context Protocol (CONTRACT 9).
fn mcp_routes() -> Routes {
    Routes::under("").post("/mcp", mcp::handle)
}

fn mcp_router(state: &AppState) -> Router<AppState> {
    let routes = mcp_routes()
        .into_router()
        .method_not_allowed_fallback(wrong_method);
    let routes = catch_panics(routes).layer(from_fn_with_state(
        state.clone(),
        rate_limit::limit_failed_keys,
    ));
    limit_in_flight(state, routes).layer(data_headers())
}

/// The last layer that is added runs first. [`rate_limit::limit_failed_keys`] runs before every handler and its extractors, since
/// the rate limit is the first check of CONTRACT 2.
fn api(state: &AppState) -> Router<AppState> {
    let routes = api_routes()
        .into_router()
        .fallback(unknown_path)
        .method_not_allowed_fallback(wrong_method);
    let routes = catch_panics(routes)
        .layer(from_fn_with_state(
            state.clone(),
            rate_limit::limit_failed_keys,
        ))
        .layer(from_fn_with_state(
            state.clone(),
            RenewedSession::refresh_cookie,
        ));
    // Reports are taken before anything is judged.
    let reports = catch_panics(report_routes().into_router());
    limit_in_flight(state, routes)
        .merge(reports.method_not_allowed_fallback(wrong_method))
        .layer(data_headers())
        .layer(cors())
}

fn auth(state: &AppState) -> Router<AppState> {
    let routes = auth_routes()
        .into_router()
        .fallback(unknown_path)
        .method_not_allowed_fallback(wrong_method);
    let routes = catch_panics(routes).layer(from_fn_with_state(
        state.clone(),
        RenewedSession::refresh_cookie,
    ));
    let routes = routes.layer(from_fn_with_state(
        state.clone(),
        accounts::render_error_pages,
    ));
    limit_in_flight(state, whole_pages(routes)).layer(data_headers())
}

/// The address below which accounts are, where there is nothing.
fn below_auth(state: &AppState) -> Router<AppState> {
    let methods = with_error_pages(state, any(unknown_path));
    whole_pages(Router::new().route("/auth/", methods))
}

/// Answers refusals as pages to whoever asks for pages (CONTRACT 2).
fn with_error_pages(state: &AppState, methods: MethodRouter<AppState>) -> MethodRouter<AppState> {
    methods.layer(from_fn_with_state(
        state.clone(),
        accounts::render_error_pages,
    ))
}

/// The files of the SDK (CONTRACT 10). The fallback comes before the layer, which also answers preflights.
fn sdk(state: &AppState) -> Router<AppState> {
    let files = assets::sdk().method_not_allowed_fallback(wrong_method);
    limit_in_flight(state, files).layer(cors())
}

/// The pictures that owners have uploaded (CONTRACT 11).
fn pictures() -> Router<AppState> {
    catch_panics(Router::new().route("/media/{name}", get(media::show)))
}

/// Everything but health counts: who watches the server must not be refused because of others at the same address.
fn limit_in_flight<S>(state: &AppState, routes: Router<S>) -> Router<S>
where
    S: Clone + Send + Sync + 'static,
{
    routes.layer(from_fn_with_state(state.clone(), in_flight::limit))
}

/// A panic becomes a response inside the layers that add headers to responses.
fn catch_panics<S: Clone + Send + Sync + 'static>(routes: Router<S>) -> Router<S> {
    routes.layer(CatchPanicLayer::custom(error::panicked))
}

/// Headers of every answer that did not set its own: no sniffing, no referrer to strangers.
fn default_headers() -> (DefaultHeader, DefaultHeader) {
    (
        default_header(X_CONTENT_TYPE_OPTIONS, "nosniff"),
        default_header(REFERRER_POLICY, "same-origin"),
    )
}

/// Where the base address is https, tells browsers in every answer to come back that way only. Other names of the domain are not
/// ours to speak for.
fn require_https(state: &AppState, routes: Router) -> Router {
    if !state.base_url.is_https() {
        return routes;
    }
    routes.layer(default_header(STRICT_TRANSPORT_SECURITY, HTTPS_FOR_A_YEAR))
}

/// Headers of answers that are data: never kept, and nothing to be run or framed.
fn data_headers() -> (DefaultHeader, DefaultHeader) {
    let policy = "default-src 'none'; frame-ancestors 'none'";
    (
        default_header(CACHE_CONTROL, "no-store"),
        default_header(CONTENT_SECURITY_POLICY, policy),
    )
}

fn default_header(name: HeaderName, value: &'static str) -> DefaultHeader {
    SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value))
}

/// Any origin, without credentials (CONTRACT 2).
fn cors() -> CorsLayer {
    CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([
            Method::GET,
            Method::HEAD,
            Method::POST,
            Method::PATCH,
            Method::DELETE,
        ])
        .allow_headers([
            AUTHORIZATION,
            CONTENT_TYPE,
            HeaderName::from_static("idempotency-key"),
        ])
        .expose_headers([RETRY_AFTER, request_id::X_REQUEST_ID])
        .max_age(Duration::from_hours(1))
}

/// Pages are compressed and whole before a client takes anything of them.
fn whole_pages<S>(routes: Router<S>) -> Router<S>
where
    S: Clone + Send + Sync + 'static,
{
    routes
        .layer(compression(Page))
        .layer(map_response(whole_page::finish))
}

/// For pages and short JSON: files are embedded compressed. The largest page takes 1.3 ms at this level, and 6 % more bytes in 0.7 ms at the one
/// below.
fn compression(kind: impl Predicate) -> CompressionLayer<impl Predicate> {
    CompressionLayer::new()
        .quality(CompressionLevel::Precise(5))
        .compress_when(SizeAbove::new(256).and(kind))
}

/// A page of the dashboard, or one that explains a refusal.
#[derive(Clone, Copy)]
struct Page;

impl Predicate for Page {
    fn should_compress<B: HttpBody>(&self, response: &http::Response<B>) -> bool {
        whole_page::is_page(response.headers())
    }
}

/// JSON that is compressed before the client has to take anything. Of longer JSON, such as a list, something would be left to compress while
/// the client takes it, and a megabyte of the encoder's held for as long as that lasts.
#[derive(Clone, Copy)]
struct ShortJson;

impl Predicate for ShortJson {
    fn should_compress<B: HttpBody>(&self, response: &http::Response<B>) -> bool {
        let kind = response.headers().get(CONTENT_TYPE);
        let bytes = response.body().size_hint().exact();
        kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"))
            && bytes.is_some_and(|bytes| bytes <= MAX_COMPRESSED_JSON_BYTES)
    }
}
