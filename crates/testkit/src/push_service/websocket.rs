//! Firefox's side of a push service: text frames of one JSON object each.

use super::{
    desk::{Desk, State},
    keys,
    seen::Ack,
    subscription::{Recipient, Subscription},
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
pub(super) async fn serve(desk: Arc<Desk>, stream: TcpStream) {
    let config = WebSocketConfig::default()
        .max_message_size(Some(MAX_FRAME))
        .max_frame_size(Some(MAX_FRAME));
    if let Ok(socket) = accept_async_with_config(stream, Some(config)).await {
        let mut session = Session::new(desk);
        // However the conversation ended, the socket closes with it.
        let _ = session.converse(socket).await;
    }
}

struct Session {
    desk: Arc<Desk>,
    uaid: Option<String>,
    /// The number of the first message not yet sent on this socket.
    next: u64,
}

type Socket = WebSocketStream<TcpStream>;
type Outcome = Result<(), tokio_tungstenite::tungstenite::Error>;

impl Session {
    fn new(desk: Arc<Desk>) -> Self {
        Self {
            desk,
            uaid: None,
            next: 0,
        }
    }

    async fn converse(&mut self, mut socket: Socket) -> Outcome {
        let mut changes = self.desk.changes();
        let mut hang_ups = self.desk.hang_ups();
        loop {
            self.deliver(&mut socket).await?;
            tokio::select! {
                frame = socket.next() => match frame {
                    Some(frame) => self.take(&mut socket, frame?).await?,
                    None => return Ok(()),
                },
                woken = changes.changed() => if woken.is_err() { return Ok(()) },
                _ = hang_ups.changed() => return socket.close(None).await,
            }
        }
    }

    async fn deliver(&mut self, socket: &mut Socket) -> Outcome {
        let Some(uaid) = &self.uaid else {
            return Ok(());
        };
        let pending = self.desk.look().browsers.pending(uaid, self.next);
        for notification in pending {
            self.next = notification.number + 1;
            send(socket, &notification.frame).await?;
        }
        Ok(())
    }

    async fn take(&mut self, socket: &mut Socket, frame: Message) -> Outcome {
        let Message::Text(text) = frame else {
            return Ok(());
        };
        let asked = serde_json::from_str(text.as_str()).unwrap_or(Value::Null);
        match self.react(&asked) {
            Some(answer) => send(socket, &answer).await,
            None => Ok(()),
        }
    }

    fn react(&mut self, asked: &Value) -> Option<Value> {
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
        self.leave();
        let greeting = self.desk.change(|state| {
            let greeting = state.browsers.greet(asked["uaid"].as_str());
            for id in &greeting.dropped {
                end(state, id);
            }
            state.seen.hellos += 1;
            greeting
        });
        self.uaid = Some(greeting.uaid.clone());
        self.next = 0;
        json!({
            "messageType": "hello",
            "uaid": greeting.uaid,
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
        let endpoint = format!("{}/push/{id}", self.desk.origin);
        self.desk.change(|state| {
            if let Some(replaced) = state.browsers.register(&uaid, channel, &id) {
                end(state, &replaced);
            }
            let channel = channel.to_owned();
            let subscription = Subscription {
                application_server_key,
                recipient: Recipient::Browser { uaid, channel },
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
            self.desk.change(|state| {
                if let Some(id) = state.browsers.unregister(uaid, channel) {
                    end(state, &id);
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
        self.desk.change(|state| {
            let subscription = state.browsers.confirm(uaid, version);
            state.seen.acks.push(Ack {
                kind,
                subscription,
                version: version.to_owned(),
                code,
            });
        });
    }

    fn leave(&mut self) {
        if let Some(uaid) = self.uaid.take() {
            self.desk.change(|state| state.browsers.leave(&uaid));
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.leave();
    }
}

fn end(state: &mut State, id: &str) {
    if let Some(subscription) = state.subscriptions.get_mut(id) {
        subscription.gone = true;
    }
}

async fn send(socket: &mut Socket, frame: &Value) -> Outcome {
    socket.send(Message::text(frame.to_string())).await
}
