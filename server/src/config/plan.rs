//! What new accounts get.

use clap::Args;
use hato_domain::Plan;

use super::parser::SettingParser;

/// The setting of what new accounts get.
#[derive(Args)]
pub struct PlanConfig {
    /// Plan of new accounts: free or pro
    #[arg(long, env = "HATO_DEFAULT_PLAN", value_name = "PLAN")]
    #[arg(default_value = "free", value_parser = plan())]
    pub default_plan: Plan,
}

/// Reads the name of a plan, wherever one is asked for.
pub fn plan() -> SettingParser<Plan> {
    SettingParser::text("free or pro", |text| Plan::parse(text).ok())
}
