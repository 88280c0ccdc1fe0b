//! Pages of lists that are newest first (SPEC 4.11, 4.12): the store reads one item more than a page holds.

use hato_domain::wire::Page;
use hato_domain::{PageRequest, UnixMillis};

/// Cuts off the item beyond the limit that says whether another page follows, whose cursor is `cursor` of the last item:
/// its time and its id.
pub(crate) fn paged<T>(
    mut items: Vec<T>,
    page: &PageRequest,
    cursor: impl Fn(&T) -> (UnixMillis, String),
) -> Page<T> {
    let limit = usize::try_from(page.limit.get()).unwrap_or(usize::MAX);
    let more = items.len() > limit;
    items.truncate(limit);
    let next = items.last().filter(|_| more).map(cursor);
    let (next_before, next_before_id) = next.unzip();
    Page {
        items,
        next_before,
        next_before_id,
    }
}
