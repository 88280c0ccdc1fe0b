//! A stand-in push service that is real on the wire.
//!
//! It takes `POST /push/<id>` over TLS as RFC 8030 says, verifies VAPID (RFC 8292) and every header, decrypts with the
//! subscription's private key (RFC 8291), answers by script, and refuses what is wrong as Mozilla's service does.
//! Firefox can use it through its WebSocket protocol, other programs through the control side.

mod autopush_error;
pub(crate) mod body;
mod browsers;
mod connection;
mod control;
mod exchange;
mod headers;
mod keys;
mod options;
mod scripted_response;
mod seen;
mod sender_connection;
mod state;
mod subscription;
mod vapid;
mod websocket;

pub use options::{Decryption, Protocols, PushServiceOptions};
pub use scripted_response::{ParseResponseError, ScriptedResponse};
pub use seen::{Ack, Counts, ReceivedMessage, SeenTraffic, Violation};
pub use subscription::BrowserSubscription;
pub use vapid::VapidClaims;

use crate::{listener_task::ListenerTask, plain_http, test_ca::TestCa};
use state::SharedState;
use std::{io, net::SocketAddr, path::Path, sync::Arc, time::Duration};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// How long [`PushService::wait_until`] waits before it gives up: long enough for a slow machine.
const WAIT_TIMEOUT: Duration = Duration::from_mins(2);

/// A running push service; dropping it closes all its sockets.
pub struct PushService {
    shared: Arc<SharedState>,
    ca: Arc<TestCa>,
    address: SocketAddr,
    websocket_url: String,
    control_address: SocketAddr,
    _listener_task: [ListenerTask; 3],
}

impl PushService {
    /// Starts with the default [`PushServiceOptions`]: all sides on ports of 127.0.0.1 that the system chooses.
    pub async fn start() -> Self {
        Self::start_with(PushServiceOptions::default())
            .await
            .expect("a free loopback port can be bound")
    }

    /// Starts with these options; fails when an address cannot be bound.
    pub async fn start_with(options: PushServiceOptions) -> io::Result<Self> {
        let tls = TcpListener::bind(options.listen).await?;
        let websocket = TcpListener::bind(options.websocket_listen).await?;
        let control = TcpListener::bind(options.control_listen).await?;
        let address = tls.local_addr()?;
        let websocket_url = format!("ws://{}/", websocket.local_addr()?);
        let control_address = control.local_addr()?;
        let ca = options.ca.clone().unwrap_or_default();
        let origin = format!("https://{}:{}", options.host, address.port());
        let shared = Arc::new(SharedState::new(origin, &options));
        let listener_task = [
            listen_tls(tls, &shared, &ca, options),
            listen_websocket(websocket, &shared),
            listen_control(control, &shared),
        ];
        Ok(Self {
            shared,
            ca,
            address,
            websocket_url,
            control_address,
            _listener_task: listener_task,
        })
    }

    /// The origin of all endpoints, `https://127.0.0.1:PORT`: the only right `aud`.
    pub fn origin(&self) -> &str {
        &self.shared.origin
    }

    /// The socket address of the TLS side.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of the WebSocket side, for Firefox's preference `dom.push.serverURL`.
    pub fn websocket_url(&self) -> &str {
        &self.websocket_url
    }

    /// The socket address of the control side.
    pub fn control_address(&self) -> SocketAddr {
        self.control_address
    }

    /// The address of the control side, `http://127.0.0.1:PORT`.
    pub fn control_url(&self) -> String {
        format!("http://{}", self.control_address)
    }

    /// The CA that a sender has to trust.
    pub fn ca(&self) -> &Arc<TestCa> {
        &self.ca
    }

    /// The certificate of [`Self::ca`] as PEM text.
    pub fn ca_pem(&self) -> String {
        self.ca.pem()
    }

    /// Writes [`Self::ca_pem`] to a file, for `HATO_OUTBOUND_CA`.
    pub fn write_ca(&self, path: &Path) -> io::Result<()> {
        self.ca.write_pem(path)
    }

    /// Makes a subscription, bound to an application server key (base64url, 65 bytes) if given.
    pub fn subscribe(&self, application_server_key: Option<&str>) -> BrowserSubscription {
        self.subscribe_many(application_server_key, 1).remove(0)
    }

