//! What delivers, made from the settings of delivery.

use std::sync::Arc;

use hato_delivery::{DeliverySettings, Engine, Janitor, WebhookSender, WebhookSettings};
use hato_service::ports::{Clock, Store};
use hato_service::{Notifier, Secrets};

use super::error::BootError;
use crate::config::Config;
use crate::file_limit;
use crate::lifecycle::Workers;

/// The workers over `store`, which tell push services to turn to `vapid_subject`.
pub fn build(
    config: &Config,
    vapid_subject: String,
    (store, clock): (Arc<dyn Store>, Arc<dyn Clock>),
    (secrets, notifier): (&Secrets, &Notifier),
) -> Result<Workers, BootError> {
    let delivery = delivery_settings(config, vapid_subject);
    let webhooks = WebhookSender::new(
        Arc::clone(&store),
        Arc::clone(&clock),
        secrets.clone(),
        notifier.clone(),
        webhook_settings(config),
    );
    let janitor = Janitor::new(Arc::clone(&store), Arc::clone(&clock), &delivery);
    let engine = Engine::new(store, clock, secrets.clone(), notifier.clone(), delivery);
    let (engine, webhooks) = (engine?, webhooks?);
    Ok(Workers {
        engine,
        webhooks,
        janitor,
    })
}

fn delivery_settings(config: &Config, vapid_subject: String) -> DeliverySettings {
    DeliverySettings {
        outbound: config.delivery.outbound(),
        outbound_ca: config.delivery.outbound_ca.clone(),
        connections: file_limit::max_connections(),
        ..DeliverySettings::new(
            vapid_subject,
            config.delivery.retry_delays,
            config.retention_days,
        )
    }
}

fn webhook_settings(config: &Config) -> WebhookSettings {
    WebhookSettings {
        outbound: config.delivery.outbound(),
        outbound_ca: config.delivery.outbound_ca.clone(),
        ..WebhookSettings::new(config.delivery.webhook_retry_delays.clone())
    }
}
