//! Texts of lists of subscribers that are uploaded.

use hato_domain::ErrorCode;
use hato_domain::import::NotAList;
use hato_domain::lines::ForeignText;
use hato_domain::wire::UNSUBSCRIBED;

texts! {
    ImportTexts {
        title = "購読者の取り込み", "Import subscribers";
        lead = "ほかのサービスや別の Hato から書き出した購読者の一覧を取り込みます。一行に一つの JSON か、列名のある CSV で、16 MiB まで。それより大きいものは hato import で取り込めます。",
            "Take over subscribers from another service or another Hato: a file with one JSON object a line, or CSV with column names, up to 16 MiB. Larger ones go with hato import.";
        key_first = "購読は、作られたときの VAPID 鍵で署名した通知だけを受け取ります。先にその鍵を取り込んでください：",
            "A subscription takes only what the VAPID key signs that it was made with. Import that key first:";
        keys = "VAPID 鍵", "VAPID keys";
        key = "鍵を書いていない行に使う鍵", "Key for lines that name none";
        primary = "主たる鍵", "The primary one";
        list = "ファイル", "File";
        list_hint = "まず調べてから取り込みます。調べるだけでは何も保存しません。取り込むときは、同じファイルをもう一度選んでください。",
            "Check it first, which stores nothing. To import it then, choose the same file again.";
        check = "調べる", "Check";
        import = "取り込む", "Import";
        checked: fn(String, String) -> String =
            |created, updated| format!("調べました。何も保存していません。新しい購読：{created}、登録済み：{updated}"),
            |created, updated| format!("Checked, and nothing is stored. New: {created}. Known: {updated}.");
        imported: fn(String, String) -> String =
            |created, updated| format!("取り込みました。新しい購読：{created}、登録済み：{updated}"),
            |created, updated| format!("Imported. New: {created}. Known: {updated}.");
        imported_in_part: fn(String, String) -> String =
            |created, updated| format!("途中まで取り込みました。同じファイルを取り込み直せば続けられます。新しい購読：{created}、登録済み：{updated}"),
            |created, updated| format!("Imported in part; import the same file again to go on. New: {created}. Known: {updated}.");
        refused: fn(String) -> String =
            |count| format!("取り込めない行：{count}（初めの 100 行まで示します）"),
            |count| format!("Lines that are not taken: {count}, of which the first 100 are shown");
        line = "行", "Line";
        code = "コード", "Code";
        reason = "理由", "Reason";
        compressed = "圧縮されたファイルです。展開してからお試しください。", "The file is compressed: unpack it first.";
        utf16 = "UTF-16 のファイルです。UTF-8 で保存してからお試しください。", "The file is UTF-16: save it as UTF-8.";
        unknown = "購読者の一覧ではありません。一行に一つの JSON か、endpoint などの列名のある CSV にしてください。",
            "This is no list of subscribers: write one JSON object a line, or CSV with column names such as endpoint.";
        too_large = "ファイルが 16 MiB を超えています。hato import をお使いください。", "The file is over 16 MiB: use hato import.";
        broken_off = "ファイルを最後まで受け取れませんでした。", "The file did not arrive as a whole.";
        invalid_line = "行が読めないか、鍵やタグなどの値が正しくありません。", "The line cannot be read, or a value such as a key or a tag is not valid.";
        missing = "エンドポイントか鍵がありません。", "The endpoint or a key is missing.";
        duplicate = "前の行に同じエンドポイントがあります。", "An earlier line has the same endpoint.";
        too_long = "行が長すぎます。", "The line is too long.";
        unsubscribed = "ここで購読を解除しています。", "Unsubscribed here.";
        export = "一覧を書き出す", "Export the list";
    }
}

impl ImportTexts {
    /// Why a line was not taken; `None` for what the error table explains.
    pub fn line_reason(&self, code: &str) -> Option<&'static str> {
        match code {
            "INVALID_INPUT" => Some(self.invalid_line),
            "MISSING_FIELDS" => Some(self.missing),
            "DUPLICATE" => Some(self.duplicate),
            "LINE_TOO_LONG" => Some(self.too_long),
            code if code == UNSUBSCRIBED.0 => Some(self.unsubscribed),
            _ => None,
        }
    }

    /// Why a file is no list.
    pub const fn not_a_list(&self, error: NotAList) -> &'static str {
        match error {
            NotAList::Foreign(ForeignText::Gzip | ForeignText::Zstd) => self.compressed,
            NotAList::Foreign(ForeignText::Utf16) => self.utf16,
            NotAList::Unknown => self.unknown,
        }
    }

    /// Why a form was not read to its end; `None` for what the error table explains.
    pub const fn refusal(&self, code: ErrorCode) -> Option<&'static str> {
        match code {
            ErrorCode::PayloadTooLarge => Some(self.too_large),
            ErrorCode::InvalidInput => Some(self.broken_off),
            _ => None,
        }
    }
}
