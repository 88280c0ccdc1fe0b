//! Pages of lists that are newest first.

use hato_domain::Cursor;

/// The (time, id) before which a page begins. No id is smaller than the empty one, so a time alone means strictly older.
pub(crate) fn bound(cursor: Option<&Cursor>) -> (i64, &str) {
    cursor.map_or((i64::MAX, ""), |cursor| {
        (
            cursor.before.0,
            cursor.before_id.as_deref().unwrap_or_default(),
        )
    })
}
