//! The plans and their numeric limits (SPEC 8).

use crate::ErrorCode;

/// The plan of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// With the limits of SPEC 8.
    Free,
    /// Without them.
    Pro,
}

impl Plan {
    /// The plan that setting a webhook URL takes (SPEC 2.1).
    pub const FOR_WEBHOOKS: Self = Self::Pro;

    /// Reads `free` or `pro`.
    pub fn parse(text: &str) -> Result<Self, ErrorCode> {
        match text {
            "free" => Ok(Self::Free),
            "pro" => Ok(Self::Pro),
            _ => Err(ErrorCode::InvalidInput),
        }
    }

    /// The text form, as in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Pro => "pro",
        }
    }

    /// Most apps of one account; `None` is no limit.
    pub const fn max_apps(self) -> Option<i64> {
        match self {
            Self::Free => Some(1),
            Self::Pro => None,
        }
    }

    /// Most active subscriptions of one app when a new endpoint registers (SPEC 4.2).
    pub const fn max_subscriptions(self) -> Option<i64> {
        match self {
            Self::Free => Some(1_000),
            Self::Pro => None,
        }
    }

    /// Most recipients of one account in a UTC month.
    pub const fn max_monthly_sends(self) -> Option<i64> {
        match self {
            Self::Free => Some(30_000),
            Self::Pro => None,
        }
    }
}
