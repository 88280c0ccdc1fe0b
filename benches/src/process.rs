//! What the kernel knows of other processes: their CPU time, their memory, their children.

use std::fs;

use anyhow::Context as _;

/// Clock ticks a second, in which the kernel tells CPU time: always 100 on Linux for programs.
const TICKS_PER_SECOND: f64 = 100.0;

/// CPU seconds that a process and all its descendants have used, those that have ended included.
pub fn cpu_seconds(process: u32) -> anyhow::Result<f64> {
    let all = fs::read_dir("/proc")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(|id| Stat::read(id).ok());
    let all: Vec<Stat> = all.collect();
    let mut ticks = 0;
    let mut family = vec![process];
    while let Some(member) = family.pop() {
        let stat = all.iter().find(|stat| stat.process == member);
        ticks += stat.context("the process has ended")?.ticks;
        family.extend(
            all.iter()
                .filter(|stat| stat.parent == member)
                .map(|stat| stat.process),
        );
    }
    Ok(ticks as f64 / TICKS_PER_SECOND)
}

/// The most memory that a process ever had, in MiB (`VmHWM`).
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
    /// The fields utime, stime, cutime and cstime of `/proc/PID/stat` together, in clock ticks.
    ticks: u64,
}

impl Stat {
    fn read(process: u32) -> anyhow::Result<Self> {
        let text = fs::read_to_string(format!("/proc/{process}/stat"))?;
        // The name, in brackets, may contain anything.
        let (_, fields) = text.rsplit_once(") ").context("a stat file")?;
        let fields: Vec<&str> = fields.split(' ').collect();
        let times: Result<Vec<u64>, _> = fields[11..15].iter().map(|field| field.parse()).collect();
        Ok(Self {
            process,
            parent: fields[1].parse()?,
            ticks: times?.iter().sum(),
        })
    }
}
