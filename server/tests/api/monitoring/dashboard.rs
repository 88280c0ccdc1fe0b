//! What Grafana asks of a dashboard that it imports: who it is, where its numbers come from, and where each panel stands.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::dashboard;

/// Columns of Grafana's grid.
const COLUMNS: u64 = 24;

fn list<'a>(value: &'a Value, member: &str) -> &'a [Value] {
    let list = value[member].as_array();
    list.unwrap_or_else(|| panic!("{member} is no list in {value}"))
}

fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    let text = value[member].as_str().filter(|text| !text.is_empty());
    text.unwrap_or_else(|| panic!("no {member} in {value}"))
}

fn number(value: &Value, member: &str) -> u64 {
    let number = value[member].as_u64();
    number.unwrap_or_else(|| panic!("no {member} in {value}"))
}

/// Panics if one of them is there twice.
fn assert_distinct<T: Ord + std::fmt::Debug>(values: impl IntoIterator<Item = T>) {
    let mut seen = BTreeSet::new();
    for value in values {
        assert!(!seen.contains(&value), "{value:?} is there twice");
        seen.insert(value);
    }
}

/// The variables that an expression, or a query of a variable, asks for by name.
fn variables(expression: &str) -> BTreeSet<&str> {
    let after = expression.split('$').skip(1);
    let names = after.map(|rest| {
        let rest = rest.trim_start_matches('{');
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        &rest[..end.unwrap_or(rest.len())]
    });
    names.filter(|name| !name.starts_with("__")).collect()
}

#[test]
fn the_dashboard_says_who_it_is_and_which_prometheus_it_asks() {
    let dashboard = dashboard();
    for member in ["uid", "title", "description", "refresh"] {
        text(&dashboard, member);
    }
    assert!(number(&dashboard, "schemaVersion") >= 36, "{dashboard}");
    // Grafana gives one that it imports an id of its own.
    assert!(dashboard["id"].is_null());
    let variables = list(&dashboard["templating"], "list");
    assert_distinct(variables.iter().map(|it| text(it, "name")));
    // What the others ask is chosen before them.
    let chosen = &variables[0];
    let expected = ["datasource", "datasource", "prometheus"];
    let found = ["name", "type", "query"].map(|member| text(chosen, member));
    assert_eq!(found, expected);
}

#[test]
fn all_numbers_come_from_the_prometheus_that_is_chosen() {
    let dashboard = dashboard();
    let source = json!({"type": "prometheus", "uid": "${datasource}"});
    let queried = list(&dashboard["templating"], "list").iter();
    let queried = queried.filter(|it| it["type"] == "query");
    let panels = list(&dashboard, "panels").iter();
    let panels = panels.filter(|panel| panel["type"] != "row");
    let targets = panels.clone().flat_map(|panel| list(panel, "targets"));
    let asking: Vec<_> = queried.chain(panels).chain(targets).collect();
    assert!(asking.len() > 60, "{asking:?}");
    for asks in asking {
        assert_eq!(asks["datasource"], source, "{asks}");
    }
}

#[test]
fn expressions_use_variables_that_there_are() {
    let dashboard = dashboard();
    let all = list(&dashboard["templating"], "list");
    let known: BTreeSet<_> = all.iter().map(|it| text(it, "name")).collect();
    for panel in list(&dashboard, "panels") {
        for target in panel["targets"].as_array().into_iter().flatten() {
            let used = variables(text(target, "expr"));
            assert!(used.contains("job") && used.is_subset(&known), "{target}");
        }
    }
}

#[test]
fn panels_have_an_id_a_title_and_a_place_of_their_own() {
    let dashboard = dashboard();
    let panels = list(&dashboard, "panels");
    assert_distinct(panels.iter().map(|panel| number(panel, "id")));
    assert_distinct(panels.iter().map(|panel| text(panel, "title")));
    let cells = panels.iter().flat_map(|panel| {
        let place = &panel["gridPos"];
        let [x, y, width, height] = ["x", "y", "w", "h"].map(|member| number(place, member));
        assert!(width > 0 && height > 0 && x + width <= COLUMNS, "{panel}");
        (x..x + width).flat_map(move |x| (y..y + height).map(move |y| (x, y)))
    });
    assert_distinct(cells);
}

#[test]
fn each_panel_is_of_a_kind_that_grafana_has_and_says_its_unit() {
    let dashboard = dashboard();
    for panel in list(&dashboard, "panels") {
        match text(panel, "type") {
            "row" => assert_eq!(panel["panels"], json!([]), "{panel}"),
            "stat" | "timeseries" => {
                text(&panel["fieldConfig"]["defaults"], "unit");
                assert!(panel["options"].is_object(), "{panel}");
                let targets = list(panel, "targets");
                assert!(!targets.is_empty(), "{panel}");
                assert_distinct(targets.iter().map(|target| text(target, "refId")));
                for target in targets {
                    text(target, "legendFormat");
                }
            }
            kind => panic!("{kind}: {panel}"),
        }
    }
}
