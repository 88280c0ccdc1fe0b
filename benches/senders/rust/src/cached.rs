//! The crate's encryption and one cached signature, over reqwest and HTTP/2.

use anyhow::Context as _;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE};
use reqwest::{Certificate, Client};
use web_push::{
    ContentEncoding, SubscriptionInfo, VapidSignature, VapidSignatureBuilder, WebPushMessageBuilder,
};

use crate::MessageSender;
use crate::config::SenderConfig;

pub struct CachedSender {
    client: Client,
    signature: VapidSignature,
    payload: String,
    ttl: u32,
}

impl CachedSender {
    pub fn new(config: &SenderConfig) -> anyhow::Result<Self> {
        let roots = Certificate::from_pem_bundle(&std::fs::read(&config.ca)?)?;
        let first = config.subscriptions.first().context("no subscription")?;
        let mut signature = VapidSignatureBuilder::from_base64(&config.private_key, first)?;
        signature.add_claim("sub", config.subject.as_str());
        // The crate leaves the port out.
        signature.add_claim("aud", config.origin.as_str());
        Ok(Self {
            client: Client::builder().tls_certs_only(roots).build()?,
            signature: signature.build()?,
            payload: config.payload.clone(),
            ttl: config.ttl,
        })
    }
}

impl MessageSender for CachedSender {
    async fn send(&self, subscription: &SubscriptionInfo) -> anyhow::Result<()> {
        let mut message = WebPushMessageBuilder::new(subscription);
        message.set_payload(ContentEncoding::Aes128Gcm, self.payload.as_bytes());
        message.set_vapid_signature(self.signature.clone());
        let payload = message.build()?.payload.context("no payload")?;
        let mut request = self
            .client
            .post(&subscription.endpoint)
            .header("TTL", self.ttl)
            .header(CONTENT_ENCODING, payload.content_encoding.to_str())
            .header(CONTENT_TYPE, "application/octet-stream");
        for (name, value) in payload.crypto_headers {
            request = request.header(name, value);
        }
        request
            .body(payload.content)
            .send()
            .await?
            .error_for_status()?;
        Ok(())
    }
}
