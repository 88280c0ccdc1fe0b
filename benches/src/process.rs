//! What the kernel knows of other processes: their CPU time, their memory, their children.

use std::fs;

use anyhow::Context as _;

/// Clock ticks a second, in which the kernel tells CPU time: always 100 on Linux for programs.
const TICKS_PER_SECOND: f64 = 100.0;

const NANOSECONDS_PER_SECOND: f64 = 1e9;

/// CPU seconds that a process and all its descendants have used, those that have ended included.
pub fn cpu_seconds(process: u32) -> anyhow::Result<f64> {
    let all = fs::read_dir("/proc")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(|id| Stat::read(id).ok());
    let all: Vec<Stat> = all.collect();
    let mut seconds = 0.0;
    let mut family = vec![process];
    while let Some(member) = family.pop() {
        let stat = all.iter().find(|stat| stat.process == member);
        seconds += stat.context("the process has ended")?.seconds;
        family.extend(
            all.iter()
                .filter(|stat| stat.parent == member)
                .map(|stat| stat.process),
        );
    }
    Ok(seconds)
}

/// CPU seconds of the children of this process that have ended, and of theirs.
pub fn ended_children_seconds() -> anyhow::Result<f64> {
    let text = fs::read_to_string("/proc/self/stat")?;
    ticks(&fields(&text)?, 13)
}

/// Lets the most memory that a process had begin anew, at what it has now.
pub fn reset_peak_memory(process: u32) -> anyhow::Result<()> {
    let file = format!("/proc/{process}/clear_refs");
    fs::write(&file, "5").with_context(|| file)
}

/// The most memory that a process had since its start or the last reset, in MiB (`VmHWM`).
pub fn peak_memory(process: u32) -> anyhow::Result<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes: f64 = line
        .and_then(|rest| rest.split_whitespace().next())
        .context("no VmHWM")?
        .parse()?;
    Ok(kibibytes / 1024.0)
}

struct Stat {
    process: u32,
    parent: u32,
    /// What it has used, and its children that have ended.
    seconds: f64,
}

impl Stat {
    fn read(process: u32) -> anyhow::Result<Self> {
        let text = fs::read_to_string(format!("/proc/{process}/stat"))?;
        let fields = fields(&text)?;
        let own = if fields[17] == "1" {
            single_thread_seconds(process)?
        } else {
            ticks(&fields, 11)?
        };
        Ok(Self {
            process,
            parent: fields[1].parse()?,
            seconds: own + ticks(&fields, 13)?,
        })
    }
}

/// The fields of a stat file from the process's state on.
fn fields(stat: &str) -> anyhow::Result<Vec<&str>> {
    // The name, in brackets, may contain anything.
    let (_, fields) = stat.rsplit_once(") ").context("a stat file")?;
    Ok(fields.split(' ').collect())
}

/// The seconds in a field of user time and the one of system time after it.
fn ticks(fields: &[&str], from: usize) -> anyhow::Result<f64> {
    let (user, system): (u32, u32) = (fields[from].parse()?, fields[from + 1].parse()?);
    Ok(f64::from(user + system) / TICKS_PER_SECOND)
}

/// The CPU time of a process of one thread. Ticks of 10 ms, cut off for each of a database's 50 processes, are a tenth of what a
/// send costs it.
fn single_thread_seconds(process: u32) -> anyhow::Result<f64> {
    let times = fs::read_to_string(format!("/proc/{process}/schedstat"))?;
    let on_cpu: f64 = times
        .split(' ')
        .next()
        .context("a schedstat file")?
        .parse()?;
    Ok(on_cpu / NANOSECONDS_PER_SECOND)
}
