//! A target of `make fuzz`: files that are uploaded as pictures.

use std::collections::BTreeSet;

use super::encoding::encode;
use super::{MAX_PICTURE_BYTES, PictureError};

/// What a PNG begins with, and the chunks of one that is made here (PNG §5.2, §5.6).
const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
const CHUNKS: [&[u8]; 3] = [b"IDAT", b"IEND", b"IHDR"];
/// Most pixels of a side.
const MAX_SIDE: u32 = 256;

/// Whatever a file is: what is kept of it is a small PNG of pixels alone, and is kept as it is when it is uploaded in turn.
pub fn picture(data: &[u8]) {
    if data.len() > MAX_PICTURE_BYTES {
        return;
    }
    let kept = match encode(data) {
        Ok(kept) => kept,
        Err(PictureError::NotAPicture | PictureError::TooManyPixels | PictureError::TooLarge) => {
            return;
        }
        Err(error) => panic!("no error of a file: {error}"),
    };
    assert!(kept.len() <= MAX_PICTURE_BYTES);
    check(&kept);
    let again = encode(&kept).expect("what is kept is a picture");
    assert!(again == kept, "it changes when it is uploaded again");
}

fn check(png: &[u8]) {
    let mut rest = png.strip_prefix(SIGNATURE).expect("a PNG");
    let sides = [&rest[8..12], &rest[12..16]];
    for side in sides {
        let side = u32::from_be_bytes(side.try_into().expect("four bytes"));
        assert!((1..=MAX_SIDE).contains(&side), "{side} pixels");
    }
    let mut chunks = BTreeSet::new();
    while let Some((length, after)) = rest.split_first_chunk() {
        let length = usize::try_from(u32::from_be_bytes(*length)).expect("it is short");
        chunks.insert(&after[..4]);
        // A chunk's name comes before it, and a checksum after it.
        rest = &after[4 + length + 4..];
    }
    assert_eq!(chunks, BTreeSet::from(CHUNKS));
}
