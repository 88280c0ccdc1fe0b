//! The crate's own hyper client and a VAPID signature for each message. OpenSSL, which it uses, takes the trusted roots from
//! `SSL_CERT_FILE`.

use web_push::{
    ContentEncoding, HyperWebPushClient, PartialVapidSignatureBuilder, SubscriptionInfo,
    VapidSignatureBuilder, WebPushClient as _, WebPushMessageBuilder,
};

use crate::MessageSender;
use crate::config::SenderConfig;

pub struct DocumentedSender {
    client: HyperWebPushClient,
    key: PartialVapidSignatureBuilder,
    origin: String,
    subject: String,
    payload: String,
    ttl: u32,
}

impl DocumentedSender {
    pub fn new(config: &SenderConfig) -> anyhow::Result<Self> {
        Ok(Self {
            client: HyperWebPushClient::new(),
            key: VapidSignatureBuilder::from_base64_no_sub(&config.private_key)?,
            origin: config.origin.clone(),
            subject: config.subject.clone(),
            payload: config.payload.clone(),
            ttl: config.ttl,
        })
    }
}

impl MessageSender for DocumentedSender {
    async fn send(&self, subscription: &SubscriptionInfo) -> anyhow::Result<()> {
        let mut signature = self.key.clone().add_sub_info(subscription);
        signature.add_claim("sub", self.subject.as_str());
        // The crate leaves the port out.
        signature.add_claim("aud", self.origin.as_str());
        let mut message = WebPushMessageBuilder::new(subscription);
        message.set_payload(ContentEncoding::Aes128Gcm, self.payload.as_bytes());
        message.set_vapid_signature(signature.build()?);
        message.set_ttl(self.ttl);
        Ok(self.client.send(message.build()?).await?)
    }
}
