//! Texts of whom a send reaches.

texts! {
    AudienceTexts {
        lead: fn(String, String) -> String =
            |all, answered| format!("有効な購読者 {all} 人のうち、最後の送信が受付済みなのは {answered} 人です。"),
            |all, answered| format!("Of {all} active subscribers, push services accepted the last send to {answered}.");
        about = "「受付済み」とは、その人に宛てた最後の送信を、プッシュサービスが受け付けたことです。数は送信が終わってから数分で更新されます。",
            "“Accepted” means that the push service accepted the last send addressed to the subscriber. The numbers are updated a few minutes after a send ends.";
        approximate = "購読者が多いため、内訳は一部から推定した数です。",
            "There are many subscribers, so all numbers except the total are estimates.";
        empty_title = "まだ誰も購読していません", "Nobody has subscribed yet";
        empty = "サイトにコードを埋め込むと、購読した人の数と受付済みの割合がここに表示されます。",
            "Once the code is on your site, this shows how many have subscribed and how many can be reached.";
        embed = "埋め込みコードを見る", "Show the code";
        by_age = "登録してからの期間", "By time since subscribing";
        age = "期間", "Subscribed for";
        to_30 = "30 日以内", "Up to 30 days";
        to_90 = "31〜90 日", "31 to 90 days";
        to_270 = "91〜270 日", "91 to 270 days";
        older = "270 日より前", "More than 270 days";
        by_host = "プッシュサービス", "By push service";
        host = "プッシュサービス", "Push service";
        other = "その他", "Other";
        recipients = "購読者", "Subscribers";
        answered = "受付済み", "Accepted";
        share = "割合", "Share";
        percent: fn(i64) -> String = |percent| format!("{percent} %"), |percent| format!("{percent}%");
    }
}
