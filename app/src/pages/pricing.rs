//! What the plans allow (SPEC 8).

use hato_domain::{Notification, Plan};
use leptos::prelude::*;

use super::load_page;
use crate::components::{Fact, Frame};
use crate::i18n::{PricingTexts, group_thousands, plan_name};
use crate::request_context::RequestContext;

/// The plans side by side.
#[component]
pub fn PricingPage() -> impl IntoView {
    load_page(async move |ctx: RequestContext| {
        let owner = ctx.logged_in_owner().await;
        let texts = &ctx.texts().pricing;
        let start = if owner.is_some() {
            "/apps"
        } else {
            "/register"
        };
        let start = view! {
            <a class="button" href=start>
                {texts.start}
            </a>
        }
        .into_any();
        let ask = view! { <p class="hint">{texts.pro_how}</p> }.into_any();
        Ok(view! {
            <Frame title=texts.title>
                <section class="plans">
                    <h1>{texts.title}</h1>
                    <p class="lead">{texts.lead}</p>
                    <div class="plan-cards">
                        <PlanCard
                            texts
                            plan=Plan::Free
                            price=texts.free_price
                            text=texts.free_text
                            action=start
                        />
                        <PlanCard
                            texts
                            plan=Plan::Pro
                            price=texts.pro_price
                            text=texts.pro_text
                            action=ask
                        />
                    </div>
                    <p>{texts.both}</p>
                </section>
            </Frame>
        }
        .into_any())
    })
}

#[component]
fn PlanCard(
    texts: &'static PricingTexts,
    plan: Plan,
    price: &'static str,
    text: &'static str,
    action: AnyView,
) -> impl IntoView {
    let limit =
        |most: Option<i64>| most.map_or_else(|| texts.unlimited.to_owned(), group_thousands);
    let webhook = if plan == Plan::Pro {
        texts.yes
    } else {
        texts.no
    };
    let payload = i64::try_from(Notification::MAX_PAYLOAD_BYTES).unwrap_or(i64::MAX);
    view! {
        <article class=format!("card plan {}", plan.as_str())>
            <h2>{plan_name(plan)}</h2>
            <p class="price">{price}</p>
            <p>{text}</p>
            <dl>
                <Fact label=texts.apps>{limit(plan.max_apps())}</Fact>
                <Fact label=texts.subscribers>{limit(plan.max_subscriptions())}</Fact>
                <Fact label=texts.sends>{limit(plan.max_monthly_recipients())}</Fact>
                <Fact label=texts.payload>{group_thousands(payload)} " B"</Fact>
                <Fact label=texts.webhook>{webhook}</Fact>
            </dl>
            {action}
        </article>
    }
    .into_any()
}
