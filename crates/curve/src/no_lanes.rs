//! In the place of the lanes, where no processor has them.

use crate::group::{Agreed, Group};

/// Cannot be had on this architecture.
#[derive(Clone, Copy, Debug)]
pub enum Lanes {}

impl Lanes {
    /// Nothing.
    pub fn detect() -> Option<Self> {
        None
    }

    pub(crate) fn compute(self, _: &[Group]) -> Vec<Agreed> {
        match self {}
    }
}
