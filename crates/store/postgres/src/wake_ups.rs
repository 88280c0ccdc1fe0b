//! Wake-ups between processes, by LISTEN and NOTIFY: who accepts a send tells the workers of other processes.
//!
//! Nothing depends on them. What is queued is found by polling too, within half a second, so a wake-up may get lost with a connection
//! or a pooler, and is sent after the commit on its own: a NOTIFY within a transaction makes all commits of a database wait for each
//! other. Several within a few milliseconds are one.
//!
//! A transaction pooler takes a LISTEN and never delivers anything. So a process believes that it hears only after it has heard a
//! message of its own, and sends itself one now and then.

use std::convert::Infallible;
use std::time::Duration;

use hato_domain::AppId;
use hato_service::{AppsWithEvents, Notifier, WakeUps, jittered};
use serde::{Deserialize, Serialize};
use sqlx::postgres::PgListener;
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use crate::connections::Connections;
use crate::failure::answered;

/// The name under which all processes of a database tell each other.
const CHANNEL: &str = "hato";

/// The shortest time between two messages of a process.
const GATHERING_TIME: Duration = Duration::from_millis(20);

/// How long nothing may be heard before a process sends itself a message.
const SILENCE: Duration = Duration::from_secs(30);

/// How long that message may take.
const OWN_MESSAGE_TIMEOUT: Duration = Duration::from_secs(5);

/// Between two attempts to listen; cut by chance, so that the processes of a fleet do not come together.
const RETRY_INTERVAL: Duration = Duration::from_secs(10);

/// What a process tells the others.
#[derive(Debug, Deserialize, Serialize)]
struct Message {
    /// A name that the process made up.
    from: String,
    pages: bool,
    /// `None` when there are many.
    apps: Option<Vec<String>>,
}

impl Message {
    fn new(from: &str, wake_ups: WakeUps) -> Self {
        let apps = match wake_ups.apps {
            AppsWithEvents::Some(apps) => {
                Some(apps.iter().map(|app| app.as_str().to_owned()).collect())
            }
            AppsWithEvents::Many => None,
        };
        Self {
            from: from.to_owned(),
            pages: wake_ups.pages,
            apps,
        }
    }

    fn into_wake_ups(self) -> WakeUps {
        let apps = self.apps.map(|apps| apps.into_iter().map(AppId::trusted));
        WakeUps {
            pages: self.pages,
            apps: apps.map_or(AppsWithEvents::Many, |apps| {
                AppsWithEvents::Some(apps.collect())
            }),
        }
    }
}

/// Why a process does not hear the others.
#[derive(Debug, thiserror::Error)]
enum SilenceError {
    #[error("the connection failed: {0}")]
    Database(#[from] sqlx::Error),
    #[error("the connection was lost")]
    Lost,
    #[error("what was sent with NOTIFY did not arrive, as behind a transaction pooler")]
    Unheard,
}

/// Tells the other processes what `notifier` gathers, and `notifier` what they tell, until the pool is closed.
pub(crate) async fn relay(connections: &Connections, notifier: &Notifier, listens: bool) {
    let own = &Uuid::now_v7().to_string();
    let listening = async {
        if listens {
            listen(connections, own, notifier).await;
        }
    };
    tokio::select! {
        () = connections.closed.cancelled() => {}
        ((), ()) = async { tokio::join!(send_wake_ups(connections, own, notifier), listening) } => {}
    }
}

async fn send_wake_ups(connections: &Connections, own: &str, notifier: &Notifier) {
    loop {
        let message = Message::new(own, notifier.outgoing().await);
        if let Err(error) = send(connections, &message).await {
            tracing::debug!(%error, "other processes were not told of work");
        }
        sleep(GATHERING_TIME).await;
    }
}

async fn send(connections: &Connections, message: &Message) -> sqlx::Result<()> {
    let text = serde_json::to_string(message).map_err(|error| sqlx::Error::Encode(error.into()))?;
    sqlx::query("SELECT FROM pg_notify($1, $2)")
        .bind(CHANNEL)
        .bind(text)
        .execute(connections)
        .await
        .map(drop)
}

/// Listens again and again, and says once when it begins or ceases to hear.
async fn listen(connections: &Connections, own: &str, notifier: &Notifier) {
    let mut is_reported = false;
    loop {
        let Err(error) = hear(connections, own, notifier, &mut is_reported).await;
        if !is_reported {
            tracing::warn!(
                %error,
                "wake-ups of other processes are not heard; their work is found by polling: \
                 behind a transaction pooler set HATO_DATABASE_LISTEN=false"
            );
            is_reported = true;
        }
        sleep(jittered(RETRY_INTERVAL)).await;
    }
}

/// Hears until the connection fails or falls silent.
async fn hear(
    connections: &Connections,
    own: &str,
    notifier: &Notifier,
    is_reported: &mut bool,
) -> Result<Infallible, SilenceError> {
    let mut listener = connections.listener().await?;
    listener.eager_reconnect(false);
    answered(OWN_MESSAGE_TIMEOUT, listener.listen(CHANNEL)).await?;
    // The first message is its own, or it hears nothing.
    send(connections, &Message::new(own, WakeUps::default())).await?;
    while next(&mut listener, OWN_MESSAGE_TIMEOUT).await?.from != own {}
    *is_reported = false;
    tracing::info!("wake-ups of other processes are heard");
    // Whatever was told before it was heard.
    notifier.wake(&WakeUps {
        pages: true,
        apps: AppsWithEvents::Many,
    });
    loop {
        let message = match next(&mut listener, SILENCE).await {
            Err(SilenceError::Unheard) => {
                send(connections, &Message::new(own, WakeUps::default())).await?;
                next(&mut listener, OWN_MESSAGE_TIMEOUT).await?
            }
            heard => heard?,
        };
        if message.from != own {
            notifier.wake(&message.into_wake_ups());
        }
    }
}

/// The next message, if one comes within this time.
async fn next(listener: &mut PgListener, max_silence: Duration) -> Result<Message, SilenceError> {
    loop {
        let received = timeout(max_silence, listener.try_recv()).await;
        let received = received.map_err(|_| SilenceError::Unheard)?;
        let notification = received?.ok_or(SilenceError::Lost)?;
        if let Ok(message) = serde_json::from_str(notification.payload()) {
            return Ok(message);
        }
    }
}
