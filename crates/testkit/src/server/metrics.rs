//! What a server counts, in the text format of Prometheus.

use std::net::SocketAddr;
use std::str::FromStr;

use super::HatoServer;
use crate::client::{Client, ClientError};

impl HatoServer {
    /// A client of the listener of its metrics, which a server has that was started with `HATO_METRICS_LISTEN`.
    pub fn metrics_client(&self) -> Client {
        let log = self.log();
        let address = log.lines().find_map(|line| {
            let (_, rest) = line.split_once("metrics at http://")?;
            rest.split('/').next()?.parse::<SocketAddr>().ok()
        });
        Client::new(address.unwrap_or_else(|| panic!("no address of metrics in {log}")))
    }

    /// How many messages push services have taken from this run of it. It was started with `HATO_METRICS_LISTEN`.
    pub async fn sent_messages(&self) -> Result<u64, ClientError> {
        let text = self.metrics_client().get("/metrics").await?.text();
        let sent = series_value(&text, "hato_deliveries_total{outcome=\"sent\"}");
        Ok(sent.unwrap_or_else(|| panic!("no deliveries in {text}")))
    }
}

/// The value of a series in the text of `/metrics`; `None` when there is none.
pub fn series_value<T: FromStr>(text: &str, series: &str) -> Option<T> {
    let line = text.lines().find_map(|line| line.strip_prefix(series))?;
    line.trim().parse().ok()
}
