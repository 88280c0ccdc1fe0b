//! The crate's encryption and one cached signature, over reqwest and HTTP/2.

use anyhow::Context as _;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE};
use reqwest::{Certificate, Client};
use web_push::{
    ContentEncoding, SubscriptionInfo, VapidSignature, VapidSignatureBuilder, WebPushMessageBuilder,
};

use crate::Sender;
use crate::order::Order;

pub struct Cached {
    client: Client,
    signature: VapidSignature,
    payload: String,
    ttl: u32,
}

impl Cached {
    pub fn new(order: &Order) -> anyhow::Result<Self> {
        let roots = Certificate::from_pem_bundle(&std::fs::read(&order.ca)?)?;
        let somebody = order.subscriptions.first().context("no subscription")?;
        let mut signature = VapidSignatureBuilder::from_base64(&order.private_key, somebody)?;
        signature.add_claim("sub", order.subject.as_str());
        // The crate leaves the port out.
        signature.add_claim("aud", order.origin.as_str());
        Ok(Self {
            client: Client::builder().tls_certs_only(roots).build()?,
            signature: signature.build()?,
            payload: order.payload.clone(),
            ttl: order.ttl,
        })
    }
}

impl Sender for Cached {
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
