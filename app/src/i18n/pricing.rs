//! Texts of the pricing page.

/// Texts of the pricing page.
pub struct PricingTexts {
    /// The headline.
    pub title: &'static str,
    /// Below it.
    pub lead: &'static str,
    /// What the Free plan is for.
    pub free_text: &'static str,
    /// Its price.
    pub free_price: &'static str,
    /// What the Pro plan is for.
    pub pro_text: &'static str,
    /// Its price.
    pub pro_price: &'static str,
    /// How to come by the Pro plan.
    pub pro_how: &'static str,
    /// Counts apps.
    pub apps: &'static str,
    /// Counts subscribers.
    pub subscribers: &'static str,
    /// Counts sends.
    pub sends: &'static str,
    /// The size of a notification.
    pub payload: &'static str,
    /// Whether webhooks are included.
    pub webhook: &'static str,
    /// No limit.
    pub unlimited: &'static str,
    /// Included.
    pub yes: &'static str,
    /// Not included.
    pub no: &'static str,
    /// Introduces what is in every plan.
    pub both: &'static str,
    /// Leads to the registration.
    pub start: &'static str,
}

/// Japanese.
pub const JA: PricingTexts = PricingTexts {
    title: "料金",
    lead: "小さく始めて、読者が増えたら翼を広げてください。",
    free_text: "個人のサイトや、はじめての一通に。",
    free_price: "0 円",
    pro_text: "育ったサイトと、いくつものアプリに。",
    pro_price: "お問い合わせ",
    pro_how: "Pro プランへの変更は、このサーバーの運営者にご連絡ください。",
    apps: "アプリ",
    subscribers: "有効な購読者（アプリごと）",
    sends: "宛先数（月あたり）",
    payload: "1 通の大きさ",
    webhook: "配信結果の Webhook",
    unlimited: "無制限",
    yes: "あり",
    no: "なし",
    both: "暗号化、再送、履歴、API は、どのプランでも使えます。",
    start: "無料で始める",
};

/// English.
pub const EN: PricingTexts = PricingTexts {
    title: "Pricing",
    lead: "Start small. Spread your wings when your readers do.",
    free_text: "For a site of your own, and the first one you send.",
    free_price: "¥0",
    pro_text: "For grown sites and many apps.",
    pro_price: "On request",
    pro_how: "To change to Pro, ask whoever runs this server.",
    apps: "Apps",
    subscribers: "Active subscribers per app",
    sends: "Recipients per month",
    payload: "Size of a notification",
    webhook: "Webhook with delivery results",
    unlimited: "Unlimited",
    yes: "Yes",
    no: "No",
    both: "Encryption, retries, history and the API come with every plan.",
    start: "Start for free",
};
