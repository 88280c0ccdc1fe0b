//! Which parts of the server a process runs, so that serving and delivering can be scaled apart.

/// The part of the work that a process takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The API, the dashboard and delivery in one process.
    All,
    /// The API and the dashboard, no delivery.
    Api,
    /// Delivery and health only.
    Worker,
}

impl Role {
    /// Reads the role's name; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "all" => Some(Self::All),
            "api" => Some(Self::Api),
            "worker" => Some(Self::Worker),
            _ => None,
        }
    }

    /// As `HATO_ROLE` and the log name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Api => "api",
            Self::Worker => "worker",
        }
    }

    /// Whether this process delivers.
    pub const fn delivers(self) -> bool {
        matches!(self, Self::All | Self::Worker)
    }

    /// Whether this process answers more than questions about its health.
    pub const fn serves(self) -> bool {
        matches!(self, Self::All | Self::Api)
    }
}
