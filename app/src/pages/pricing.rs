//! What the plans allow (SPEC 8).

use hato_domain::{Notification, Plan};
use hato_service::access::AccountPrincipal;
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
        let ask = view! { <HowToPro texts owner=owner.clone() /> }.into_any();
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

/// The way to the Pro plan: for operators the page where they change it, for others whom to ask, and the command for who runs the
/// server and has not said so yet.
#[component]
fn HowToPro(texts: &'static PricingTexts, owner: Option<AccountPrincipal>) -> impl IntoView {
    if owner.as_ref().is_some_and(AccountPrincipal::is_operator) {
        return view! {
            <p>
                <a href="/operator">{texts.operate}</a>
            </p>
        }
        .into_any();
    }
    let email = owner.map(|owner| owner.account().email.as_str().to_owned());
    let email = email.unwrap_or_else(|| texts.your_email.to_owned());
    let text = format!("hato-server admin set-plan {} pro", shell_word(&email));
    view! {
        <p class="hint">{texts.pro_how}</p>
        <details>
            <summary>{texts.own_server}</summary>
            <div class="code line" translate="no">
                <pre tabindex="0" role="region" aria-label=texts.own_server>
                    <code>{text}</code>
                </pre>
            </div>
        </details>
    }
    .into_any()
}

/// A text as a shell takes it for one word, whatever it holds.
fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "@.-_+".contains(c);
    if text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
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
