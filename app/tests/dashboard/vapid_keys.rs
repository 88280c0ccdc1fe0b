//! The page of an app's VAPID keys, with scripts off.

use hato_domain::ErrorCode;
use hato_testkit::{TestDatabase, on_each_database};

use crate::harness::{OWNER, PASSWORD, TestDashboard, id};

const PRIVATE: &str = "hoJBPPBuAxchRE-9HlTEBl_qUK7kZuP_X7WF_fE2I44";
const PUBLIC: &str =
    "BOE2goHZF-IS08XYN7y9wWfCqo1Z68zaCaVWBQn4DloX-AU2580Ws3Q8WlNzkclSNPpVTV0WATfclTpWoiN6uco";

#[on_each_database]
async fn a_key_is_imported_made_primary_exported_and_the_other_deleted(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("loft").await;
    let page = format!("{app}/keys/vapid");
    browser
        .get(&format!("{app}/keys"))
        .await
        .shows(&format!("href=\"{page}\""));
    let shown = browser.get(&page).await;
    shown.shows("既定の鍵").hides("/_app/delete_vapid_key");

    let of_app = ("app", id(&app));
    let nonsense = [of_app, ("private_key", "nonsense")];
    let refused = browser.submit("/_app/import_vapid_key", &nonsense).await;
    refused.shows(ErrorCode::InvalidInput.message());
    let refused = browser
        .submit("/_app/import_vapid_key", &[of_app, ("private_key", "")])
        .await;
    refused.shows(ErrorCode::InvalidInput.message());
    let imported = browser
        .submit(
            "/_app/import_vapid_key",
            &[of_app, ("private_key", PRIVATE)],
        )
        .await;
    imported
        .shows("鍵を追加しました")
        .shows(PUBLIC)
        .hides(PRIVATE);
    let key = imported
        .between("name=\"key\" value=\"", "\"")
        .expect("the first key's id");
    let imported_key = imported
        .between("/_app/make_vapid_key_primary", "</form>")
        .and_then(|form| form.split("name=\"key\" value=\"").nth(1))
        .and_then(|rest| rest.split('"').next())
        .expect("the imported key's id");
    assert_ne!(key, imported_key);

    let fields = [of_app, ("key", imported_key)];
    let changed = browser
        .submit("/_app/make_vapid_key_primary", &fields)
        .await;
    changed.shows("既定の鍵を変更しました");
    let refused = browser.submit("/_app/delete_vapid_key", &fields).await;
    refused.shows(ErrorCode::KeyInUse.message());

    let guess = [of_app, ("key", imported_key), ("confirmation", "a guess")];
    let refused = browser.submit("/_app/export_vapid_key", &guess).await;
    refused
        .shows(ErrorCode::InvalidCredentials.message())
        .hides(PRIVATE);
    let field = format!("id=\"change-{imported_key}-confirmation\"");
    let field = refused.between(&field, ">").expect("a field");
    assert!(field.contains("aria-invalid=\"true\""), "{field}");
    assert_eq!(refused.body.matches("aria-invalid=\"true\"").count(), 1);
    let open = refused.body.matches("name=\"question\" open").count();
    assert_eq!(open, 1);
    refused.shows(&format!(
        "aria-controls=\"change-{imported_key}-confirmation\""
    ));
    let confirmed = [of_app, ("key", imported_key), ("confirmation", PASSWORD)];
    let exported = browser.submit("/_app/export_vapid_key", &confirmed).await;
    exported.shows(PRIVATE).shows("-----BEGIN PRIVATE KEY-----");
    browser.get(&page).await.hides(PRIVATE);

    let deleted = browser
        .submit("/_app/delete_vapid_key", &[of_app, ("key", key)])
        .await;
    deleted.shows("鍵を削除しました").shows(PUBLIC);
    browser
        .get(&format!("{app}/keys/history"))
        .await
        .shows("VAPID 鍵を書き出し");
    let made = browser.submit("/_app/add_vapid_key", &[of_app]).await;
    made.shows("鍵を追加しました");
}
