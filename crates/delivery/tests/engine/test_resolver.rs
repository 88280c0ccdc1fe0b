//! Names that mean what a test says.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use hato_outbound::{LookupError, Resolver};
use tokio::sync::watch;

/// A resolver that answers for a test's names, unless its name servers are down.
#[derive(Debug, Default)]
pub struct TestResolver {
    names: HashMap<&'static str, Vec<IpAddr>>,
    is_down: Mutex<bool>,
    hanging: watch::Sender<usize>,
}

impl TestResolver {
    /// These names with these addresses. Any other has a name server that gives no answer; a name that ends in `.invalid` does not
    /// exist, and a look-up of one that ends in `.unanswered` does not end.
    pub fn new(names: &[(&'static str, &[&str])]) -> Arc<Self> {
        let parse = |address: &&str| address.parse().expect("an address");
        let names = names
            .iter()
            .map(|(name, addresses)| (*name, addresses.iter().map(parse).collect()));
        Arc::new(Self {
            names: names.collect(),
            is_down: Mutex::default(),
            hanging: watch::Sender::default(),
        })
    }

    /// Resolves once so many look-ups that do not end have begun.
    pub async fn wait_for_hanging(&self, count: usize) {
        let mut hanging = self.hanging.subscribe();
        let reached = hanging.wait_for(|hanging| *hanging >= count).await;
        reached.expect("the resolver is there");
    }

    /// From now on no name is found, or each is again.
    pub fn set_down(&self, is_down: bool) {
        *self.is_down.lock().expect("no panic") = is_down;
    }
}

#[async_trait]
impl Resolver for TestResolver {
    async fn addresses(&self, name: &str) -> Result<Vec<IpAddr>, LookupError> {
        if *self.is_down.lock().expect("no panic") {
            return Err(LookupError::TimedOut);
        }
        if name.ends_with(".unanswered") {
            self.hanging.send_modify(|hanging| *hanging += 1);
            return std::future::pending().await;
        }
        match self.names.get(name) {
            Some(addresses) => Ok(addresses.clone()),
            None if name.ends_with(".invalid") => Err(LookupError::NoSuchName),
            None => Err(LookupError::TimedOut),
        }
    }
}
