//! The plans and their numeric limits (SPEC 8).

use crate::{ErrorCode, text_enum};

text_enum!(
    /// The plan of an account, which sets the limits of its apps and sends.
    Plan or ErrorCode::InvalidInput {
        /// The plan with the limits of SPEC 8, and without webhooks.
        Free = "free",
        /// The plan without those limits.
        Pro = "pro",
    }
);

impl Plan {
    /// The plan that setting a webhook URL takes (SPEC 2.1).
    pub const FOR_WEBHOOKS: Self = Self::Pro;

    /// Most apps of one account (SPEC 8); `None` is no limit.
    pub const fn max_apps(self) -> Option<i64> {
        self.limit(1)
    }

    /// Most active subscriptions of one app when a new endpoint registers (SPEC 4.2, 8); `None` is no limit.
    pub const fn max_subscriptions(self) -> Option<i64> {
        self.limit(1_000)
    }

    /// Most recipients of one account in a UTC month (SPEC 8, CONTRACT 6); `None` is no limit.
    pub const fn max_monthly_recipients(self) -> Option<i64> {
        self.limit(30_000)
    }

    /// Most sends of one account in a UTC month that nothing is charged for when they are accepted: to nobody, or scheduled. Each of
    /// them is kept like any other (CONTRACT 18); `None` is no limit.
    pub const fn max_monthly_uncharged_sends(self) -> Option<i64> {
        self.limit(30_000)
    }

    const fn limit(self, free: i64) -> Option<i64> {
        match self {
            Self::Free => Some(free),
            Self::Pro => None,
        }
    }
}
