//! Stands in for `avx512` on architectures that have no such instructions: there is nothing to detect, so callers fall back.

use crate::group::{Group, GroupAgreements};

/// The implementation of another architecture, of which there is no value here.
#[derive(Clone, Copy, Debug)]
pub enum Avx512Ecdh {}

impl Avx512Ecdh {
    /// `None`, because the instructions are those of x86-64.
    pub fn detect() -> Option<Self> {
        None
    }

    pub(crate) fn compute(self, _: &[Group]) -> Vec<GroupAgreements> {
        match self {}
    }
}
