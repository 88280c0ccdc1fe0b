//! Which browsers and systems an app's subscribers have, and how many each.

use hato_service::ports::SampledDevice;
use leptos::prelude::*;

use super::device::{Device, DeviceMark};
use crate::components::{Column, Table};
use crate::i18n::DevicesTexts;

/// The browsers and the systems of those that were looked at, which stand for `active` subscribers.
#[component]
pub fn DeviceShares(
    texts: &'static DevicesTexts,
    /// `None` when there was no time to look.
    sampled: Option<Vec<SampledDevice>>,
    active: i64,
) -> impl IntoView {
    let content = match sampled {
        None => view! { <p class="hint">{texts.busy}</p> }.into_any(),
        Some(sampled) => view! { <SampledShares texts sampled active /> }.into_any(),
    };
    view! {
        <section class="card devices" id="devices" aria-labelledby="devices-title">
            <h2 id="devices-title">{texts.title}</h2>
            {content}
        </section>
    }
    .into_any()
}

#[component]
fn SampledShares(
    texts: &'static DevicesTexts,
    sampled: Vec<SampledDevice>,
    active: i64,
) -> impl IntoView {
    let of = |it: &SampledDevice| Device::new(it.platform.as_deref(), &it.endpoint);
    let devices: Vec<Device> = sampled.iter().map(of).collect();
    let sampled = i64::try_from(devices.len()).unwrap_or(active);
    let estimated = (active > sampled).then(|| (texts.sampled)(sampled));
    let browsers = counted(devices.iter().map(|device| device.browser));
    let systems = counted(devices.iter().map(|device| device.system));
    view! {
        <p class="hint">{texts.about} " " {estimated}</p>
        <div class="shares">
            <ShareTable texts name=texts.browser counts=browsers />
            <ShareTable texts name=texts.system counts=systems />
        </div>
    }
    .into_any()
}

/// How many have each name, most first; what is not named last.
fn counted(names: impl Iterator<Item = Option<&'static str>>) -> Vec<(Option<&'static str>, i64)> {
    let mut counts: Vec<(Option<&'static str>, i64)> = Vec::new();
    for name in names {
        match counts.iter_mut().find(|(it, _)| *it == name) {
            Some((_, count)) => *count += 1,
            None => counts.push((name, 1)),
        }
    }
    counts.sort_by_key(|(name, count)| (name.is_none(), -count, *name));
    counts
}

/// A share as a bar and as a number.
#[component]
fn Share(texts: &'static DevicesTexts, percent: i64) -> impl IntoView {
    view! {
        <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
            <rect class="ground" width="100" height="6" />
            <rect class="sent" width=percent height="6" />
        </svg>
        <span>{(texts.percent)(percent)}</span>
    }
}

#[component]
fn ShareTable(
    texts: &'static DevicesTexts,
    name: &'static str,
    counts: Vec<(Option<&'static str>, i64)>,
) -> impl IntoView {
    let all: i64 = counts.iter().map(|(_, count)| count).sum();
    let rows = counts.into_iter().map(move |(name, count)| {
        let mark = name.unwrap_or("unknown");
        view! {
            <tr>
                <th scope="row"><DeviceMark name=mark /> {name.unwrap_or(texts.unknown)}</th>
                <td class="number">
                    <Share texts percent=percent(count, all) />
                </td>
            </tr>
        }
    });
    let columns = vec![Column::Text(name), Column::Number(texts.subscribers)];
    view! { <Table class="device-shares" columns>{rows.collect_view()}</Table> }.into_any()
}

/// A part in percent, to the nearest number.
fn percent(part: i64, whole: i64) -> i64 {
    (part * 200 + whole) / (whole * 2).max(1)
}

#[cfg(test)]
mod tests {
    use super::{counted, percent};

    #[test]
    fn names_come_by_their_number_and_what_has_none_last() {
        let names = [
            None,
            Some("Safari"),
            Some("Chrome"),
            None,
            Some("Chrome"),
            None,
        ];
        let counts = [(Some("Chrome"), 2), (Some("Safari"), 1), (None, 3)];
        assert_eq!(counted(names.into_iter()), counts);
        assert_eq!([percent(2, 6), percent(3, 6), percent(0, 0)], [33, 50, 0]);
    }
}
