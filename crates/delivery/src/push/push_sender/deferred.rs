//! When those whom a limiter has rejected get their turn.
//!
//! A page's recipients at an origin are queued again as one job, so they are given a turn together, when all of them are known.

use std::collections::HashMap;

use hato_domain::AppId;
use hato_service::ports::{Recipient, RecipientId};

use super::PushSender;
use crate::push::origin::{Origin, PushTarget};
use crate::push::response::{DeferralCause, PushOutcome};

impl PushSender {
    /// Has the deferred among a page's recipients come back in turn, and not before they said.
    pub fn schedule_deferred(
        &self,
        app: &AppId,
        recipients: &[Recipient],
        outcomes: &mut HashMap<RecipientId, PushOutcome>,
    ) {
        for (origin, deferred) in deferred_by_origin(recipients, outcomes) {
            let turn = self.client.reserve(app, &origin, deferred.len());
            for recipient in deferred {
                if let Some(PushOutcome::Deferred { wait, .. }) = outcomes.get_mut(&recipient) {
                    *wait = turn.max(*wait);
                }
            }
        }
    }
}

const fn is_deferred(outcome: &PushOutcome) -> bool {
    matches!(
        outcome,
        PushOutcome::Deferred {
            cause: DeferralCause::PushService,
            ..
        }
    )
}

fn deferred_by_origin(
    recipients: &[Recipient],
    outcomes: &HashMap<RecipientId, PushOutcome>,
) -> HashMap<Origin, Vec<RecipientId>> {
    let mut deferred: HashMap<Origin, Vec<RecipientId>> = HashMap::new();
    if !outcomes.values().any(is_deferred) {
        return deferred;
    }
    for recipient in recipients {
        if outcomes.get(&recipient.id).is_some_and(is_deferred)
            && let Ok(target) = PushTarget::from_endpoint(&recipient.endpoint)
        {
            deferred
                .entry(target.origin)
                .or_default()
                .push(recipient.id);
        }
    }
    deferred
}
