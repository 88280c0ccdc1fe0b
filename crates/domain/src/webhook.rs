//! What webhooks speak of: the kinds of events, what became of a recipient, and how posting goes wrong (CONTRACT 8).

macro_rules! text_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)+
        }

        impl $name {
            /// The text form.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// Reads the text form; `None` for anything else.
            pub fn parse(text: &str) -> Option<Self> {
                match text {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

text_enum!(
    /// The `type` of an event.
    EventType {
        /// What became of up to 500 recipients of a send.
        DeliveryResults = "delivery.results",
        /// The last recipient of a send is settled.
        SendCompleted = "send.completed",
        /// The owner wants to see an event arrive.
        Test = "webhook.test",
    }
);

text_enum!(
    /// What became of a recipient.
    ResultStatus {
        /// The push service took the message.
        Sent = "sent",
        /// The subscription is gone.
        Expired = "expired",
        /// It finally failed otherwise.
        Failed = "failed",
    }
);

text_enum!(
    /// Why no events are posted although there is a URL.
    DisabledReason {
        /// The receiver answered 410.
        Gone = "gone",
        /// No attempt succeeded for five days.
        Failing = "failing",
        /// The account's plan is not the one that webhooks take.
        PlanRequired = "plan_required",
    }
);

text_enum!(
    /// Why an attempt to post an event had no answer.
    NoResponseReason {
        /// None within the time.
        TimedOut = "timed_out",
        /// No connection, or it broke.
        Unreachable = "unreachable",
        /// The address is not permitted.
        BlockedAddress = "blocked_address",
    }
);
