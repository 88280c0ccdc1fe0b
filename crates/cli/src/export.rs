//! `hato export`: an app's active subscriptions, one a line (CONTRACT 16).

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use crate::connection::ServerConnection;
use crate::error::{CliError, Result};
use crate::output::Output;
use crate::progress_file::beside;

/// The arguments of `hato export`.
#[derive(Args)]
pub struct ExportArgs {
    /// Where to write them; the file must not be there yet
    file: PathBuf,
}

#[derive(Serialize)]
struct Exported {
    subscriptions: u64,
}

/// Counts the lines that go through it.
struct LineCounter<W> {
    to: W,
    lines: u64,
}

impl<W: Write> Write for LineCounter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        let lines = bytes[..written].iter().filter(|byte| **byte == b'\n');
        self.lines += lines.count() as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

impl ExportArgs {
    /// The file has its name only once it is whole.
    pub fn run(self, connection: &ServerConnection, output: &Output) -> Result<()> {
        if self.file.exists() {
            let message = format!("{} is there already", self.file.display());
            return Err(CliError::usage(message, "name another file"));
        }
        let path = connection.app_path("/export")?;
        let new = beside(&self.file, "new");
        let failed = |error| CliError::file(&new, &error);
        let mut counter = LineCounter {
            to: create(&new).map_err(failed)?,
            lines: 0,
        };
        let done = connection.api().download(&path, &mut counter);
        let done = done.and_then(|()| counter.to.sync_all().map_err(failed));
        if let Err(error) = done {
            let _ = fs::remove_file(&new);
            return Err(error);
        }
        fs::rename(&new, &self.file).map_err(|error| CliError::file(&self.file, &error))?;
        let exported = Exported {
            subscriptions: counter.lines,
        };
        output.show(&exported, |it| {
            vec![format!("Exported {} subscriptions.", it.subscriptions)]
        })
    }
}

/// Nobody else reads it: who has its secrets can write to the browsers.
fn create(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
