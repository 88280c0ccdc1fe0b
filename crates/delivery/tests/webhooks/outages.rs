//! A machine that finds no name, or reaches nobody, for a while.

use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use hato_domain::{NoResponseReason, OutboundPolicy};
use hato_outbound::{LookupError, Resolver};
use hato_service::ports::WebhookResponse;
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_webhooks::TestWebhooks;

/// Gives every name the same address, or none while no name server answers.
#[derive(Debug, Default)]
struct SwitchedResolver(Mutex<Option<IpAddr>>);

impl SwitchedResolver {
    fn set(&self, address: Option<&str>) {
        let address = address.map(|text| text.parse().expect("an address"));
        *self.0.lock().expect("no panic") = address;
    }
}

#[async_trait]
impl Resolver for SwitchedResolver {
    async fn addresses(&self, _name: &str) -> Result<Vec<IpAddr>, LookupError> {
        let address = *self.0.lock().expect("no panic");
        address.map_or(Err(LookupError::TimedOut), |address| Ok(vec![address]))
    }
}

#[on_each_database]
async fn what_an_outage_has_kept_back_is_posted_when_it_is_over(database: TestDatabase) {
    let mut test = TestWebhooks::new(database).await;
    let resolver = Arc::<SwitchedResolver>::default();
    test.settings.resolver = Arc::clone(&resolver) as _;
    // To a group of hosts there is no route.
    test.settings.outbound = OutboundPolicy::parse("127.0.0.0/8,224.0.0.1").expect("a list");
    let url = test.receiver.url().replace("127.0.0.1", "push.test");
    test.set_webhook_url(&test.app, &url).await;
    test.queue_test_event().await;
    for address in [None, Some("224.0.0.1"), Some("127.0.0.1")] {
        resolver.set(address);
        test.post().await;
        test.advance_clock(Duration::from_mins(10));
    }
    let attempts = test.attempts().await;
    let unreachable = || WebhookResponse::NotReceived(NoResponseReason::Unreachable);
    assert_eq!(
        (attempts[2].attempt, &attempts[2].response),
        (1, &unreachable())
    );
    assert_eq!(
        (attempts[1].attempt, &attempts[1].response),
        (2, &unreachable())
    );
    assert_eq!(attempts[0].attempt, 3, "{attempts:?}");
    assert_eq!(test.receiver.seen().len(), 1);
}
