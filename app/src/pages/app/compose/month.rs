//! What is left of the month's limit, beside what a send needs of it.

use hato_service::ServiceResult;
use hato_service::ports::AppRecord;
use leptos::prelude::*;

use crate::components::{Note, Tone};
use crate::i18n::ComposeTexts;
use crate::request_context::RequestContext;

/// The recipients that the account may still send to this month (SPEC 8).
#[derive(Clone, Copy)]
pub struct MonthlyQuota {
    limit: i64,
    left: i64,
}

impl MonthlyQuota {
    /// The quota as it is now; `None` where the plan has no limit.
    pub async fn load(ctx: &RequestContext, app: &AppRecord) -> ServiceResult<Option<Self>> {
        let limit = app.plan.max_monthly_recipients();
        let Some((limit, owner)) = limit.zip(ctx.cached_owner()) else {
            return Ok(None);
        };
        let usage = ctx.service().monthly_usage(owner).await?;
        let left = (limit - usage.recipients).max(0);
        Ok(Some(Self { limit, left }))
    }
}

/// What is left while somebody writes; a warning where that is too little for everybody.
#[component]
pub fn FormMonthNote(
    ctx: RequestContext,
    texts: &'static ComposeTexts,
    quota: MonthlyQuota,
    everybody: i64,
) -> impl IntoView {
    let MonthlyQuota { limit, left } = quota;
    if everybody <= left {
        return view! { <p class="hint">{(texts.month_left)(left, limit)}</p> }.into_any();
    }
    let text = (texts.month_short)(left, limit, everybody);
    view! { <UpgradeNote ctx text /> }.into_any()
}

/// What is left and what the send needs; a warning where that is more, for such a send is refused whole (CONTRACT 6).
#[component]
pub fn MonthlyQuotaNote(
    ctx: RequestContext,
    texts: &'static ComposeTexts,
    quota: MonthlyQuota,
    needed: i64,
) -> impl IntoView {
    let MonthlyQuota { limit, left } = quota;
    if needed <= left {
        let (left, uses) = ((texts.month_left)(left, limit), (texts.month_used)(needed));
        return view! { <p class="hint">{left}{uses}</p> }.into_any();
    }
    let text = (texts.month_exceeded)(left, limit, needed);
    view! { <UpgradeNote ctx text /> }.into_any()
}

#[component]
fn UpgradeNote(ctx: RequestContext, text: String) -> impl IntoView {
    view! {
        <Note tone=Tone::Warning>
            <p>{text} " " <a href="/pricing">{ctx.texts().site.upgrade}</a></p>
        </Note>
    }
    .into_any()
}
