//! Texts of lists of subscribers that are uploaded.

use hato_domain::import::{EntryError, LineFault, ListFormatError, RefusedLine};
use hato_domain::lines::{ForeignText, LineError};
use hato_domain::wire::UNSUBSCRIBED;
use hato_domain::{ErrorCode, RegistrationFault};

use crate::i18n::message;
use crate::language::Lang;

texts! {
    ImportTexts {
        title = "購読者の取り込み", "Import subscribers";
        lead = "ほかのサービスや別の Hato から書き出した購読者の一覧を取り込みます。1\u{a0}行に 1\u{a0}つの JSON か、列名のある CSV で、16 MiB まで。それより大きいものは hato import で取り込めます。",
            "Import subscribers from another service or another Hato: a file with one JSON object per line, or CSV with column names, up to 16 MiB. For larger files use hato import.";
        key_first = "購読は、作られたときの VAPID 鍵で署名した通知だけを受け取ります。先にその鍵を取り込んでください：",
            "A subscription only accepts notifications signed with the VAPID key it was created with. Import that key first:";
        keys = "VAPID 鍵", "VAPID keys";
        key = "鍵を書いていない行に使う鍵", "Key for lines without one";
        primary = "既定の鍵", "The primary key";
        list = "ファイル", "File";
        list_hint = "まず調べてから取り込みます。調べるだけでは何も保存しません。取り込むときにファイルの選択が消えていたら、同じファイルを選び直してください。",
            "Check it first; nothing is stored. To import it, choose the same file again if it is no longer chosen.";
        check = "調べる", "Check";
        import = "取り込む", "Import";
        checked: fn(String, String) -> String =
            |created, updated| format!("調べました。何も保存していません。新しい購読：{created}、登録済み：{updated}"),
            |created, updated| format!("Checked; nothing was stored. New: {created}. Already registered: {updated}.");
        imported: fn(String, String) -> String =
            |created, updated| format!("取り込みました。新しい購読：{created}、登録済み：{updated}"),
            |created, updated| format!("Imported. New: {created}. Already registered: {updated}.");
        imported_in_part: fn(String, String) -> String =
            |created, updated| format!("途中まで取り込みました。同じファイルを取り込み直せば続けられます。新しい購読：{created}、登録済み：{updated}"),
            |created, updated| format!("Imported in part; import the same file again to continue. New: {created}. Already registered: {updated}.");
        refused: fn(String) -> String =
            |count| format!("取り込めない行：{count}（初めの 100 行まで表示します）"),
            |count| format!("Lines not imported: {count} (the first 100 are shown)");
        refused_file = "取り込めない行を CSV で保存", "Save the refused lines as CSV";
        refused_file_hint = "保存すると、ファイルをもう一度調べ、取り込めない行の番号と理由を 10,000 行まで CSV にします。何も取り込みません。",
            "Saving checks the file once more, and lists the numbers of up to 10,000 refused lines with their reasons. Nothing is imported.";
        sending: fn(String) -> String =
            |percent| format!("送信しています：{percent} %"),
            |percent| format!("Sending: {percent}%");
        working = "送信しました。残りの行を処理しています。", "Sent; the last lines are being worked on.";
        not_sent = "接続が切れました。同じファイルをもう一度送れば続けられます。", "The connection was lost. Send the same file again to go on.";
        first_line: fn(&'static str, &'static str) -> String =
            |code, why| format!("1 行目：{code}：{why}"),
            |code, why| format!("Line 1: {code}: {why}");
        line = "行", "Line";
        code = "コード", "Code";
        reason = "理由", "Reason";
        compressed = "圧縮されたファイルです。展開してからお試しください。", "The file is compressed: unpack it first.";
        utf16 = "UTF-16 のファイルです。UTF-8 で保存してからお試しください。", "The file is UTF-16: save it as UTF-8.";
        unknown = "購読者の一覧ではありません。1 行に 1 つの JSON か、endpoint などの列名のある CSV にしてください。",
            "This is not a subscriber list. Use one JSON object per line, or CSV with column names such as endpoint.";
        too_large = "ファイルが 16 MiB を超えています。hato import をお使いください。", "The file is over 16 MiB: use hato import.";
        broken_off = "アップロードが途中で切れました。", "The upload was interrupted.";
        not_utf8 = "UTF-8 の文字列ではありません。", "The line is no text in UTF-8.";
        open_quote = "引用符が閉じていません。", "A quote is opened and never closed.";
        no_subscription = "購読の JSON オブジェクトではありません。", "The line is no JSON object of a subscription.";
        no_endpoint = "endpoint がありません。", "The endpoint is missing.";
        no_browser_keys = "p256dh か auth がありません。", "p256dh or auth is missing.";
        endpoint_scheme = "endpoint は https:// で始まる URL にしてください。", "The endpoint does not begin with https://.";
        endpoint = "endpoint が、このサーバーの送れる push サービスの URL ではありません。",
            "The endpoint is no URL of a push service that this server sends to.";
        p256dh = "p256dh が P-256 の公開鍵（65 バイトの base64url）ではありません。",
            "p256dh is no public key on P-256, 65 bytes as base64url.";
        auth = "auth が 16 バイトの base64url ではありません。", "auth is not 16 bytes as base64url.";
        vapid_key = "vapid_public_key が 65 バイトの base64url ではありません。",
            "vapid_public_key is not 65 bytes as base64url.";
        unknown_vapid_key = "vapid_public_key の鍵が、このアプリにありません。先にその鍵を取り込んでください。",
            "The app does not have the key of vapid_public_key: import that key first.";
        tags = "タグが正しくありません。英数字と _ . : - の 64 文字まで、50 個までです。",
            "A tag is not valid: up to 64 letters, digits and _ . : - each, and up to 50 of them.";
        too_many_tags = "すでにあるタグと合わせて 50 個を超えます。", "With the tags that are there already, there are more than 50.";
        user = "user_id が正しくありません。制御文字を含まない 128 バイトまでにしてください。",
            "user_id is not valid: up to 128 bytes without control characters.";
        language = "lang が言語タグ（ja、en-US など）ではありません。", "lang is no language tag, such as ja or en-US.";
        time_zone = "time_zone がタイムゾーンの名前（Asia/Tokyo など）ではありません。",
            "time_zone is no name of a time zone, such as Asia/Tokyo.";
        platform = "platform が正しくありません。", "platform is not valid.";
        replaces = "replaces が endpoint の URL ではありません。", "replaces is no URL of an endpoint.";
        created_at = "created_at が未来の日時か、1970 年より前です。Unix のミリ秒で書いてください。",
            "created_at is in the future or before 1970: write Unix milliseconds.";
        duplicate = "前の行に同じエンドポイントがあります。", "An earlier line has the same endpoint.";
        too_long = "行が長すぎます。", "The line is too long.";
        unsubscribed = "ここで購読を解除しています。", "Unsubscribed here.";
        unsubscribed_elsewhere = "一覧では、購読を解除した人になっています。", "Unsubscribed, as the list says.";
        export = "一覧を書き出す", "Export the list";
    }
}

