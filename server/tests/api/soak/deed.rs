//! What strangers do, and what has to come of it.

/// What a stranger does on a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Deed {
    Register,
    Send,
    SendWithWrongKey,
    Report,
    LogIn,
    LookAtPages,
    LookAtDashboard,
    CallTool,
    FollowProgress,
    ListenToEvents,
    Garbage,
    GarbageInJson,
    TooLarge,
    HoldBody,
    SlowHead,
    SlowBody,
    ReadSlowly,
    StopReading,
    SayNothing,
}

/// What is done by how many of 24: bodies that are held by so many that 1,000 would hold more than there is memory for.
const MIX: [(Deed, usize); 19] = [
    (Deed::Register, 1),
    (Deed::Send, 1),
    (Deed::SendWithWrongKey, 1),
    (Deed::Report, 1),
    (Deed::LogIn, 1),
    (Deed::LookAtPages, 1),
    (Deed::LookAtDashboard, 1),
    (Deed::CallTool, 1),
    (Deed::FollowProgress, 1),
    (Deed::ListenToEvents, 1),
    (Deed::Garbage, 1),
    (Deed::GarbageInJson, 1),
    (Deed::TooLarge, 1),
    (Deed::HoldBody, 6),
    (Deed::SlowHead, 1),
    (Deed::SlowBody, 1),
    (Deed::ReadSlowly, 1),
    (Deed::StopReading, 1),
    (Deed::SayNothing, 1),
];

impl Deed {
    /// Each, once.
    pub fn all() -> impl Iterator<Item = Self> {
        MIX.into_iter().map(|(deed, _)| deed)
    }

    /// What the stranger with this number does.
    pub fn of(number: usize) -> Self {
        let by_weight = || {
            MIX.into_iter()
                .flat_map(|(deed, weight)| [deed].repeat(weight))
        };
        let place = number % by_weight().count();
        by_weight().nth(place).expect("it is within")
    }

    /// The outcomes that have to be among those that there were, as `RawResponse::outcome` writes them.
    pub fn expected(self) -> &'static [&'static str] {
        match self {
            Self::Register => &["201"],
            Self::Send => &["202"],
            Self::SendWithWrongKey => &["403 INSUFFICIENT_SCOPE"],
            Self::Report => &["204"],
            Self::LogIn => &["200", "401 INVALID_CREDENTIALS"],
            Self::LookAtPages
            | Self::LookAtDashboard
            | Self::CallTool
            | Self::FollowProgress
            | Self::ListenToEvents => &["200"],
            Self::Garbage | Self::GarbageInJson | Self::SlowBody => &["400 INVALID_INPUT"],
            Self::TooLarge => &["413 PAYLOAD_TOO_LARGE"],
            // Whoever got memory is given up at last, and others got none.
            Self::HoldBody => &["400 INVALID_INPUT", "503 OVERLOADED"],
            Self::SlowHead | Self::SayNothing => &["closed"],
            Self::ReadSlowly => &["200, left"],
            Self::StopReading => &["200, broken off"],
        }
    }

    /// What else may come of it: a page that is not there, a limit for each client, no memory for a body or time for a heavy read, which are
    /// the only 5xx, or an end before all was read.
    pub fn permitted(self) -> &'static [&'static str] {
        match self {
            Self::LogIn => &["429 RATE_LIMITED", "503 OVERLOADED"],
            Self::FollowProgress | Self::ListenToEvents => &["429 RATE_LIMITED"],
            Self::LookAtPages => &["404"],
            Self::ReadSlowly => &["200", "200, broken off", "429 RATE_LIMITED"],
            Self::Register
            | Self::Send
            | Self::SendWithWrongKey
            | Self::LookAtDashboard
            | Self::CallTool
            | Self::GarbageInJson
            | Self::TooLarge
            | Self::SlowBody => &["503 OVERLOADED"],
            Self::Report
            | Self::Garbage
            | Self::HoldBody
            | Self::SlowHead
            | Self::StopReading
            | Self::SayNothing => &[],
        }
    }

    /// Whether it takes until a time-out of the server's or the end of the stranger's stay.
    pub fn is_slow(self) -> bool {
        matches!(
            self,
            Self::HoldBody
                | Self::SlowHead
                | Self::SlowBody
                | Self::ReadSlowly
                | Self::StopReading
                | Self::SayNothing
        )
    }

    /// Whether its answer goes on for as long as somebody listens.
    pub fn is_stream(self) -> bool {
        matches!(self, Self::FollowProgress | Self::ListenToEvents)
    }

    /// Whether bytes are written one by one.
    pub fn writes_slowly(self) -> bool {
        matches!(self, Self::SlowHead | Self::SlowBody)
    }

    /// How many bytes the system takes in for it, if that is less than usual, so that the server has to keep what is not read; the
    /// system doubles it.
    pub fn buffer_bytes(self) -> Option<u32> {
        match self {
            Self::ReadSlowly => Some(64 * 1_024),
            Self::StopReading => Some(1_024),
            _ => None,
        }
    }
}
