//! Whom a send is for, when it goes, and how fast: what the question and the send's page say alike.

use hato_domain::{Schedule, UnixMillis};
use leptos::prelude::*;

use crate::components::{Fact, TimeStyle, Timestamp};
use crate::i18n::{DeliveryTexts, group_thousands};

/// The conditions on recipients, if there are any.
#[component]
pub fn AudienceFacts(
    texts: &'static DeliveryTexts,
    /// The users, in words.
    users: Option<String>,
    /// The expression of tags.
    tags: Option<String>,
) -> impl IntoView {
    view! {
        {users.map(|users| view! { <Fact label=texts.users>{users}</Fact> })}
        {tags
            .map(|tags| {
                view! {
                    <Fact label=texts.tags>
                        <code>{tags}</code>
                    </Fact>
                }
            })}
    }
    .into_any()
}

/// The times and the pace, if there are any.
#[component]
pub fn ScheduleFacts(texts: &'static DeliveryTexts, schedule: Schedule) -> impl IntoView {
    let moment = |label: &'static str, at: UnixMillis| {
        view! {
            <Fact label>
                <Timestamp at style=TimeStyle::Zoned />
            </Fact>
        }
    };
    let pace = schedule.pace().map(|pace| {
        let text = (texts.per_minute)(group_thousands(pace.per_minute().into()));
        view! { <Fact label=texts.pace>{text}</Fact> }
    });
    view! {
        {schedule.send_at().map(|at| moment(texts.send_at, at))}
        {schedule.expires_at().map(|at| moment(texts.expires_at, at))}
        {pace}
    }
    .into_any()
}
