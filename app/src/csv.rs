//! Tables as files that spreadsheets open.

use hato_service::{ServiceError, ServiceResult};

/// By which spreadsheets know that a file is UTF-8.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Characters with which a cell begins that a spreadsheet would compute, written in either width.
const FORMULA_STARTS: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// The first line, with the names of the columns.
pub fn heading<const N: usize>(names: [&str; N]) -> ServiceResult<Vec<u8>> {
    let mut text = BYTE_ORDER_MARK.as_bytes().to_vec();
    text.extend(lines([names.map(str::to_owned)])?);
    Ok(text)
}

/// Lines (RFC 4180). What people wrote is never computed: a cell that begins a formula begins with an apostrophe instead.
pub fn lines<const N: usize>(
    rows: impl IntoIterator<Item = [String; N]>,
) -> ServiceResult<Vec<u8>> {
    let mut writer = csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        .from_writer(Vec::new());
    for row in rows {
        let written = writer.write_record(row.map(harmless));
        written.map_err(ServiceError::internal)?;
    }
    writer
        .into_inner()
        .map_err(|error| ServiceError::internal(error.into_error()))
}

fn harmless(cell: String) -> String {
    if cell.starts_with(FORMULA_STARTS) {
        format!("'{cell}")
    } else {
        cell
    }
}
