//! Figures beside their targets, printed and written to `target/bench/<name>.json`.

use anyhow::ensure;
use serde_json::{Map, Value, json};

use crate::table::write;

/// The median of several rounds, and how far they lie apart.
#[derive(Clone, Copy, Debug)]
pub struct Summary {
    pub median: f64,
    pub min: f64,
    pub max: f64,
}

impl Summary {
    /// The summary of at least one value.
    pub fn from_values(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        Self {
            median: quantile(&values, 0.5),
            min: values[0],
            max: values[values.len() - 1],
        }
    }

    /// The summary of the ratios within each round, which a change of the machine's speed between rounds does not move.
    pub fn from_ratios(upper: &[f64], lower: &[f64]) -> Self {
        Self::from_values(upper.iter().zip(lower).map(|(upper, lower)| upper / lower))
    }

    /// The summary of a single value.
    pub fn from_value(value: f64) -> Self {
        Self::from_values([value])
    }

    fn json(self) -> Value {
        let Self { median, min, max } = self;
        json!({ "median": median, "min": min, "max": max })
    }
}

/// The smallest of the sorted values that is not below so large a share of them.
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted[rank.clamp(1, sorted.len()) - 1]
}

/// What a figure should be for the run to pass.
#[derive(Clone, Copy, Debug)]
pub enum FigureTarget {
    AtLeast(f64),
    AtMost(f64),
    /// So far from 1 at most, in either direction.
    NearOne(f64),
    /// The figure is only worth knowing.
    None,
}

impl FigureTarget {
    fn is_met(self, value: f64) -> Option<bool> {
        match self {
            Self::AtLeast(target) => Some(value >= target),
            Self::AtMost(target) => Some(value <= target),
            Self::NearOne(distance) => Some((value - 1.0).abs() <= distance),
            Self::None => None,
        }
    }

    fn text(self) -> String {
        match self {
            Self::AtLeast(target) => format!("≥ {target}"),
            Self::AtMost(target) => format!("≤ {target}"),
            Self::NearOne(distance) => format!("1 ± {distance}"),
            Self::None => String::new(),
        }
    }
}

/// A table of figures, written to a file when it is finished.
pub struct Figures {
    name: String,
    /// Whether a target that is missed is an error.
    is_strict: bool,
    members: Map<String, Value>,
    summaries: Map<String, Value>,
    targets: Map<String, Value>,
}

impl Figures {
    /// An empty one, which begins to be printed.
    pub fn new(name: String, is_strict: bool) -> Self {
        println!("{name}: figure, median [min..max], target");
        Self {
            name,
            is_strict,
            members: Map::new(),
            summaries: Map::new(),
            targets: Map::new(),
        }
    }

    /// A figure whose median is its member of the file.
    pub fn add(&mut self, name: &str, summary: Summary, target: FigureTarget) {
        self.show(name, summary, target);
        self.members.insert(name.to_owned(), json!(summary.median));
        self.summaries.insert(name.to_owned(), summary.json());
    }

    /// A figure of a group, which has median, min and max in the file.
    pub fn add_to(&mut self, group: &str, name: &str, summary: Summary, target: FigureTarget) {
        self.show(&format!("{group}.{name}"), summary, target);
        let members = self.members.entry(group).or_insert_with(|| json!({}));
        members[name] = summary.json();
    }

    fn show(&mut self, name: &str, summary: Summary, target: FigureTarget) {
        let Summary { median, min, max } = summary;
        let met = target.is_met(median);
        let verdict = match met {
            Some(true) => "met",
            Some(false) => "NOT MET",
            None => "",
        };
        let spread = format!("[{min:.2}..{max:.2}]");
        println!(
            "  {name:<34} {median:>11.2} {spread:<24} {:<10} {verdict}",
            target.text()
        );
        if met.is_some() {
            let target = json!({ "target": target.text(), "met": met });
            self.targets.insert(name.to_owned(), target);
        }
    }

    /// Writes the table to its file.
    pub fn finish(mut self) -> anyhow::Result<()> {
        let missed: Vec<_> = self
            .targets
            .iter()
            .filter(|(_, target)| target["met"] == false)
            .map(|(name, _)| name.clone())
            .collect();
        self.members
            .insert("spans".to_owned(), Value::Object(self.summaries));
        self.members
            .insert("targets".to_owned(), Value::Object(self.targets));
        write(&self.name, &Value::Object(self.members))?;
        ensure!(
            missed.is_empty() || !self.is_strict,
            "not met: {}",
            missed.join(", ")
        );
        Ok(())
    }
}
