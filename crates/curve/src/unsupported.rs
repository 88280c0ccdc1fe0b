//! Stands in for `avx512` on other architectures.

use crate::group::{Group, GroupAgreements};

/// Uninhabited on this architecture.
#[derive(Clone, Copy, Debug)]
pub enum Avx512Ecdh {}

impl Avx512Ecdh {
    /// `None`.
    pub fn detect() -> Option<Self> {
        None
    }

    pub(crate) fn compute(self, _: &[Group]) -> Vec<GroupAgreements> {
        match self {}
    }
}
