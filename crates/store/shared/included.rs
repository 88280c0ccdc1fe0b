//! Whom a send is for, as it is kept from its acceptance until it is finished and [`crate::reach`] has taken it over.
//!
//! It costs the statement that stores the send a text, and nothing else.

use std::collections::HashMap;

use hato_domain::PositionSet;
use hato_service::ports::RecipientId;
use serde::{Deserialize, Serialize};

use crate::audience::ResolvedAudience;
use crate::error::json;
use crate::selection::MAX_LISTED;

/// The recipients of a send. Stored as JSON in `sends.included`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Included {
    /// Everybody at positions up to `up_to`; those below block `from` have been taken over.
    Everyone { from: i64, up_to: i64 },
    /// The subscriptions with these row ids, unless they have got positions above `up_to` since then.
    Listed { ids: Vec<i64>, up_to: i64 },
    /// Those at these positions.
    Positions(Vec<i64>),
    /// Those in `send_positions`, from block `from` on.
    Selected { from: i64 },
}

impl Included {
    /// The recipients of a send that is accepted while `last_position` is the app's last one; `None` when there are none.
    pub(crate) fn new(audience: &ResolvedAudience, last_position: i64) -> Option<Self> {
        let included = match audience {
            ResolvedAudience::Positions { up_to, .. } => Self::Everyone {
                from: 0,
                up_to: *up_to,
            },
            ResolvedAudience::Listed(recipients) => Self::Listed {
                ids: recipients.iter().map(|RecipientId(id)| *id).collect(),
                up_to: last_position,
            },
            ResolvedAudience::Selected(positions) if positions.len() <= MAX_LISTED => {
                Self::Positions(positions.iter().collect())
            }
            ResolvedAudience::Selected(_) => Self::Selected { from: 0 },
        };
        Some(included).filter(|_| audience.recipients() > 0)
    }

    /// As the send holds it.
    pub(crate) fn to_json(&self) -> sqlx::Result<String> {
        json(self)
    }

    /// What a send holds; `None` for what this program never wrote.
    pub(crate) fn from_json(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The first block that has not been taken over.
    pub(crate) const fn next_block(&self) -> i64 {
        match self {
            Self::Everyone { from, .. } | Self::Selected { from } => *from,
            Self::Listed { .. } | Self::Positions(_) => 0,
        }
    }

    /// How many recipients it lists.
    pub(crate) const fn listed(&self) -> usize {
        match self {
            Self::Listed { ids, .. } => ids.len(),
            Self::Positions(positions) => positions.len(),
            Self::Everyone { .. } | Self::Selected { .. } => 0,
        }
    }

    /// The row ids that it lists.
    pub(crate) fn ids(&self) -> &[i64] {
        match self {
            Self::Listed { ids, .. } => ids,
            Self::Positions(_) | Self::Everyone { .. } | Self::Selected { .. } => &[],
        }
    }

    /// Where those stand that it lists, when `positions` says it of row ids.
    pub(crate) fn positions(&self, positions: &HashMap<i64, i64>) -> PositionSet {
        match self {
            Self::Listed { ids, up_to } => {
                let found = ids.iter().filter_map(|id| positions.get(id).copied());
                found.filter(|position| position <= up_to).collect()
            }
            Self::Positions(positions) => positions.iter().copied().collect(),
            Self::Everyone { .. } | Self::Selected { .. } => PositionSet::default(),
        }
    }
}

impl Default for Included {
    /// A send to nobody: an empty list of positions.
    fn default() -> Self {
        Self::Positions(Vec::new())
    }
}
