//! From a stranger's file to a PNG of ours.

use std::io::Cursor;
use std::panic::catch_unwind;

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::error::ImageError;
use image::imageops;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder as _, ImageReader, Limits};

use super::{MAX_PICTURE_BYTES, PictureError};

/// Longest side of a picture that is decoded, in pixels.
const MAX_SIDE: u32 = 2_048;

/// Most bytes of its pixels: four for each.
const MAX_DECODED_BYTES: u64 = 4 * (MAX_SIDE as u64) * (MAX_SIDE as u64);

/// Longest side of a picture that is kept, in pixels: no system draws an icon larger.
const KEPT_SIDE: u32 = 256;

/// The PNG that is kept of the picture in a file, upright and with at most 256 pixels on each side.
pub(super) fn encode(file: &[u8]) -> Result<Vec<u8>, PictureError> {
    // Decoders are not ours: image-webp 0.2.4 panics over a frame that has transparency and no size (image-rs/image-webp issue 182).
    let decoded = catch_unwind(|| decode(file)).map_err(|_| PictureError::NotAPicture)?;
    let picture = in_8_bits(reduced(decoded?));
    let mut content = Vec::new();
    let encoder =
        PngEncoder::new_with_quality(&mut content, CompressionType::Best, FilterType::Adaptive);
    picture
        .write_with_encoder(encoder)
        .map_err(|error| refusal(&error))?;
    if content.len() > MAX_PICTURE_BYTES {
        return Err(PictureError::TooLarge);
    }
    Ok(content)
}

/// The first picture in a file, as a camera that was held askew would have it seen. What the file says of itself decides nothing.
fn decode(file: &[u8]) -> Result<DynamicImage, PictureError> {
    let reader = ImageReader::new(Cursor::new(file)).with_guessed_format();
    let mut reader = reader.map_err(|_| PictureError::NotAPicture)?;
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(2 * MAX_DECODED_BYTES);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(|error| refusal(&error))?;
    if decoder.total_bytes() > MAX_DECODED_BYTES {
        return Err(PictureError::TooManyPixels);
    }
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let mut picture = DynamicImage::from_decoder(decoder).map_err(|error| refusal(&error))?;
    picture.apply_orientation(orientation);
    Ok(picture)
}

fn reduced(picture: DynamicImage) -> DynamicImage {
    if picture.width().max(picture.height()) <= KEPT_SIDE {
        return picture;
    }
    picture.resize(KEPT_SIDE, KEPT_SIDE, imageops::FilterType::CatmullRom)
}

fn in_8_bits(picture: DynamicImage) -> DynamicImage {
    if picture.color().has_alpha() {
        DynamicImage::from(picture.into_rgba8())
    } else {
        DynamicImage::from(picture.into_rgb8())
    }
}

fn refusal(error: &ImageError) -> PictureError {
    match error {
        ImageError::Limits(_) => PictureError::TooManyPixels,
        _ => PictureError::NotAPicture,
    }
}