    /// Makes `count` subscriptions with endpoints and secrets of their own that share one key pair, which is quick.
    pub fn subscribe_many(
        &self,
        application_server_key: Option<&str>,
        count: usize,
    ) -> Vec<BrowserSubscription> {
        self.shared
            .subscribe(application_server_key, count)
            .expect("an application server key is 65 bytes on P-256, as base64url")
    }

    /// Ends a subscription: its endpoint answers 410 with errno 106 from now on.
    pub fn unsubscribe(&self, subscription: &BrowserSubscription) {
        self.shared.unsubscribe(&subscription.id);
    }

    /// The next requests to this subscription get these answers, in order; then the default counts again.
    pub fn script(
        &self,
        subscription: &BrowserSubscription,
        answers: impl IntoIterator<Item = ScriptedResponse>,
    ) {
        let answers = answers.into_iter().collect();
        self.shared
            .change(|state| state.script.queue(Some(&subscription.id), answers));
    }

    /// The next requests to any subscription without a script of its own get these answers, in order.
    pub fn script_any(&self, answers: impl IntoIterator<Item = ScriptedResponse>) {
        let answers = answers.into_iter().collect();
        self.shared
            .change(|state| state.script.queue(None, answers));
    }

    /// What this subscription is answered when its queue is empty.
    pub fn always_respond(&self, subscription: &BrowserSubscription, answer: ScriptedResponse) {
        self.shared
            .change(|state| state.script.set_default(Some(&subscription.id), answer));
    }

    /// What every request is answered that no other rule covers; 201 at the start.
    pub fn respond_by_default(&self, answer: ScriptedResponse) {
        self.shared
            .change(|state| state.script.set_default(None, answer));
    }

    /// Chooses the default by the number of the request (from 0, over all subscriptions).
    pub fn respond_by_number(&self, choose: impl Fn(u64) -> ScriptedResponse + Send + 'static) {
        self.shared
            .change(|state| state.script.set_default_by(Box::new(choose)));
    }

    /// Looks at what was seen so far.
    pub fn seen<T>(&self, look: impl FnOnce(&SeenTraffic) -> T) -> T {
        look(&self.shared.lock().seen)
    }

    /// How many different VAPID tokens senders have shown, of a few hundred at most: so often they have signed.
    pub fn tokens(&self) -> usize {
        self.shared.tokens()
    }

    /// Waits until `done` holds, asked again after each request; panics with the state after two minutes.
    pub async fn wait_until(&self, done: impl Fn(&SeenTraffic) -> bool) {
        let in_time = self.shared.wait(WAIT_TIMEOUT, done).await;
        assert!(in_time, "not seen in time: {:#?}", self.summary());
    }

    fn summary(&self) -> (Counts, Vec<Violation>, Vec<String>) {
        self.seen(|seen| (seen.total, seen.violations.clone(), seen.unmatched.clone()))
    }

    /// Panics if any request broke a rule or went astray.
    pub fn assert_no_violations(&self) {
        let (_, violations, unmatched) = self.summary();
        assert!(violations.is_empty(), "violations: {violations:#?}");
        assert!(unmatched.is_empty(), "unmatched requests: {unmatched:#?}");
    }

    /// Ends all sockets of browsers and answers the next hello with a fresh uaid, which drops that browser's subscriptions.
    pub fn renew_next_browser(&self) {
        self.shared.change(|state| state.browsers.renew_next());
        self.shared.disconnect_browsers();
    }
}

fn listen_tls(
    listener: TcpListener,
    shared: &Arc<SharedState>,
    ca: &TestCa,
    options: PushServiceOptions,
) -> ListenerTask {
    let acceptor = TlsAcceptor::from(ca.server_config(options.protocols.alpn()));
    let (shared, options) = (Arc::clone(shared), Arc::new(options));
    ListenerTask::spawn(listener, move |stream| {
        connection::serve(
            Arc::clone(&shared),
            Arc::clone(&options),
            acceptor.clone(),
            stream,
        )
    })
}

fn listen_websocket(listener: TcpListener, shared: &Arc<SharedState>) -> ListenerTask {
    let shared = Arc::clone(shared);
    ListenerTask::spawn(listener, move |stream| {
        websocket::serve(Arc::clone(&shared), stream)
    })
}

fn listen_control(listener: TcpListener, shared: &Arc<SharedState>) -> ListenerTask {
    let shared = Arc::clone(shared);
    plain_http::serve(listener, move |request| {
        control::answer(Arc::clone(&shared), request)
    })
}
