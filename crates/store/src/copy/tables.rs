//! Which tables there are.

/// The tables that are copied, each after those that it refers to. A test holds that both databases have these, and no other but those
/// that tell of migrations and of the processes that run.
pub const TABLES: [&str; 27] = [
    "accounts",
    "sessions",
    "monthly_usage",
    "apps",
    "vapid_keys",
    "pictures",
    "api_keys",
    "key_events",
    "subscriptions",
    "tag_positions",
    "reach",
    "sends",
    "send_positions",
    "send_missed",
    "send_failures",
    "engaged_recipients",
    "dead_letters",
    "idempotency_keys",
    "daily_counts",
    "daily_subscribers",
    "jobs",
    "webhooks",
    "webhook_events",
    "webhook_attempts",
    "github_logins",
    "refusals",
    "send_windows",
];
