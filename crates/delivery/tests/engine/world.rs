//! An app with subscribers at a push service, and an engine to reach them.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hato_delivery::{DeliverySettings, Engine};
use hato_domain::{BrowserKeys, Endpoint, OutboundPolicy, Ttl, UnixMillis};
use hato_service::ports::{Clock, Recipient, RecipientId, SystemClock};
use hato_service::{Sealer, Secrets, Wake};
use hato_testkit::push_service::{BrowserSubscription, Options, Protocols, PushService};

use crate::queue::{MemoryQueue, Send};

pub const ENCRYPTION_KEY: [u8; 32] = [7; 32];

/// A clock that starts with the machine's, and then only moves when it is turned.
pub struct TurnedClock(AtomicI64);

impl TurnedClock {
    fn new() -> Self {
        Self(AtomicI64::new(SystemClock.now().0))
    }

    fn turn(&self, span: Duration) {
        let millis = i64::try_from(span.as_millis()).expect("a short time");
        self.0.fetch_add(millis, Ordering::SeqCst);
    }
}

impl Clock for TurnedClock {
    fn now(&self) -> UnixMillis {
        UnixMillis(self.0.load(Ordering::SeqCst))
    }
}

pub struct World {
    pub service: PushService,
    pub queue: Arc<MemoryQueue>,
    pub clock: Arc<TurnedClock>,
    pub wake: Wake,
    pub settings: DeliverySettings,
    public_key: String,
    sealed_private_key: Vec<u8>,
}

pub fn http1() -> Options {
    Options {
        protocols: Protocols::Http1,
        ..Options::default()
    }
}

impl World {
    pub async fn new() -> Self {
        Self::with(Options::default()).await
    }

    pub async fn with(options: Options) -> Self {
        let service = PushService::start_with(options).await.expect("a free port");
        let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).expect("a key pair");
        let private_key = pair.to_pkcs8v1().expect("a document");
        let settings = DeliverySettings {
            vapid_subject: "mailto:ops@example.com".into(),
            outbound: OutboundPolicy::parse("127.0.0.0/8").expect("a CIDR list"),
            outbound_ca: Some(service.ca_pem()),
            // Long enough for a slow machine; tests of time-outs shorten them.
            answer_timeout: Duration::from_mins(1),
            connect_timeout: Duration::from_mins(1),
            ..DeliverySettings::default()
        };
        Self {
            queue: Arc::default(),
            clock: Arc::new(TurnedClock::new()),
            wake: Wake::default(),
            public_key: URL_SAFE_NO_PAD.encode(pair.public_key()),
            sealed_private_key: Sealer::new(ENCRYPTION_KEY).seal("app_1", private_key.as_ref()),
            service,
            settings,
        }
    }

    pub fn subscribe(&self, count: usize) -> Vec<BrowserSubscription> {
        self.service.subscribe_many(Some(&self.public_key), count)
    }

    pub fn content(&self) -> Send {
        Send {
            ttl: Ttl::MAX,
            urgency: None,
            topic: None,
            accepted_at: self.clock.now(),
            sealed_private_key: self.sealed_private_key.clone(),
        }
    }

    /// Queues a send to these subscriptions.
    pub fn accept(&self, send: Send, subscriptions: &[BrowserSubscription]) {
        let recipients = (1..)
            .zip(subscriptions)
            .map(|(id, it)| recipient(id, it))
            .collect();
        self.queue.accept(send, recipients);
    }

    pub fn engine(&self) -> Engine<MemoryQueue> {
        self.engine_with_key(Some(ENCRYPTION_KEY))
    }

    pub fn engine_with_key(&self, encryption_key: Option<[u8; 32]>) -> Engine<MemoryQueue> {
        let clock: Arc<dyn Clock> = Arc::clone(&self.clock) as _;
        let secrets = Secrets::new(None, encryption_key);
        let queue = Arc::clone(&self.queue);
        Engine::new(
            queue,
            clock,
            secrets,
            self.wake.clone(),
            self.settings.clone(),
        )
        .expect("the roots are certificates")
    }

    /// Queues a send and delivers what is due.
    pub async fn deliver(&self, subscriptions: &[BrowserSubscription]) {
        self.accept(self.content(), subscriptions);
        self.engine()
            .run_until_idle()
            .await
            .expect("the queue answers");
    }

    pub fn turn_clock(&self, span: Duration) {
        self.clock.turn(span);
    }
}

fn recipient(id: i64, subscription: &BrowserSubscription) -> Recipient {
    Recipient {
        id: RecipientId(id),
        endpoint: Endpoint::parse(&subscription.endpoint).expect("an endpoint"),
        keys: BrowserKeys {
            p256dh: decode(&subscription.p256dh),
            auth: decode(&subscription.auth),
        },
    }
}

fn decode<const N: usize>(text: &str) -> [u8; N] {
    let bytes = URL_SAFE_NO_PAD.decode(text).expect("base64url");
    bytes.try_into().expect("the length")
}
