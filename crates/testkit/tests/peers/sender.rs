//! A sender that shares no code with Hato's: web-push-native encrypts, jwt-simple signs, hyper carries.

use bytes::Bytes;
use hato_testkit::push_service::{BrowserSubscription, PushService};
use http::{HeaderMap, Request, StatusCode, Version};
use http_body_util::{BodyExt, Full};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::ServerName;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_rustls::{TlsConnector, client::TlsStream};
use web_push_native::{
    Auth, WebPushBuilder,
    jwt_simple::prelude::{
        Claims, Duration, ECDSAP256KeyPairLike, ECDSAP256PublicKeyLike, ES256KeyPair, JWTClaims,
        NoCustomClaims,
    },
    p256::PublicKey,
};

/// An application server (RFC 8030 §2) made of other libraries than the product, with a VAPID key of its own.
pub struct ReferenceSender {
    key: ES256KeyPair,
}

/// What a push service answered.
#[derive(Debug)]
pub struct ReceivedResponse {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
    pub version: Version,
}

impl ReceivedResponse {
    pub fn errno(&self) -> u64 {
        let body: Value = serde_json::from_slice(&self.body).expect("the body is JSON");
        assert_eq!(body["code"], self.status.as_u16());
        assert!(body["error"].is_string() && body["message"].is_string());
        body["errno"].as_u64().expect("errno is a number")
    }
}

impl ReferenceSender {
    pub fn new() -> Self {
        Self {
            key: ES256KeyPair::generate(),
        }
    }

    /// The application server key, base64url.
    pub fn public_key(&self) -> String {
        encode(&self.key.public_key().public_key().to_bytes_uncompressed())
    }

    /// Claims that are right for an endpoint of `audience`.
    pub fn claims(audience: &str) -> JWTClaims<NoCustomClaims> {
        Claims::create(Duration::from_hours(12))
            .with_audience(audience)
            .with_subject("mailto:sender@example.com")
    }

    /// The Authorization header with these claims.
    pub fn authorization(&self, claims: JWTClaims<NoCustomClaims>) -> String {
        let token = self.key.sign(claims).expect("claims can be signed");
        format!("vapid t={token}, k={}", self.public_key())
    }

    /// A push that is right in every way.
    pub fn push(&self, to: &BrowserSubscription, text: &str) -> Request<Vec<u8>> {
        let auth: [u8; 16] = decode(&to.auth).try_into().expect("16 bytes");
        let endpoint: http::Uri = to.endpoint.parse().expect("the endpoint is a URI");
        let origin = format!("https://{}", endpoint.authority().expect("a host"));
        let key = PublicKey::from_sec1_bytes(&decode(&to.p256dh)).expect("p256dh is a point");
        let mut request = WebPushBuilder::new(endpoint, key, Auth::from(auth))
            .build(text)
            .expect("the text can be encrypted");
        let authorization = self.authorization(Self::claims(&origin));
        let value = authorization.try_into().expect("it is ASCII");
        request.headers_mut().insert("authorization", value);
        request
    }
}

fn encode(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes)
}

fn decode(text: &str) -> Vec<u8> {
    use base64::Engine;
    base64::engine::general_purpose::URL_SAFE_NO_PAD
        .decode(text)
        .expect("keys are base64url")
}

/// One HTTP/2 connection to a push service.
pub struct Http2Client {
    sender: hyper::client::conn::http2::SendRequest<Full<Bytes>>,
}

impl Http2Client {
    pub async fn connect(service: &PushService) -> Self {
        let stream = connect_tls(service, &["h2"]).await;
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(b"h2".as_slice()));
        let handshake =
            hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream));
        let (sender, connection) = handshake.await.expect("the service speaks HTTP/2");
        tokio::spawn(connection);
        Self { sender }
    }

    pub async fn send(&mut self, request: Request<Vec<u8>>) -> hyper::Result<ReceivedResponse> {
        self.sender.ready().await?;
        let request = request.map(|body| Full::new(Bytes::from(body)));
        read(self.sender.send_request(request).await?).await
    }
}

/// Sends one request over HTTP/1.1.
pub async fn send_http1(service: &PushService, request: Request<Vec<u8>>) -> ReceivedResponse {
    let stream = connect_tls(service, &["http/1.1"]).await;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .expect("the service speaks HTTP/1.1");
    tokio::spawn(connection);
    let host = request.uri().authority().expect("a host").to_string();
    let path = request.uri().path().to_owned();
    let mut request = request.map(|body| Full::new(Bytes::from(body)));
    *request.uri_mut() = path.parse().expect("a path");
    let host = host.try_into().expect("a host is ASCII");
    request.headers_mut().insert("host", host);
    let response = sender.send_request(request).await.expect("an answer");
    read(response).await.expect("a body")
}

async fn read(response: http::Response<hyper::body::Incoming>) -> hyper::Result<ReceivedResponse> {
    let (parts, body) = response.into_parts();
    Ok(ReceivedResponse {
        status: parts.status,
        headers: parts.headers,
        version: parts.version,
        body: body.collect().await?.to_bytes(),
    })
}

async fn connect_tls(service: &PushService, alpn: &[&str]) -> TlsStream<TcpStream> {
    let stream = TcpStream::connect(service.address())
        .await
        .expect("the service listens");
    let name = ServerName::try_from("127.0.0.1").expect("an address is a name");
    TlsConnector::from(service.ca().client_config(alpn))
        .connect(name, stream)
        .await
        .expect("the certificate is trusted")
}
