//! What delivers, made from the settings of delivery.

use std::sync::Arc;

use hato_delivery::{DeliverySettings, Engine, Janitor, Scheduler, WebhookSender, WebhookSettings};
use hato_service::ports::{Clock, Store};
use hato_service::{Notifier, Secrets};

use super::error::BootError;
use crate::backup::{BackupSchedule, BackupSource};
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
    let scheduler = Scheduler::new(Arc::clone(&store), Arc::clone(&clock), notifier.clone());
    let backups = BackupSchedule::new(
        backup_source(config),
        config.backup.clone(),
        Arc::clone(&clock),
    );
    let engine = Engine::new(store, clock, secrets.clone(), notifier.clone(), delivery);
    let (engine, webhooks) = (engine?, webhooks?);
    Ok(Workers {
        engine,
        webhooks,
        janitor,
        scheduler,
        backups,
    })
}

fn backup_source(config: &Config) -> BackupSource {
    BackupSource {
        store: config.store.clone(),
        secrets: config.secrets().configured,
    }
}

fn delivery_settings(config: &Config, vapid_subject: String) -> DeliverySettings {
    DeliverySettings {
        outbound: config.delivery.outbound(),
        push_hosts: config.limits.push_hosts(),
        outbound_ca: config.delivery.outbound_ca.clone(),
        connections: file_limit::max_connections(),
        ..DeliverySettings::new(
            vapid_subject,
            config.delivery.retry_delays,
            config.retention.days,
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use clap::{Args as _, Command, FromArgMatches as _};

    use super::{delivery_settings, webhook_settings};
    use crate::config::Config;

    /// The settings that these arguments of `hato-server serve` make.
    fn config(arguments: &[&str]) -> Config {
        let command = Config::augment_args(Command::new("serve").no_binary_name(true));
        let matches = command.try_get_matches_from(arguments).expect("settings");
        Config::from_arg_matches(&matches).expect("settings")
    }

    #[test]
    fn push_services_have_10_seconds_and_webhooks_15() {
        let config = config(&[]);
        let delivery = delivery_settings(&config, "mailto:a@example.com".to_owned());
        assert_eq!(delivery.response_timeout, Duration::from_secs(10));
        assert_eq!(delivery.connect_timeout, Duration::from_secs(10));
        let webhooks = webhook_settings(&config);
        assert_eq!(webhooks.response_timeout, Duration::from_secs(15));
    }

    #[test]
    fn what_the_operator_decides_arrives() {
        let config = config(&[
            "--retry-delays=1s,2s,3s",
            "--webhook-retry-delays=4s,5s",
            "--push-hosts=push.example",
            "--retention-days=7",
        ]);
        let delivery = delivery_settings(&config, "mailto:a@example.com".to_owned());
        assert_eq!(delivery.retry_delays, [1, 2, 3].map(Duration::from_secs));
        assert_eq!(delivery.push_hosts, config.limits.push_hosts());
        assert_eq!(delivery.retention_days, 7);
        let webhooks = webhook_settings(&config);
        assert_eq!(webhooks.retry_delays, [4, 5].map(Duration::from_secs));
    }
}
