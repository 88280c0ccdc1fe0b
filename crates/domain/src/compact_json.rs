//! How long JSON is at least when it is written compactly, which is known before anything is made of it.

use std::iter::Peekable;

/// No more bytes than the value of this JSON text has as compact JSON. Numbers and escapes count as one byte: `1.000` may be written as `1`
/// and `\u0041` as `A`.
pub fn min_compact_len(json: &str) -> usize {
    let (mut len, mut bytes) = (0, json.bytes().peekable());
    while let Some(byte) = bytes.next() {
        len += match byte {
            b' ' | b'\t' | b'\n' | b'\r' => 0,
            b'"' => min_string_len(&mut bytes),
            b'-' | b'0'..=b'9' => {
                skip_number(&mut bytes);
                1
            }
            _ => 1,
        };
    }
    len
}

/// Of a string behind its opening quote; both quotes count.
fn min_string_len(bytes: &mut impl Iterator<Item = u8>) -> usize {
    let mut len = 2;
    while let Some(byte) = bytes.next().filter(|&byte| byte != b'"') {
        len += 1;
        if byte == b'\\' && bytes.next() == Some(b'u') {
            bytes.nth(3);
        }
    }
    len
}

fn skip_number(bytes: &mut Peekable<impl Iterator<Item = u8>>) {
    let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
    while bytes.next_if(is_part).is_some() {}
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::min_compact_len;

    #[test]
    fn no_text_is_shorter_as_compact_json() {
        for (json, least) in [
            ("{}", 2),
            (" { \"a\" :\t[ 1 ,\r\n2 ] } ", 11),
            ("[true,false,null]", 17),
            ("[1.0000,-1e-2,1000000000000000000000000,0]", 9),
            (r#""a b,\"\\""#, 8),
            (r#""\u0041\u3042\ud83d\ude00\n\/""#, 8),
            (r#"{"鳩":"\"1 2"}"#, 14),
        ] {
            assert_eq!(min_compact_len(json), least, "{json}");
            let value: Value = serde_json::from_str(json).expect("JSON");
            assert!(least <= value.to_string().len(), "{json}");
        }
    }
}
