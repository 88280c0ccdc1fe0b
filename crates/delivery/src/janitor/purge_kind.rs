//! What a sweep removes, and in which order.

/// What is removed: kinds of rows that become too old, and the space that they leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PurgeKind {
    DeletedApps,
    /// Whom finished sends were for, once it is recorded who took them.
    Included,
    Sends,
    DeactivatedSubscriptions,
    Sessions,
    GitHubLogins,
    IdempotencyKeys,
    /// What was counted by quarter of an hour.
    RecentCounts,
    RateWindows,
    /// What recipients did, told to webhooks once a day.
    EngagementEvents,
    /// Who was counted, some minutes after their tokens are good no more.
    EngagedRecipients,
    OldEvents,
    ListenerEvents,
    Webhooks,
    FreeSpace,
}

/// The kinds that take turns, and what comes when they have left all the space that they will.
pub(super) const PURGE_ROUNDS: [&[PurgeKind]; 2] = [
    &[
        PurgeKind::DeletedApps,
        PurgeKind::Included,
        PurgeKind::Sends,
        PurgeKind::DeactivatedSubscriptions,
        PurgeKind::Sessions,
        PurgeKind::GitHubLogins,
        PurgeKind::IdempotencyKeys,
        PurgeKind::RecentCounts,
        PurgeKind::RateWindows,
        PurgeKind::EngagementEvents,
        PurgeKind::EngagedRecipients,
        PurgeKind::OldEvents,
        PurgeKind::ListenerEvents,
        PurgeKind::Webhooks,
    ],
    &[PurgeKind::FreeSpace],
];
