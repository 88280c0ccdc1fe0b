//! What the rotation of the encryption key needs of the store.

use async_trait::async_trait;
use hato_domain::AppId;

use super::StoreError;
use crate::SealPurpose;

/// Where a sealed text is stored: a column, by its number among those that hold such texts, and the key of its row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedPlace {
    /// The number of the column; columns are read in this order.
    pub column: usize,
    /// The key of the row, in whose order a column is read.
    pub key: String,
}

/// A sealed text as it is stored.
#[derive(Clone, Debug)]
pub struct SealedText {
    /// The column and the row in which it stands.
    pub place: SealedPlace,
    /// The app that it was sealed for.
    pub app: AppId,
    /// The kind of secret it is, which sealing binds it to.
    pub purpose: SealPurpose,
    /// The sealed bytes, as the column has them.
    pub text: Vec<u8>,
}

/// A text that takes the place of another one, if that is still there.
#[derive(Clone, Debug)]
pub struct ResealedText {
    /// The column and the row in which both stand.
    pub place: SealedPlace,
    /// The sealed bytes that must still be there.
    pub before: Vec<u8>,
    /// The text that takes its place.
    pub after: Vec<u8>,
}

/// All that is sealed, whatever it is.
#[async_trait]
pub trait SealedStore {
    /// The sealed texts after this place, at most `limit`, in the order of their places; none when there are no more.
    async fn sealed_texts(
        &self,
        after: Option<SealedPlace>,
        limit: i64,
    ) -> Result<Vec<SealedText>, StoreError>;

    /// Puts texts in the places of others, those that are still there, and returns how many were.
    async fn replace_sealed(&self, texts: Vec<ResealedText>) -> Result<u64, StoreError>;
}
