//! What is shown of a page wherever somebody shares its address (the Open Graph protocol).

use leptos::prelude::*;
use leptos_meta::Meta;

use crate::language::Lang;
use crate::request_context::RequestContext;

/// The page's title with the site's name, picture and line.
#[component]
pub fn SharedLink(title: String) -> impl IntoView {
    let ctx = RequestContext::current();
    let base_url = &ctx.app_context().base_url;
    let locale = match ctx.lang() {
        Lang::Ja => "ja_JP",
        Lang::En => "en_GB",
    };
    view! {
        <Meta property="og:title" content=title />
        <Meta property="og:site_name" content="Hato" />
        <Meta property="og:type" content="website" />
        <Meta property="og:locale" content=locale />
        <Meta property="og:url" content=format!("{base_url}{}", ctx.path()) />
        <Meta property="og:description" content=ctx.texts().site.tagline />
        <Meta property="og:image" content=format!("{base_url}/og.png") />
        <Meta property="og:image:width" content="1200" />
        <Meta property="og:image:height" content="630" />
        <Meta name="twitter:card" content="summary_large_image" />
    }
}
