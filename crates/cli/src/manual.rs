//! `hato man`.

use std::path::PathBuf;

use clap::{Args, CommandFactory as _};

use crate::command::Hato;
use crate::error::{CliError, Result};
use crate::output::Output;

/// Where the manual goes.
#[derive(Args)]
pub struct Manual {
    /// A folder for the pages of all commands, for example /usr/local/share/man/man1; without it the main page is printed
    folder: Option<PathBuf>,
}

impl Manual {
    /// Writes it.
    pub fn run(self, output: &Output) -> Result<()> {
        let Some(folder) = self.folder else {
            let mut page = Vec::new();
            clap_mangen::Man::new(Hato::command()).render(&mut page)?;
            return output.raw(&page);
        };
        clap_mangen::generate_to(Hato::command(), &folder)
            .map_err(|error| CliError::file(&folder, &error))
    }
}
