//! Accounts as a table for people, whose columns `awk` and `cut` can read as well.

use std::fmt::Write as _;

use hato_service::ports::AccountUsage;

const HEAD: [&str; 6] = ["ID", "EMAIL", "PLAN", "CREATED", "APPS", "THIS_MONTH"];

/// A line for each account below a line of headings; numbers are aligned at their ends.
pub fn render(accounts: &[AccountUsage]) -> String {
    let rows: Vec<[String; 6]> = accounts.iter().map(row).collect();
    let mut widths = HEAD.map(str::len);
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let head = HEAD.map(str::to_owned);
    let mut table = String::new();
    for [id, email, plan, created, apps, month] in std::iter::once(&head).chain(&rows) {
        let [w0, w1, w2, w3, w4, w5] = widths;
        writeln!(
            table,
            "{id:w0$}  {email:w1$}  {plan:w2$}  {created:w3$}  {apps:>w4$}  {month:>w5$}"
        )
        .expect("a string takes any text");
    }
    table
}

fn row(account: &AccountUsage) -> [String; 6] {
    [
        account.id.to_string(),
        account.email.clone(),
        account.plan.as_str().to_owned(),
        account.created_at.day(),
        account.apps.to_string(),
        account.recipients.to_string(),
    ]
}
