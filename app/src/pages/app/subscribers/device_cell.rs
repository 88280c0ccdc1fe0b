//! What a subscriber is, as the list shows it.

use leptos::prelude::*;

use super::super::device::{Device, DeviceIcon};

/// What it is, with a link to its page, and how it is told from others of the kind.
#[component]
pub(super) fn DeviceCell(
    device: Device,
    name: String,
    path: String,
    endpoint: String,
    platform: Option<String>,
) -> impl IntoView {
    let address = endpoint.strip_prefix("https://").unwrap_or(&endpoint);
    let address = address.to_owned();
    let platform = platform.filter(|label| !says_the_same(label, &name));
    view! {
        <td class="endpoint">
            <DeviceIcon device />
            <a href=path>{name}</a>
            <bdi class="hint" title=platform.clone()>
                {platform.clone()}
            </bdi>
            <code title=endpoint>{address}</code>
        </td>
    }
    .into_any()
}

/// Whether the label has nothing but the words of the name.
fn says_the_same(label: &str, name: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|it: char| !it.is_alphanumeric());
        let words = words.filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    words(label) == words(name)
}

#[cfg(test)]
mod tests {
    use super::says_the_same;

    #[test]
    fn a_label_of_the_same_words_says_no_more() {
        for (label, name, is_same) in [
            ("Chrome Android", "Chrome · Android", true),
            ("chrome · android", "Chrome · Android", true),
            ("Chrome Win32", "Chrome · Windows", false),
            ("店頭", "Chrome", false),
        ] {
            assert_eq!(says_the_same(label, name), is_same, "{label}");
        }
    }
}
