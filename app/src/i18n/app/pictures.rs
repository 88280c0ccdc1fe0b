//! Texts of an app's pictures: their section in the settings, and the choice of one on the compose page.

use hato_service::PictureError;

texts! {
    PicturesTexts {
        title = "アイコンとバッジの画像", "Pictures for icons and badges";
        lead = "アップロードした画像は、通知を書くページで選べます。API から使うときは、アドレスを icon や badge に指定します。",
            "Choose from these when you write a notification, or give their address as icon or badge in the API.";
        insecure = "このサーバーのアドレスが https:// で始まらないため、ブラウザはここの画像を読み込みません。通知には使えません。",
            "The address of this server does not start with https://, so browsers will not load these pictures, and notifications cannot use them.";
        file = "画像ファイル", "Picture";
        file_hint = "PNG・JPEG・WebP、256 KB まで、1 アプリに 200 枚まで。縦横 256 ピクセル以内の PNG にして保存します。",
            "PNG, JPEG or WebP of up to 256 KB, at most 200 per app. It is saved as a PNG of up to 256 by 256 pixels.";
        upload = "アップロード", "Upload";
        uploaded = "画像を保存しました。", "Picture saved.";
        deleted = "画像を削除しました。すでに読み込んだブラウザには、しばらく表示されることがあります。",
            "Picture deleted. Browsers that have loaded it may show it for a while.";
        made_icon = "アプリのアイコンにしました。新しい通知では、このアイコンが初めから選ばれています。",
            "This is now the app's icon. New notifications start with it.";
        is_icon = "アプリのアイコン", "App icon";
        make_icon = "アイコンにする", "Make it the icon";
        delete = "削除", "Delete";
        none = "画像はまだありません。", "There are no pictures yet.";
        /// What a picture is called that has no name of its own: its number.
        numbered: fn(usize) -> String = |number| format!("画像 {number}"),
            |number| format!("Picture {number}");
        too_large = "ファイルが 256 KB を超えています。", "The file is over 256 KB.";
        not_a_picture = "PNG・JPEG・WebP の画像として読めません。", "That is not a PNG, JPEG or WebP picture.";
        too_many_pixels = "画像が大きすぎます。縦横それぞれ 2,048 ピクセル以内にしてください。",
            "The picture is too large: at most 2,048 pixels on each side.";
        too_many = "画像は 1 アプリに 200 枚までです。使わないものを削除してください。",
            "An app can have at most 200 pictures. Delete those you do not use.";
        icon_choice = "アップロードした画像をアイコンにする", "Use an uploaded picture as the icon";
        badge_choice = "アップロードした画像をバッジにする", "Use an uploaded picture as the badge";
        by_url = "使わない（下の URL を使う）", "None: use the URL below";
    }
}

impl PicturesTexts {
    /// Why a picture was not kept; `None` for what the error table explains.
    pub const fn refusal(&self, error: &PictureError) -> Option<&'static str> {
        match error {
            PictureError::TooLarge => Some(self.too_large),
            PictureError::NotAPicture => Some(self.not_a_picture),
            PictureError::TooManyPixels => Some(self.too_many_pixels),
            PictureError::TooMany => Some(self.too_many),
            PictureError::Service(_) => None,
        }
    }
}
