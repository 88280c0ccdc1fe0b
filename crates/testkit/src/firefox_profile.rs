//! A Firefox profile that subscribes to the stand-in push service instead of Mozilla's.

use std::{fmt::Write, fs, io, path::Path};

/// Preferences without which a step of an offline push hangs or is refused.
const PUSH_PREFS: [(&str, &str); 4] = [
    ("dom.push.testing.allowInsecureServerURL", "true"),
    ("dom.push.connection.enabled", "true"),
    ("permissions.default.desktop-notification", "1"),
    ("alerts.useSystemBackend", "false"),
];

/// Preferences that keep a fresh profile quiet.
const QUIET_PREFS: [(&str, &str); 7] = [
    ("browser.shell.checkDefaultBrowser", "false"),
    ("browser.aboutwelcome.enabled", "false"),
    ("browser.startup.page", "0"),
    ("browser.startup.homepage_override.mstone", "\"ignore\""),
    ("datareporting.policy.dataSubmissionEnabled", "false"),
    ("toolkit.telemetry.reportingpolicy.firstRun", "false"),
    ("termsofuse.bypassNotification", "true"),
];

/// The text of `user.js` for a push service at `websocket_url`.
fn user_js(websocket_url: &str) -> String {
    let mut text = format!("user_pref(\"dom.push.serverURL\", \"{websocket_url}\");\n");
    for (name, value) in PUSH_PREFS.iter().chain(&QUIET_PREFS) {
        writeln!(text, "user_pref(\"{name}\", {value});").expect("a string takes any text");
    }
    text
}

/// Makes the folder `profile` with a `user.js` in it, to be opened with `firefox-esr --profile`.
pub fn write_profile(profile: &Path, websocket_url: &str) -> io::Result<()> {
    fs::create_dir_all(profile)?;
    fs::write(profile.join("user.js"), user_js(websocket_url))
}
