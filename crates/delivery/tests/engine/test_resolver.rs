//! Names that mean what a test says.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use hato_outbound::{LookupError, Resolver};

/// What look-ups find.
#[derive(Debug, Default)]
pub struct TestResolver {
    names: HashMap<&'static str, Vec<IpAddr>>,
    is_down: Mutex<bool>,
}

impl TestResolver {
    /// These names with these addresses. Any other has a name server that gives no answer, and one that ends in `.invalid` does not
    /// exist.
    pub fn new(names: &[(&'static str, &[&str])]) -> Arc<Self> {
        let parse = |address: &&str| address.parse().expect("an address");
        let names = names
            .iter()
            .map(|(name, addresses)| (*name, addresses.iter().map(parse).collect()));
        Arc::new(Self {
            names: names.collect(),
            is_down: Mutex::default(),
        })
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
        match self.names.get(name) {
            Some(addresses) => Ok(addresses.clone()),
            None if name.ends_with(".invalid") => Err(LookupError::NoSuchName),
            None => Err(LookupError::TimedOut),
        }
    }
}