impl ImportTexts {
    /// Why a line was not taken.
    pub fn reason(&self, lang: Lang, line: &RefusedLine) -> String {
        let of_code = || Some(message(lang, ErrorCode::parse(&line.code)?));
        let reason = self.line_reason(line).or_else(of_code);
        reason.map_or_else(|| line.message.clone(), str::to_owned)
    }

    /// The same; `None` for what the error table explains.
    fn line_reason(&self, line: &RefusedLine) -> Option<&'static str> {
        match line.fault {
            Some(LineFault::Entry(error)) => Some(self.entry_error(error)),
            Some(LineFault::Registration(fault)) => Some(self.registration_fault(fault)),
            None => (line.code == UNSUBSCRIBED.0).then_some(self.unsubscribed),
        }
    }

    const fn entry_error(&self, error: EntryError) -> &'static str {
        match error {
            EntryError::Line(LineError::TooLong) => self.too_long,
            EntryError::Line(LineError::NotUtf8) => self.not_utf8,
            EntryError::Line(LineError::OpenQuote) => self.open_quote,
            EntryError::NoSubscription => self.no_subscription,
            EntryError::NoEndpoint => self.no_endpoint,
            EntryError::Duplicate => self.duplicate,
            EntryError::Unsubscribed => self.unsubscribed_elsewhere,
        }
    }

    const fn registration_fault(&self, fault: RegistrationFault) -> &'static str {
        match fault {
            RegistrationFault::Unreadable => self.no_subscription,
            RegistrationFault::NoEndpoint => self.no_endpoint,
            RegistrationFault::NoBrowserKeys => self.no_browser_keys,
            RegistrationFault::EndpointScheme => self.endpoint_scheme,
            RegistrationFault::Endpoint => self.endpoint,
            RegistrationFault::P256dh => self.p256dh,
            RegistrationFault::Auth => self.auth,
            RegistrationFault::VapidKey => self.vapid_key,
            RegistrationFault::UnknownVapidKey => self.unknown_vapid_key,
            RegistrationFault::Tags => self.tags,
            RegistrationFault::TooManyTags => self.too_many_tags,
            RegistrationFault::User => self.user,
            RegistrationFault::Language => self.language,
            RegistrationFault::TimeZone => self.time_zone,
            RegistrationFault::Platform => self.platform,
            RegistrationFault::ReplacesScheme | RegistrationFault::Replaces => self.replaces,
            RegistrationFault::CreatedAt => self.created_at,
        }
    }

    /// Why a file is no list, which its first line shows.
    pub fn not_a_list(&self, error: ListFormatError) -> String {
        let why = match error {
            ListFormatError::Foreign(ForeignText::Gzip | ForeignText::Zstd) => self.compressed,
            ListFormatError::Foreign(ForeignText::Utf16) => self.utf16,
            ListFormatError::Unknown => self.unknown,
        };
        (self.first_line)(error.code(), why)
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
