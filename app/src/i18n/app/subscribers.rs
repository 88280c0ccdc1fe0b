//! Texts of who subscribes.

use hato_service::ports::{DeactivationReason, StateFilter};

use super::super::group_thousands;

texts! {
    SubscribersTexts {
        lead: fn(String) -> String = |count| format!("有効な購読者は {count} 人です。"),
            |count| format!("Active subscribers: {count}");
        search = "検索", "Search";
        search_hint = "エンドポイントかプラットフォームの一部",
            "Part of the endpoint or the platform";
        state = "状態", "State";
        any = "すべて", "All";
        active = "有効", "Active";
        deactivated = "無効", "Deactivated";
        find = "検索", "Search";
        clear = "条件を消す", "Clear";
        empty_title = "まだ誰も購読していません", "Nobody has subscribed yet";
        empty = "サイトにコードを埋め込むと、購読した人がここに表示されます。",
            "Once the code is on your site, subscribers appear here.";
        embed = "埋め込みコードを見る", "Show the code";
        none_found = "条件に合う購読者は見つかりませんでした。", "No subscribers match.";
        none_so_far = "調べたところまでには見つかりませんでした。", "None found among those searched so far.";
        cut_short = "購読者が多いため、途中まで調べた結果です。続きは「前のページ」から調べられます。",
            "There are many subscribers, so only some were searched. “Older” continues from there.";
        not_searched = "ほかの検索が続いているため、調べられませんでした。少し待ってからもう一度検索してください。",
            "Other searches are running, so nothing was searched. Please try again in a moment.";
        platform = "プラットフォーム", "Platform";
        user = "ユーザー ID", "User ID";
        tag = "タグ", "Tag";
        tags = "タグ", "Tags";
        host = "プッシュサービス", "Push service";
        last_success = "最後に受け付けられた日", "Last accepted";
        since = "登録", "Registered";
        expired = "購読切れ：プッシュサービスに存在しません",
            "Expired: the push service no longer knows it";
        unsubscribed = "購読解除", "Unsubscribed";
        replaced = "置き換え：同じブラウザが新しい宛先を登録しました",
            "Replaced: the browser has registered a new endpoint";
        key_mismatch = "鍵の不一致：別の VAPID 鍵で作られています",
            "Key mismatch: it was created with another VAPID key";
        refused = "拒否：プッシュサービスが続けて受け付けませんでした",
            "Refused: its push service repeatedly refused messages";
        remove = "削除", "Remove";
        remove_text = "この購読者の記録を削除し、以後は通知を送りません。相手のブラウザが再び登録すると、新しい購読者になります。",
            "Its record is deleted and it receives no more notifications. If that browser registers again, it becomes a new subscriber.";
        remove_now = "購読者を削除する", "Remove the subscriber";
        removed = "購読者を削除しました。", "The subscriber was removed.";
        subscriber = "購読者", "Subscriber";
        select = "選択", "Select";
        select_one: fn(&str) -> String = |name| format!("{name} を選ぶ"), |name| format!("Select {name}");
        remove_selected = "選んだ購読者を削除", "Remove selected";
        remove_selected_text = "選んだ購読者の記録を削除し、以後は通知を送りません。",
            "Their records are deleted and they receive no more notifications.";
        remove_selected_now = "選んだ購読者を削除する", "Remove the selected subscribers";
        removed_many: fn(i64) -> String =
            |count| format!("{} 人の購読者を削除しました。", group_thousands(count)),
            |count| format!("Subscribers removed: {}", group_thousands(count));
        download = "CSV をダウンロード（10,000 人まで）", "Download as CSV (up to 10,000)";
        id = "購読者の ID", "Subscriber ID";
        more_actions = "購読者を削除", "Remove the subscriber";
        all = "購読者の一覧", "All subscribers";
        test = "この購読者で試す", "Test this subscriber";
        test_text = "このブラウザにだけ、テスト通知を 1 通送ります。今月の宛先数に 1 加わります。",
            "Sends one test notification to this browser only. It adds 1 to this month's recipients.";
        test_now = "テスト通知を送る", "Send a test";
        language = "言語", "Language";
        time_zone = "タイムゾーン", "Time zone";
    }
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
            DeactivationReason::Unsubscribed => self.unsubscribed,
            DeactivationReason::Expired => self.expired,
            DeactivationReason::Replaced => self.replaced,
            DeactivationReason::KeyMismatch => self.key_mismatch,
            DeactivationReason::Refused => self.refused,
        }
    }
}
