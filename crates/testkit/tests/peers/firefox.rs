//! The WebSocket side, with tokio-tungstenite in Firefox's place.

use crate::sender::{Http2Client, ReferenceSender};
use futures_util::{SinkExt, StreamExt};
use hato_testkit::push_service::{BrowserSubscription, PushService};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::{WebSocketStream, client_async, tungstenite::Message};

const CHANNEL: &str = "0a7e1f5c-7c1b-4f0e-9d8f-6f6b0a5d7c11";

struct Firefox {
    socket: WebSocketStream<TcpStream>,
}

impl Firefox {
    async fn connect(service: &PushService) -> Self {
        let url = service.websocket_url();
        let host = url.trim_start_matches("ws://").trim_end_matches('/');
        let stream = TcpStream::connect(host).await.expect("it listens");
        let (socket, _) = client_async(url, stream).await.expect("a WebSocket");
        Self { socket }
    }

    async fn send_frame(&mut self, frame: Value) {
        let frame = Message::text(frame.to_string());
        self.socket.send(frame).await.expect("the socket is open");
    }

    async fn next_frame(&mut self) -> Value {
        let frame = self.socket.next().await.expect("a frame").expect("a frame");
        serde_json::from_str(frame.to_text().expect("text")).expect("JSON")
    }

    async fn hello(&mut self, uaid: Option<&str>) -> String {
        let mut hello = json!({"messageType": "hello", "broadcasts": {}, "use_webpush": true});
        if let Some(uaid) = uaid {
            hello["uaid"] = json!(uaid);
        }
        self.send_frame(hello).await;
        let answer = self.next_frame().await;
        assert_eq!(
            (&answer["status"], &answer["use_webpush"]),
            (&json!(200), &json!(true))
        );
        let uaid = answer["uaid"].as_str().expect("a uaid");
        assert_eq!(uaid.len(), 32);
        uaid.to_owned()
    }

    async fn register(&mut self, key: &str) -> String {
        self.send_frame(json!({"messageType": "register", "channelID": CHANNEL, "key": key}))
            .await;
        let answer = self.next_frame().await;
        assert_eq!(
            (&answer["status"], &answer["channelID"]),
            (&json!(200), &json!(CHANNEL))
        );
        answer["pushEndpoint"]
            .as_str()
            .expect("an endpoint")
            .to_owned()
    }
}

/// A push to `endpoint` that only a browser with other keys than the service's could open.
fn push(sender: &ReferenceSender, service: &PushService, endpoint: &str) -> http::Request<Vec<u8>> {
    let browser = BrowserSubscription {
        endpoint: endpoint.to_owned(),
        ..service.subscribe(None)
    };
    sender.push(&browser, "{}")
}

#[tokio::test]
async fn forwards_pushes_and_records_acks() {
    let service = PushService::start().await;
    let sender = ReferenceSender::new();
    let mut firefox = Firefox::connect(&service).await;
    firefox.hello(None).await;
    let endpoint = firefox.register(&format!("{}=", sender.public_key())).await;
    let request = push(&sender, &service, &endpoint);
    let body = request.body().clone();

    let mut connection = Http2Client::connect(&service).await;
    let answer = connection.send(request).await.expect("an answer");
    assert_eq!(answer.status, 201);

    let notification = firefox.next_frame().await;
    assert_eq!(notification["messageType"], "notification");
    assert_eq!(notification["channelID"], CHANNEL);
    assert_eq!(notification["headers"], json!({"encoding": "aes128gcm"}));
    assert_eq!(notification["data"], encode(&body));

    let version = notification["version"].as_str().expect("a version");
    let update = json!({"channelID": CHANNEL, "version": version, "code": 100});
    firefox
        .send_frame(json!({"messageType": "ack", "updates": [update]}))
        .await;
    service.wait_until(|seen| seen.acks.len() == 1).await;
    service.seen(|seen| {
        assert_eq!((seen.acks[0].kind, seen.acks[0].code), ("ack", 100));
        let id = endpoint.rsplit('/').next().map(str::to_owned);
        assert_eq!(seen.acks[0].subscription, id);
    });
    service.assert_no_violations();
}

fn encode(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes)
}

#[tokio::test]
async fn binds_endpoints_to_the_registered_key() {
    let service = PushService::start().await;
    let mut firefox = Firefox::connect(&service).await;
    firefox.hello(None).await;
    let endpoint = firefox.register(&ReferenceSender::new().public_key()).await;

    let mut connection = Http2Client::connect(&service).await;
    let request = push(&ReferenceSender::new(), &service, &endpoint);
    let answer = connection.send(request).await.expect("an answer");

    assert_eq!((answer.status.as_u16(), answer.errno()), (401, 109));
}

#[tokio::test]
async fn an_unregistered_channel_is_gone() {
    let service = PushService::start().await;
    let sender = ReferenceSender::new();
    let mut firefox = Firefox::connect(&service).await;
    firefox.hello(None).await;
    let endpoint = firefox.register(&sender.public_key()).await;
    firefox
        .send_frame(json!({"messageType": "unregister", "channelID": CHANNEL, "code": 200}))
        .await;
    assert_eq!(firefox.next_frame().await["status"], 200);

    let mut connection = Http2Client::connect(&service).await;
    let request = push(&sender, &service, &endpoint);
    let answer = connection.send(request).await.expect("an answer");

    assert_eq!((answer.status.as_u16(), answer.errno()), (410, 106));
}

#[tokio::test]
async fn keeps_messages_for_a_browser_that_comes_back() {
    let service = PushService::start().await;
    let sender = ReferenceSender::new();
    let mut firefox = Firefox::connect(&service).await;
    let uaid = firefox.hello(None).await;
    let endpoint = firefox.register(&sender.public_key()).await;
    drop(firefox);

    let mut connection = Http2Client::connect(&service).await;
    let request = push(&sender, &service, &endpoint);
    let answer = connection.send(request).await.expect("an answer");
    assert_eq!(answer.status, 201);

    let mut firefox = Firefox::connect(&service).await;
    assert_eq!(firefox.hello(Some(&uaid)).await, uaid);
    let notification = firefox.next_frame().await;
    let version = &notification["version"];
    firefox
        .send_frame(json!({"messageType": "nack", "version": version, "code": 301}))
        .await;
    service.wait_until(|seen| seen.acks.len() == 1).await;
    service.seen(|seen| assert_eq!((seen.acks[0].kind, seen.acks[0].code), ("nack", 301)));
}

#[tokio::test]
async fn a_renewed_browser_loses_its_subscriptions() {
    let service = PushService::start().await;
    let sender = ReferenceSender::new();
    let mut firefox = Firefox::connect(&service).await;
    let uaid = firefox.hello(None).await;
    let endpoint = firefox.register(&sender.public_key()).await;

    service.renew_next_browser();
    while let Some(Ok(frame)) = firefox.socket.next().await {
        assert!(frame.is_close());
    }
    let mut firefox = Firefox::connect(&service).await;
    assert_ne!(firefox.hello(Some(&uaid)).await, uaid);

    let mut connection = Http2Client::connect(&service).await;
    let request = push(&sender, &service, &endpoint);
    let answer = connection.send(request).await.expect("an answer");
    assert_eq!(answer.status, 410);
}

#[tokio::test]
async fn answers_pings() {
    let service = PushService::start().await;
    let mut firefox = Firefox::connect(&service).await;
    firefox.send_frame(json!({})).await;
    assert_eq!(firefox.next_frame().await, json!({}));
}
