//! Texts of who subscribes.

use hato_service::ports::{DeactivationReason, StateFilter};

/// Texts of who subscribes.
pub struct SubscribersTexts {
    /// Below the headline.
    pub lead: fn(String) -> String,
    /// Labels the search.
    pub search: &'static str,
    /// What it looks at.
    pub search_hint: &'static str,
    /// Labels the choice of state.
    pub state: &'static str,
    /// Every state.
    pub any: &'static str,
    /// Reached by a broadcast.
    pub active: &'static str,
    /// Not reached.
    pub deactivated: &'static str,
    /// The search's button.
    pub find: &'static str,
    /// Forgets the search.
    pub clear: &'static str,
    /// Headline when there is nobody.
    pub empty_title: &'static str,
    /// Below it.
    pub empty: &'static str,
    /// Leads to the snippets.
    pub embed: &'static str,
    /// Nobody is what was looked for.
    pub none_found: &'static str,
    /// Nobody among those looked at so far.
    pub none_yet: &'static str,
    /// Looks on.
    pub more: &'static str,
    /// The push service's URL.
    pub endpoint: &'static str,
    /// The label.
    pub platform: &'static str,
    /// When it was registered, in UTC.
    pub since: &'static str,
    /// Its push service no longer knows it.
    pub expired: &'static str,
    /// Somebody unsubscribed it.
    pub unsubscribed: &'static str,
    /// Opens the question.
    pub remove: &'static str,
    /// Asks it.
    pub remove_text: &'static str,
    /// Removes.
    pub remove_now: &'static str,
    /// Says that it is removed.
    pub removed: &'static str,
}

impl SubscribersTexts {
    /// What a filter lets through.
    pub const fn filter(&self, state: StateFilter) -> &'static str {
        match state {
            StateFilter::Any => self.any,
            StateFilter::Active => self.active,
            StateFilter::Deactivated => self.deactivated,
        }
    }

    /// Why a subscription is not active.
    pub const fn reason(&self, reason: DeactivationReason) -> &'static str {
        match reason {
            DeactivationReason::Expired => self.expired,
            DeactivationReason::Unsubscribed => self.unsubscribed,
        }
    }
}

/// Japanese.
pub const JA: SubscribersTexts = SubscribersTexts {
    lead: |count| format!("有効な購読者は {count} 人です。"),
    search: "検索",
    search_hint: "エンドポイントかプラットフォームの一部",
    state: "状態",
    any: "すべて",
    active: "有効",
    deactivated: "無効",
    find: "検索",
    clear: "条件を消す",
    empty_title: "まだ誰も購読していません",
    empty: "サイトにコードを埋め込むと、購読した人がここに並びます。",
    embed: "埋め込みコードを見る",
    none_found: "条件に合う購読者は見つかりませんでした。",
    none_yet: "ここまでには見つかりませんでした。さらに古い購読者も探せます。",
    more: "さらに探す",
    endpoint: "エンドポイント",
    platform: "プラットフォーム",
    since: "登録（UTC）",
    expired: "期限切れ：プッシュサービスに存在しません",
    unsubscribed: "購読解除",
    remove: "削除",
    remove_text: "この購読者の記録を消し、以後は通知を送りません。相手のブラウザがふたたび登録すると、新しい購読者になります。",
    remove_now: "購読者を削除する",
    removed: "購読者を削除しました。",
};

/// English.
pub const EN: SubscribersTexts = SubscribersTexts {
    lead: |count| format!("Active subscribers: {count}"),
    search: "Search",
    search_hint: "A part of the endpoint or the platform",
    state: "State",
    any: "All",
    active: "Active",
    deactivated: "Deactivated",
    find: "Search",
    clear: "Clear",
    empty_title: "Nobody has subscribed yet",
    empty: "Once the code is on your site, subscribers appear here.",
    embed: "Show the code",
    none_found: "No subscriber matches.",
    none_yet: "None so far. There are older subscribers to look at.",
    more: "Look further",
    endpoint: "Endpoint",
    platform: "Platform",
    since: "Registered (UTC)",
    expired: "Expired: the push service does not know it any more",
    unsubscribed: "Unsubscribed",
    remove: "Remove",
    remove_text: "Its record goes and it gets nothing any more. If that browser registers again, it is a new subscriber.",
    remove_now: "Remove the subscriber",
    removed: "The subscriber is removed.",
};
