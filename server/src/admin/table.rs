//! Tables for people, whose columns `awk` and `cut` can read as well.

use hato_service::ports::AccountUsage;

const HEAD: [&str; 6] = ["ID", "EMAIL", "PLAN", "CREATED", "APPS", "THIS_MONTH"];

/// A line for each account below a line of headings.
pub fn render(accounts: &[AccountUsage]) -> String {
    let rows: Vec<[String; 6]> = accounts.iter().map(row).collect();
    aligned(HEAD, &rows, 4)
}

/// A line for each row below a line of headings; the columns from `numbers` on are aligned at their ends.
pub fn aligned<const N: usize>(head: [&str; N], rows: &[[String; N]], numbers: usize) -> String {
    let mut widths = head.map(str::len);
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let head = head.map(str::to_owned);
    let mut table = String::new();
    for row in std::iter::once(&head).chain(rows) {
        let cells = row.iter().zip(widths).enumerate();
        let cells = cells.map(|(at, (cell, width))| match at {
            _ if at >= numbers => format!("{cell:>width$}"),
            _ if at + 1 == N => cell.clone(),
            _ => format!("{cell:width$}"),
        });
        table += &cells.collect::<Vec<_>>().join("  ");
        table.push('\n');
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
