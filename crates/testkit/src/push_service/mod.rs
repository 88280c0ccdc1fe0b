//! A stand-in push service that is real on the wire.
//!
//! It takes `POST /push/<id>` over TLS as RFC 8030 says, verifies VAPID (RFC 8292) and every header, decrypts with the
//! subscription's private key (RFC 8291), answers by script, and refuses what is wrong as Mozilla's service does.
//! Firefox can use it through its WebSocket protocol, other programs through the control side.

mod answer;
pub(crate) mod body;
mod browsers;
mod connection;
mod control;
mod desk;
mod exchange;
mod headers;
mod keys;
mod options;
mod refusal;
mod seen;
mod subscription;
mod vapid;
mod websocket;

pub use answer::{Answer, UnknownAnswer};
pub use options::{Decryption, Options, Protocols};
pub use seen::{Ack, Counts, Message, Seen, Violation};
pub use subscription::BrowserSubscription;
pub use vapid::VapidClaims;

use crate::{authority::Authority, listening::Listening, plain_http};
use desk::Desk;
use std::{io, net::SocketAddr, path::Path, sync::Arc, time::Duration};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// How long [`PushService::wait_until`] waits before it gives up: long enough for a slow machine.
const PATIENCE: Duration = Duration::from_mins(2);

/// A running push service; dropping it closes all its sockets.
pub struct PushService {
    desk: Arc<Desk>,
    authority: Arc<Authority>,
    address: SocketAddr,
    websocket_url: String,
    control_address: SocketAddr,
    _listening: [Listening; 3],
}

impl PushService {
    /// Starts with the default [`Options`]: all sides on ports of 127.0.0.1 that the system chooses.
    pub async fn start() -> Self {
        Self::start_with(Options::default())
            .await
            .expect("a free loopback port can be bound")
    }

    /// Starts with these options; fails when an address cannot be bound.
    pub async fn start_with(options: Options) -> io::Result<Self> {
        let tls = TcpListener::bind(options.listen).await?;
        let websocket = TcpListener::bind(options.websocket_listen).await?;
        let control = TcpListener::bind(options.control_listen).await?;
        let address = tls.local_addr()?;
        let websocket_url = format!("ws://{}/", websocket.local_addr()?);
        let control_address = control.local_addr()?;
        let authority = options.authority.clone().unwrap_or_default();
        let origin = format!("https://{}:{}", options.host, address.port());
        let desk = Arc::new(Desk::new(origin, &options));
        let listening = [
            listen_tls(tls, &desk, &authority, options),
            listen_websocket(websocket, &desk),
            listen_control(control, &desk),
        ];
        Ok(Self {
            desk,
            authority,
            address,
            websocket_url,
            control_address,
            _listening: listening,
        })
    }

    /// The origin of all endpoints, `https://127.0.0.1:PORT`: the only right `aud`.
    pub fn origin(&self) -> &str {
        &self.desk.origin
    }

    /// The socket address of the TLS side.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// For Firefox's `dom.push.serverURL`.
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

    /// The authority that a sender has to trust.
    pub fn authority(&self) -> &Arc<Authority> {
        &self.authority
    }

    /// The authority's certificate, PEM.
    pub fn ca_pem(&self) -> String {
        self.authority.pem()
    }

    /// Writes [`Self::ca_pem`] to a file, for `HATO_OUTBOUND_CA`.
    pub fn write_ca(&self, path: &Path) -> io::Result<()> {
        self.authority.write_pem(path)
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
        self.desk
            .subscribe(application_server_key, count)
            .expect("an application server key is 65 bytes on P-256, as base64url")
    }

    /// Ends a subscription: its endpoint answers 410 with errno 106 from now on.
    pub fn unsubscribe(&self, subscription: &BrowserSubscription) {
        self.desk.unsubscribe(&subscription.id);
    }

    /// The next requests to this subscription get these answers, in order; then the default counts again.
    pub fn script(
        &self,
        subscription: &BrowserSubscription,
        answers: impl IntoIterator<Item = Answer>,
    ) {
        let answers = answers.into_iter().collect();
        self.desk
            .change(|state| state.script.queue(Some(&subscription.id), answers));
    }

    /// The next requests to any subscription without a script of its own get these answers, in order.
    pub fn script_any(&self, answers: impl IntoIterator<Item = Answer>) {
        let answers = answers.into_iter().collect();
        self.desk.change(|state| state.script.queue(None, answers));
    }

    /// What this subscription is answered when its queue is empty.
    pub fn answer_always(&self, subscription: &BrowserSubscription, answer: Answer) {
        self.desk
            .change(|state| state.script.set_default(Some(&subscription.id), answer));
    }

    /// What every request is answered that no other rule covers; 201 at the start.
    pub fn answer_by_default(&self, answer: Answer) {
        self.desk
            .change(|state| state.script.set_default(None, answer));
    }

    /// Chooses the default by the number of the request (from 0, over all subscriptions).
    pub fn answer_by_number(&self, choose: impl Fn(u64) -> Answer + Send + 'static) {
        self.desk
            .change(|state| state.script.set_default_by(Box::new(choose)));
    }

    /// Looks at what was seen so far.
    pub fn seen<T>(&self, look: impl FnOnce(&Seen) -> T) -> T {
        look(&self.desk.look().seen)
    }

    /// Waits until `done` holds, asked again after each request; panics with the state after two minutes.
    pub async fn wait_until(&self, done: impl Fn(&Seen) -> bool) {
        let in_time = self.desk.wait(PATIENCE, done).await;
        assert!(in_time, "not seen in time: {:#?}", self.summary());
    }

    fn summary(&self) -> (Counts, Vec<Violation>, Vec<String>) {
        self.seen(|seen| (seen.total, seen.violations.clone(), seen.strays.clone()))
    }

    /// Panics if any request broke a rule or went astray.
    pub fn assert_no_violations(&self) {
        let (_, violations, strays) = self.summary();
        assert!(violations.is_empty(), "violations: {violations:#?}");
        assert!(strays.is_empty(), "stray requests: {strays:#?}");
    }

    /// Ends all sockets of browsers, their TCP connections included; browsers come back by themselves.
    pub fn hang_up_browsers(&self) {
        self.desk.hang_up_browsers();
    }

    /// Ends all sockets of browsers and answers the next hello with a fresh uaid, which drops that browser's subscriptions.
    pub fn renew_next_browser(&self) {
        self.desk.change(|state| state.browsers.renew_next());
        self.desk.hang_up_browsers();
    }
}

fn listen_tls(
    listener: TcpListener,
    desk: &Arc<Desk>,
    authority: &Authority,
    options: Options,
) -> Listening {
    let acceptor = TlsAcceptor::from(authority.server_config(options.protocols.alpn()));
    let (desk, options) = (Arc::clone(desk), Arc::new(options));
    Listening::spawn(listener, move |stream| {
        connection::serve(
            Arc::clone(&desk),
            Arc::clone(&options),
            acceptor.clone(),
            stream,
        )
    })
}

fn listen_websocket(listener: TcpListener, desk: &Arc<Desk>) -> Listening {
    let desk = Arc::clone(desk);
    Listening::spawn(listener, move |stream| {
        websocket::serve(Arc::clone(&desk), stream)
    })
}

fn listen_control(listener: TcpListener, desk: &Arc<Desk>) -> Listening {
    let desk = Arc::clone(desk);
    plain_http::serve(listener, move |request| {
        control::answer(Arc::clone(&desk), request)
    })
}
