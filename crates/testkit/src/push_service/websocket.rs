//! Firefox's side of a push service: text frames of one JSON object each.

use super::{
    keys,
    seen::Ack,
    state::{ServiceState, SharedState},
    subscription::{StoredSubscription, SubscriptionOwner},
};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio_tungstenite::{
    WebSocketStream, accept_async_with_config,
    tungstenite::{Message, protocol::WebSocketConfig},
};

/// The largest frame taken from a browser, bytes.
const MAX_FRAME: usize = 64 * 1024;

/// Serves one socket to its end, the TCP connection included.
pub(super) async fn serve(shared: Arc<SharedState>, stream: TcpStream) {
    let config = WebSocketConfig::default()
        .max_message_size(Some(MAX_FRAME))
        .max_frame_size(Some(MAX_FRAME));
    if let Ok(socket) = accept_async_with_config(stream, Some(config)).await {
        let mut session = BrowserSession::new(shared);
        // However the session ended, the socket closes with it.
        let _ = session.run(socket).await;
    }
}

struct BrowserSession {
    shared: Arc<SharedState>,
    uaid: Option<String>,
    /// The number of the first message not yet sent on this socket.
    next: u64,
}

type Socket = WebSocketStream<TcpStream>;
type SocketResult = Result<(), tokio_tungstenite::tungstenite::Error>;

impl BrowserSession {
    fn new(shared: Arc<SharedState>) -> Self {
        Self {
            shared,
            uaid: None,
            next: 0,
        }
    }

    async fn run(&mut self, mut socket: Socket) -> SocketResult {
        let mut changes = self.shared.changes();
        let mut disconnects = self.shared.disconnects();
        loop {
            self.deliver(&mut socket).await?;
            tokio::select! {
                frame = socket.next() => match frame {
                    Some(frame) => self.handle_frame(&mut socket, frame?).await?,
                    None => return Ok(()),
                },
                woken = changes.changed() => if woken.is_err() { return Ok(()) },
                _ = disconnects.changed() => return socket.close(None).await,
            }
        }
    }

    async fn deliver(&mut self, socket: &mut Socket) -> SocketResult {
        let Some(uaid) = &self.uaid else {
            return Ok(());
        };
        let pending = self.shared.lock().browsers.pending(uaid, self.next);
        for notification in pending {
            self.next = notification.number + 1;
            send(socket, &notification.frame).await?;
        }
        Ok(())
    }

    async fn handle_frame(&mut self, socket: &mut Socket, frame: Message) -> SocketResult {
        let Message::Text(text) = frame else {
            return Ok(());
        };
        let asked = serde_json::from_str(text.as_str()).unwrap_or(Value::Null);
        match self.handle_message(&asked) {
            Some(answer) => send(socket, &answer).await,
            None => Ok(()),
        }
    }

    fn handle_message(&mut self, asked: &Value) -> Option<Value> {
        match asked["messageType"].as_str() {
            None if asked.is_object() => Some(json!({})),
            Some("hello") => Some(self.hello(asked)),
            Some("register") => Some(self.register(asked)),
            Some("unregister") => Some(self.unregister(asked)),
            Some("ack") => {
                self.ack(asked);
                None
            }
            Some("nack") => {
                self.confirm("nack", asked);
                None
            }
            _ => None,
        }
    }

    fn hello(&mut self, asked: &Value) -> Value {
        self.disconnect();
        let outcome = self.shared.change(|state| {
            let outcome = state.browsers.hello(asked["uaid"].as_str());
            for id in &outcome.dropped {
                end_subscription(state, id);
            }
            state.seen.hellos += 1;
            outcome
        });
        self.uaid = Some(outcome.uaid.clone());
        self.next = 0;
        json!({
            "messageType": "hello",
            "uaid": outcome.uaid,
            "status": 200,
            "use_webpush": true,
            "broadcasts": {},
        })
    }

    fn register(&mut self, asked: &Value) -> Value {
        let channel = asked["channelID"].as_str().unwrap_or_default();
        let endpoint = self.make_endpoint(channel, asked["key"].as_str());
        json!({
            "messageType": "register",
            "channelID": channel,
            "status": if endpoint.is_some() { 200 } else { 400 },
            "pushEndpoint": endpoint,
        })
    }

    /// A new endpoint for the channel; None before hello or when the key is none.
    fn make_endpoint(&self, channel: &str, key: Option<&str>) -> Option<String> {
        let uaid = self.uaid.clone()?;
        let application_server_key = match key {
            Some(text) => Some(Arc::from(keys::decode_application_server_key(text)?)),
            None => None,
        };
        let id = keys::random_id();
        let endpoint = format!("{}/push/{id}", self.shared.origin);
        self.shared.change(|state| {
            if let Some(replaced) = state.browsers.register(&uaid, channel, &id) {
                end_subscription(state, &replaced);
            }
            let channel = channel.to_owned();
            let subscription = StoredSubscription {
                application_server_key,
                recipient: SubscriptionOwner::Browser { uaid, channel },
                gone: false,
            };
            state.subscriptions.insert(id, subscription);
            state.seen.registrations += 1;
        });
        Some(endpoint)
    }

    fn unregister(&mut self, asked: &Value) -> Value {
        let channel = asked["channelID"].as_str().unwrap_or_default();
        if let Some(uaid) = &self.uaid {
            self.shared.change(|state| {
                if let Some(id) = state.browsers.unregister(uaid, channel) {
                    end_subscription(state, &id);
                    state.seen.unregistrations += 1;
                }
            });
        }
        json!({"messageType": "unregister", "channelID": channel, "status": 200})
    }

    fn ack(&mut self, asked: &Value) {
        for update in asked["updates"].as_array().into_iter().flatten() {
            self.confirm("ack", update);
        }
    }

    fn confirm(&mut self, kind: &'static str, update: &Value) {
        let Some(uaid) = &self.uaid else {
            return;
        };
        let version = update["version"].as_str().unwrap_or_default();
        let code = update["code"].as_u64().unwrap_or_default();
        self.shared.change(|state| {
            let subscription = state.browsers.confirm(uaid, version);
            state.seen.acks.push(Ack {
                kind,
                subscription,
                version: version.to_owned(),
                code,
            });
        });
    }

    fn disconnect(&mut self) {
        if let Some(uaid) = self.uaid.take() {
            self.shared.change(|state| state.browsers.disconnect(&uaid));
        }
    }
}

impl Drop for BrowserSession {
    fn drop(&mut self) {
        self.disconnect();
    }
}

fn end_subscription(state: &mut ServiceState, id: &str) {
    if let Some(subscription) = state.subscriptions.get_mut(id) {
        subscription.gone = true;
    }
}

async fn send(socket: &mut Socket, frame: &Value) -> SocketResult {
    socket.send(Message::text(frame.to_string())).await
}
