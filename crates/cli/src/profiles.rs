//! `hato profiles`: the servers and credentials that are stored.

use clap::Subcommand;
use serde::Serialize;

use crate::config_file::ConfigFile;
use crate::connection::is_key;
use crate::error::Result;
use crate::output::Output;
use crate::table::Table;

/// The subcommands of `hato profiles`.
#[derive(Subcommand)]
pub enum Profiles {
    /// List them; credentials are not shown
    List,
    /// Use this one from now on
    Use {
        /// Its name
        name: String,
    },
    /// Forget one, with its credential; a session stays alive until it ends or `hato logout`
    Remove {
        /// Its name
        name: String,
    },
}

#[derive(Serialize)]
struct LoginProfileRow<'a> {
    name: &'a str,
    url: &'a str,
    credential: &'static str,
    holder: &'a str,
    current: bool,
}

impl Profiles {
    pub fn run(self, output: &Output) -> Result<()> {
        let mut file = ConfigFile::read()?;
        match self {
            Self::List => return output.table(&rows(&file), table),
            Self::Use { name } => {
                file.profile(Some(&name))?;
                file.current = Some(name);
            }
            Self::Remove { name } => {
                file.profile(Some(&name))?;
                file.profiles.remove(&name);
                file.current.take_if(|current| *current == name);
            }
        }
        file.write()?;
        output.table(&rows(&file), table)
    }
}

fn rows(file: &ConfigFile) -> Vec<LoginProfileRow<'_>> {
    let current = file.current_name();
    let profiles = file.profiles.iter().map(|(name, profile)| LoginProfileRow {
        name,
        url: &profile.url,
        credential: if is_key(&profile.credential) {
            "key"
        } else {
            "session"
        },
        holder: &profile.holder,
        current: name == current,
    });
    profiles.collect()
}

fn table(profiles: &Vec<LoginProfileRow<'_>>) -> Table {
    let rows = profiles.iter().map(|profile| {
        [
            profile.name.to_owned(),
            profile.url.to_owned(),
            profile.credential.to_owned(),
            profile.holder.to_owned(),
            if profile.current { "yes" } else { "" }.to_owned(),
        ]
    });
    Table::new("PROFILE URL CREDENTIAL OF CURRENT", rows)
}
