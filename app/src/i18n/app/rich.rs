//! Texts of what a notification has beyond title, text and links.

texts! {
    RichTexts {
        summary = "画像・ボタン・その他", "Picture, buttons, and more";
        note = "表示できないブラウザでは、その項目だけが省かれます。ボタンは Chrome と Firefox 152 以降、画像・バッジ・鳴らし直しは Chrome、「操作するまで消さない」は Chrome と Windows の Firefox で働きます。Safari ではアイコンと差し替え用の名前も省かれます。",
            "A browser leaves out what it cannot show: buttons need Chrome or Firefox 152; picture, badge and alerting again need Chrome; staying until clicked needs Chrome, or Firefox on Windows. Safari ignores the icon and the name for replacing as well.";
        image = "画像の URL", "URL of the picture";
        https = "本文の下に大きく表示されます。https:// のみ（任意）", "Shown large below the text. https:// only (optional)";
        button_1 = "ボタン 1 の文字", "Text of button 1";
        button_1_url = "ボタン 1 のリンク先", "Link of button 1";
        button_1_icon = "ボタン 1 のアイコンの URL", "URL of the icon of button 1";
        button_2 = "ボタン 2 の文字", "Text of button 2";
        button_2_url = "ボタン 2 のリンク先", "Link of button 2";
        button_2_icon = "ボタン 2 のアイコンの URL", "URL of the icon of button 2";
        button_3 = "ボタン 3 の文字", "Text of button 3";
        button_3_url = "ボタン 3 のリンク先", "Link of button 3";
        button_3_icon = "ボタン 3 のアイコンの URL", "URL of the icon of button 3";
        button_hint = "空なら、このボタンは表示されません（任意）", "Leave empty for no button (optional)";
        button_3_hint = "Chrome など、ボタンを 2 つまでしか表示しないブラウザでは省かれます（任意）",
            "Left out by browsers that show two buttons at most, such as Chrome (optional)";
        button_icon_hint = "ボタンの文字の横に表示されます。https:// のみ（任意）",
            "Shown beside the button's text. https:// only (optional)";
        button_url_hint = "空なら通知のリンク先を開きます。https:// のみ（任意）",
            "Opens the notification's link when empty. https:// only (optional)";
        tag = "差し替え用の名前", "Name for replacing";
        tag_hint = "同じ名前の新しい通知が、画面に残っている前の通知と入れ替わります。64 文字まで（任意）",
            "A newer notification with this name replaces the one still on the screen. At most 64 characters (optional)";
        renotify = "入れ替わるときも、もう一度音を鳴らす", "Alert again when it replaces another";
        require_interaction = "操作するまで消さない", "Stay until clicked or dismissed";
        silent = "音と振動なしで表示する", "Show without sound or vibration";
        timestamp = "出来事の日時", "When it happened";
        lang = "文章の言語", "Language of the texts";
        lang_hint = "ja や en-GB など（任意）", "Such as ja or en-GB (optional)";
        dir = "文字の向き", "Direction of the texts";
        dir_none = "指定しない", "Not set";
        dir_auto = "文字に合わせる", "By the first letters";
        dir_ltr = "左から右", "Left to right";
        dir_rtl = "右から左", "Right to left";
        app_badge = "アプリのアイコンに表示する数", "Number on the app's icon";
        app_badge_hint = "0 で消します（任意）", "0 clears it (optional)";
        data = "サイトのスクリプトに渡すデータ", "Data for the site's scripts";
        data_hint = "JSON のオブジェクト、1,024 バイトまで（任意）",
            "A JSON object, at most 1,024 bytes (optional)";
        yes = "はい", "Yes";
        refused = "画像・ボタン・その他の項目を確かめてください。文字のないボタンは作れません。鳴らし直しには名前が必要で、音なしとは一緒に使えません。データは JSON のオブジェクトで 1,024 バイトまでです。",
            "Check the picture, the buttons and the rest: a button needs a text; alerting again needs a name and cannot be silent; data is a JSON object of at most 1,024 bytes.";
        wrong_button = "ボタンの文字を入力してください。", "Give the button a text.";
        wrong_tag = "64 文字までの名前を入力してください。音を鳴らし直すには必要です。",
            "Enter a name of up to 64 characters: alerting again needs one.";
        wrong_silent = "鳴らし直しとは一緒に使えません。", "It cannot be silent and alert again.";
        wrong_timestamp = "1970 年からの日時を入力してください。", "Enter a time from 1970 on.";
        wrong_lang = "ja や en-GB のような言語タグを入力してください。", "Enter a language tag, such as ja or en-GB.";
        wrong_data = "JSON のオブジェクトを 1,024 バイトまでで入力してください。", "Enter a JSON object of at most 1,024 bytes.";
    }
}
