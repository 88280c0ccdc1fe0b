//! What is left of the month's limit, beside what a send needs of it.

use hato_service::ServiceResult;
use hato_service::ports::AppRecord;
use leptos::prelude::*;

use crate::components::{Note, Tone};
use crate::i18n::ComposeTexts;
use crate::request_context::RequestContext;

/// The recipients that the account may still send to this month (SPEC 8), and those of a send to everybody.
#[derive(Clone, Copy)]
pub struct MonthlyQuota {
    limit: i64,
    left: i64,
    needed: i64,
}

impl MonthlyQuota {
    /// The quota as it is now; `None` where the plan has no limit.
    pub async fn load(ctx: &RequestContext, app: &AppRecord) -> ServiceResult<Option<Self>> {
        let limit = app.plan.max_monthly_recipients();
        let Some((limit, owner)) = limit.zip(ctx.cached_owner()) else {
            return Ok(None);
        };
        let usage = ctx.service().monthly_usage(owner).await?;
        Ok(Some(Self {
            limit,
            left: (limit - usage.recipients).max(0),
            needed: app.active_subscriptions,
        }))
    }
}

/// What is left and what the send needs; a warning where that is more, for such a send is refused whole (CONTRACT 6).
#[component]
pub fn MonthlyQuotaNote(
    ctx: RequestContext,
    texts: &'static ComposeTexts,
    quota: MonthlyQuota,
) -> impl IntoView {
    let MonthlyQuota {
        limit,
        left,
        needed,
    } = quota;
    if needed <= left {
        let text = (texts.month_left)(left, limit, needed);
        return view! { <p class="hint">{text}</p> }.into_any();
    }
    view! {
        <Note tone=Tone::Warning>
            <p>
                {(texts.month_exceeded)(left, limit, needed)} " "
                <a href="/pricing">{ctx.texts().site.upgrade}</a>
            </p>
        </Note>
    }
    .into_any()
}
