//! What webhooks speak of: the kinds of events, what became of a recipient, and how posting goes wrong (CONTRACT 8).

use crate::text_enum;

text_enum!(
    /// What an event tells, which is its `type` in the JSON that is posted (CONTRACT 8).
    EventType {
        /// The event tells what became of up to 500 recipients of a send.
        DeliveryResults = "delivery.results",
        /// The last recipient of a send is settled.
        SendCompleted = "send.completed",
        /// Recipients of a send have done something that was not told yet (CONTRACT 15).
        SendEngagement = "send.engagement",
        /// The owner asked for an event, to see one arrive.
        Test = "webhook.test",
    }
);

text_enum!(
    /// What became of a recipient, as an event tells it.
    ResultStatus {
        /// The push service took the message.
        Sent = "sent",
        /// The push service answered that the subscription is gone.
        Expired = "expired",
        /// The delivery finally failed for another reason.
        Failed = "failed",
    }
);

text_enum!(
    /// Why no events are posted although the app has a webhook URL.
    DisabledReason {
        /// The receiver answered 410, by which it asks for no more events.
        Gone = "gone",
        /// No attempt succeeded for five days.
        Failing = "failing",
        /// The account's plan is not [`crate::Plan::FOR_WEBHOOKS`].
        PlanRequired = "plan_required",
    }
);

text_enum!(
    /// Why an attempt to post an event had no answer.
    NoResponseReason {
        /// The receiver did not answer within the time that an attempt has.
        TimedOut = "timed_out",
        /// No connection could be made, or it broke.
        Unreachable = "unreachable",
        /// The receiver's address is not public, and not allowed by the operator (CONTRACT 5).
        BlockedAddress = "blocked_address",
    }
);
