//! Texts of writing a notification.

use super::super::group_thousands;
use super::{DeliveryOptionsTexts, RichTexts};

texts! {
    ComposeTexts {
        lead = "送る前に、内容と人数をもう一度確認できます。",
            "You can review the content and the number of recipients before it is sent.";
        heading = "タイトル", "Title";
        body = "本文", "Text";
        url = "リンク先", "Link";
        url_hint = "クリックすると開きます。https:// のみ（任意）",
            "Opens on click. https:// only (optional)";
        more = "アイコンとバッジ", "Icon and badge";
        icon = "アイコンの URL", "URL of the icon";
        badge = "バッジの URL", "URL of the badge";
        https = "https:// のみ（任意）", "https:// only (optional)";
        /// The pictures of a notification; `picture_insecure` and `picture_broken` go on after their names.
        picture_names: [&'static str; 3] = ["アイコン", "バッジ", "大きな画像"], ["The icon", "The badge", "The large picture"];
        picture_insecure = "は表示されません。https:// で始まる URL を入力してください。",
            " will not be shown: its URL must start with https://.";
        picture_broken = "の URL から画像を読み込めません。URL を確かめてください。",
            " could not be loaded: there is no image at its URL. Please check it.";
        rich: RichTexts = RichTexts::JA, RichTexts::EN;
        options: DeliveryOptionsTexts = DeliveryOptionsTexts::JA, DeliveryOptionsTexts::EN;
        again = "前の送信から内容をコピーしました。宛先と日時を確かめてください。",
            "Copied from an earlier send. Check the recipients and the time.";
        again_without_users = "前の送信から内容をコピーしました。宛先だったユーザー ID は残っていないため、入力し直してください。",
            "Copied from an earlier send. Its user IDs are not kept: enter them again.";
        review = "確認へ進む", "Review";
        review_title = "この内容で送りますか？", "Send this notification?";
        question: fn(i64) -> String =
            |count| match count {
                0 => "まだ購読者がいません。送っても誰にも届きません。".to_owned(),
                _ => format!(
                    "有効な購読者 {} 人に、いますぐ送ります。",
                    group_thousands(count)
                ),
            },
            |count| match count {
                0 => "Nobody has subscribed yet, so nobody will get it.".to_owned(),
                1 => "It goes to 1 active subscriber right away.".to_owned(),
                _ => format!(
                    "It goes to {} active subscribers right away.",
                    group_thousands(count)
                ),
            };
        send = "送信する", "Send now";
        edit = "書き直す", "Edit";
        audience: fn(i64) -> String =
            |count| match count {
                0 => "まだ購読者がいません。送っても誰にも届きません。".to_owned(),
                _ => format!("有効な購読者 {} 人に送ります。", group_thousands(count)),
            },
            |count| match count {
                0 => "Nobody has subscribed yet, so nobody will get it.".to_owned(),
                1 => "It will go to 1 active subscriber.".to_owned(),
                _ => format!(
                    "It will go to {} active subscribers.",
                    group_thousands(count)
                ),
            };
        /// The heading of the section that says whom it is for.
        to = "宛先", "Recipients";
        to_hint = "どちらも空のままなら、有効な購読者の全員に送ります。両方を入力すると、両方に当てはまる人だけに送ります。",
            "Leave both fields empty to send to every active subscriber. If you fill in both, it goes only to those who match both.";
        tags = "タグの条件", "Tags";
        tags_hint = "例：lang:ja && (_plan:pro || beta)　! は「〜でない」（任意）",
            "Such as lang:ja && (_plan:pro || beta); ! means “not” (optional)";
        users = "ユーザー ID", "User IDs";
        users_hint = "1 行に 1 人、1,000 人まで（任意）", "One per line, at most 1,000 (optional)";
        part: fn(i64) -> String =
            |count| match count {
                0 => "条件に合う購読者はいません。".to_owned(),
                _ => format!("条件に合う購読者 {} 人に送ります。", group_thousands(count)),
            },
            |count| match count {
                0 => "No active subscriber matches.".to_owned(),
                1 => "It will go to 1 active subscriber who matches.".to_owned(),
                _ => format!(
                    "It will go to {} active subscribers who match.",
                    group_thousands(count)
                ),
            };
        count_later = "人数は、確認の画面でわかります。", "The next page shows how many recipients that is.";
        forgotten_users = "ユーザー ID を入力すると、人数がわかります。", "Enter the user IDs to see how many recipients that is.";
        refused_audience = "宛先の条件が正しくありません。ユーザー ID は 1 行に 1 人で 1,000 人まで、タグの条件はタグと ! && || ( ) だけで書きます。",
            "That is not a valid condition: enter one user ID per line, at most 1,000, and join tags only with !, &&, || and parentheses.";
        question_part: fn(i64) -> String =
            |count| match count {
                0 => "条件に合う購読者はいません。送っても誰にも届きません。".to_owned(),
                _ => format!(
                    "条件に合う購読者 {} 人に、いますぐ送ります。",
                    group_thousands(count)
                ),
            },
            |count| match count {
                0 => "No active subscriber matches, so nobody will get it.".to_owned(),
                1 => "It goes to 1 active subscriber who matches right away.".to_owned(),
                _ => format!(
                    "It goes to {} active subscribers who match right away.",
                    group_thousands(count)
                ),
            };
        question_later: fn(i64) -> String =
            |count| format!(
                "予定の日時に、そのとき有効な購読者の全員に送ります。いまは {} 人です。今月の上限には、送るときに数えます。",
                group_thousands(count)
            ),
            |count| format!(
                "At that time it goes to every subscriber who is active then: {} at the moment. It counts toward the month's limit when it is sent.",
                group_thousands(count)
            );
        question_part_later: fn(i64) -> String =
            |count| format!(
                "予定の日時に、そのとき条件に合う購読者に送ります。いまは {} 人です。今月の上限には、送るときに数えます。",
                group_thousands(count)
            ),
            |count| format!(
                "At that time it goes to those who match then: {} active subscribers at the moment. It counts toward the month's limit when it is sent.",
                group_thousands(count)
            );
        /// Names, and how many more there are.
        and_others: fn(String, usize) -> String = |names, others| format!("{names} ほか {others} 人"),
            |names, others| format!("{names} and {others} more");
        schedule = "予約する", "Schedule";
        timing = "日時とペースを指定する", "Time and pace";
        send_at = "送信日時", "Send at";
        expires_at = "有効期限", "Expires at";
        utc = "協定世界時（UTC）で入力してください。空なら指定なしです（任意）",
            "In Coordinated Universal Time (UTC); empty for none (optional)";
        /// `{}` is the time that is taken.
        skipped = "夏時間の始まりで飛ばされる時刻のため、{} とします。",
            "Clocks skip that time when daylight saving begins, so it is taken as {}.";
        twice = "夏時間の終わりで 2 回ある時刻のため、先に来るほうとします。",
            "That time comes twice when daylight saving ends: the first is taken.";
        pace = "1 分あたりの最大人数", "Maximum recipients per minute";
        pace_hint = "空ならできるだけ速く送ります（任意）", "As fast as possible when empty (optional)";
        refused_timing = "日時とペースを確かめてください。送信日時はいまより後で 366 日以内、有効期限は送信より後、1 分あたりの人数は 1〜10,000,000 です。",
            "Check the time and the pace: the send time must be in the future and within 366 days, the expiry after it, and the pace 1 to 10,000,000 recipients per minute.";
        /// What is left of a limit, and the limit.
        month_left: fn(i64, i64) -> String =
            |left, limit| format!(
                "今月の残りの宛先数は {}（上限 {}）です。",
                group_thousands(left),
                group_thousands(limit)
            ),
            |left, limit| format!(
                "Left this month: {} of {} recipients.",
                group_thousands(left),
                group_thousands(limit)
            );
        /// Goes on after `month_left`.
        month_used: fn(i64) -> String =
            |needed| format!("この送信の宛先数は {} です。", group_thousands(needed)),
            |needed| format!(" This send needs {}.", group_thousands(needed));
        /// What is left of a limit, the limit, and what a send to everybody needs, which is more.
        month_short: fn(i64, i64, i64) -> String =
            |left, limit, needed| format!(
                "今月の残りの宛先数は {}（上限 {}）です。全員に送ると {} になります。",
                group_thousands(left),
                group_thousands(limit),
                group_thousands(needed)
            ),
            |left, limit, needed| format!(
                "Left this month: {} of {} recipients. A send to everybody needs {}.",
                group_thousands(left),
                group_thousands(limit),
                group_thousands(needed)
            );
        /// What is left of a limit, the limit, and what the send needs, which is more.
        month_exceeded: fn(i64, i64, i64) -> String =
            |left, limit, needed| format!(
                "今月の残りの宛先数は {}（上限 {}）です。この送信の宛先数は {} なので、このままでは送れません。",
                group_thousands(left),
                group_thousands(limit),
                group_thousands(needed)
            ),
            |left, limit, needed| format!(
                "Left this month: {} of {} recipients. This send needs {}, so it would be refused.",
                group_thousands(left),
                group_thousands(limit),
                group_thousands(needed)
            );
        size = "サイズ", "Size";
        bytes = "バイト", "bytes";
        preview = "プレビュー", "Preview";
        preview_hint = "差出人として表示されるのは、通知を許可したサイトの名前です。実際の見た目は、ブラウザと OS によって少し違います。",
            "The sender is the site that was allowed to send notifications. The exact look depends on the browser and the system.";
        /// What Windows, macOS, Android and iOS leave out.
        preview_systems: [&'static str; 4] = [
            "Windows の Chrome：タイトルは 2 行、本文は 4 行まで。バッジは表示されません。",
            "macOS の Chrome：タイトルは 1 行、本文は 2 行まで。バッジと大きな画像は表示されません。",
            "Android の Chrome：折りたたんだ状態ではタイトルも本文も 1 行で、広げると続きが読めます。バッジは形だけが単色で表示されます。",
            "iOS：タイトルは 1 行、本文は 4 行まで。アイコンはホーム画面のもので、通知のアイコン・バッジ・大きな画像・ボタンは表示されません。差出人はホーム画面での名前です。",
        ], [
            "Chrome on Windows: at most 2 lines of the title and 4 of the text. No badge.",
            "Chrome on macOS: 1 line of the title and at most 2 of the text. No badge, no large picture.",
            "Chrome on Android: 1 line of each when collapsed, the rest when expanded. The badge is shown as a shape in one colour.",
            "iOS: 1 line of the title and at most 4 of the text. The icon and the sender's name are those on the Home Screen. No icon, badge, large picture or buttons of the notification.",
        ];
        preview_whole = "全文", "Full text";
        /// Shown in place of the preview where no scripts run.
        preview_later = "JavaScript がオフのため、プレビューは確認の画面に表示されます。",
            "JavaScript is off, so the preview is shown on the next page.";
        /// The sender before anybody has subscribed.
        some_site = "通知を許可したサイト", "Your site";
        sample_title = "焼きたてです", "Fresh out of the oven";
        sample_body = "クロワッサンが焼きあがりました。", "The croissants are ready.";
        opens = "クリックで開くページ", "Opens on click";
        opens_site = "サイトのトップ", "Your site";
        logged_out = "セッションが終わったため、まだ送っていません。入力した内容は下に残っています。",
            "Your session has ended, so nothing was sent yet. What you wrote is still below.";
        log_in = "別のタブでログイン", "Log in in another tab";
        /// Goes on after the link `log_in`.
        then_review = "してから、もう一度確認へ進んでください。", ", then review it again here.";
        /// Goes on with links to the fields.
        check_fields = "このままでは送れません。次の項目を確かめてください。", "It cannot be sent like this. Please check:";
        wrong_tags = "タグと ! && || ( ) だけの条件で書いてください。", "Join tags only with !, &&, || and parentheses.";
        wrong_users = "ユーザー ID を 1 行に 1 人、1,000 人まで入力してください。", "Enter one user ID per line, at most 1,000.";
        wrong_send_at = "いまより後で、366 日以内の日時を入力してください。", "Enter a time in the future, within 366 days.";
        wrong_expires_at = "いまよりも、送信日時よりも後の日時を入力してください。", "Enter a time in the future and after it is sent.";
        /// Said of a copy of a send of which only the beginning of the text is kept.
        again_in_part = "前の送信から内容をコピーしました。誰にも送られなかったため、残っているのは文章の初めだけです。続きと画像・ボタンなどを入れ直してください。",
            "This is what is kept of a send that went to nobody: only the beginning of its texts. Enter the rest anew, with its pictures and buttons.";
        /// What Chrome on Windows, macOS and Android makes of picture and buttons; goes on after `preview_systems`.
        preview_extras: [&'static str; 3] = [
            "大きな画像は文章の下に、ボタンは 2 つまで表示されます。",
            "ボタンは 2 つまでで、通知にポインターを重ねると表示されます。",
            "大きな画像と 2 つまでのボタンは、広げると表示されます。",
        ], [
            " The large picture comes below the text, with at most 2 buttons.",
            " At most 2 buttons, which appear under the pointer.",
            " Expanded, it also shows the large picture and up to 2 buttons.",
        ];
    }
}
