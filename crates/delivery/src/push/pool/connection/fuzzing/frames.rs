//! Frames of HTTP/2 that have the form they should have (RFC 9113 §4.1, §6), whatever bytes they are made of.

use super::PeerStep;

/// What frames are made of. A byte chooses the type; then there are the flags, the stream, the length, and so many bytes.
struct FrameBytes<'a> {
    rest: &'a [u8],
}

/// Types of frames, with the lengths that their payloads have: so many bytes, or a multiple of so many and at most 255.
const TYPES: [(u8, PayloadLength); 11] = [
    (0, PayloadLength::UpTo),       // DATA
    (1, PayloadLength::UpTo),       // HEADERS
    (2, PayloadLength::Exactly(5)), // PRIORITY
    (3, PayloadLength::Exactly(4)), // RST_STREAM
    (4, PayloadLength::Times(6)),   // SETTINGS
    (5, PayloadLength::AtLeast(4)), // PUSH_PROMISE
    (6, PayloadLength::Exactly(8)), // PING
    (7, PayloadLength::AtLeast(8)), // GOAWAY
    (8, PayloadLength::Exactly(4)), // WINDOW_UPDATE
    (9, PayloadLength::UpTo),       // CONTINUATION
    (0x20, PayloadLength::UpTo),    // one that there is not
];

/// The flags that mean something: `END_STREAM` or ACK, `END_HEADERS`, PADDED, PRIORITY.
const FLAGS: u8 = 0x2d;

/// The connection, those that the pushes are on, those that they are not, and one that the peer began.
const STREAMS: [u32; 7] = [1, 3, 0, 5, 2, 7, 0x7fff_ffff];

/// The SETTINGS that a connection begins with, with nothing in them.
const PREFACE: [u8; 9] = [0, 0, 0, 4, 0, 0, 0, 0, 0];

#[derive(Clone, Copy)]
enum PayloadLength {
    UpTo,
    Exactly(usize),
    AtLeast(usize),
    Times(usize),
}

impl PayloadLength {
    fn of(self, wanted: u8) -> usize {
        let wanted = usize::from(wanted);
        match self {
            Self::UpTo => wanted,
            Self::Exactly(bytes) => bytes,
            Self::AtLeast(bytes) => wanted.max(bytes),
            Self::Times(bytes) => wanted / bytes * bytes,
        }
    }
}

impl FrameBytes<'_> {
    /// So many bytes, zeros where there are no more.
    fn take(&mut self, count: usize) -> Vec<u8> {
        let (taken, rest) = self.rest.split_at(count.min(self.rest.len()));
        self.rest = rest;
        let mut taken = taken.to_vec();
        taken.resize(count, 0);
        taken
    }
}

/// The beginning of a connection.
pub fn preface() -> Vec<PeerStep> {
    vec![PeerStep::Say(PREFACE.to_vec()), PeerStep::Pause]
}

/// Frames, and between them, where the type says so, the other side's turn.
pub fn frames(bytes: &[u8]) -> Vec<PeerStep> {
    let mut bytes = FrameBytes { rest: bytes };
    let mut steps = Vec::new();
    while !bytes.rest.is_empty() {
        let kind = usize::from(bytes.take(1)[0]);
        match TYPES.get(kind % (TYPES.len() + 1)) {
            Some((kind, length)) => steps.push(PeerStep::Say(frame(*kind, *length, &mut bytes))),
            None => steps.push(PeerStep::Pause),
        }
    }
    steps
}

fn frame(kind: u8, length: PayloadLength, bytes: &mut FrameBytes) -> Vec<u8> {
    let head = bytes.take(3);
    let stream = STREAMS[usize::from(head[1]) % STREAMS.len()];
    let payload = bytes.take(length.of(head[2]));
    let length = u32::try_from(payload.len()).expect("it is short");
    let mut frame = length.to_be_bytes()[1..].to_vec();
    frame.extend([kind, head[0] & FLAGS]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}
