//! Icons and badges: uploaded in the settings of an app, chosen for a notification, with scripts off.

use std::io::Cursor;

use hato_testkit::{TestDatabase, on_each_database};
use image::{DynamicImage, ImageFormat, Rgba, RgbaImage};

use crate::harness::{DashboardBrowser, OWNER, PageResponse, TestDashboard, id};

const STRANGER: &str = "stranger@example.com";

/// A picture of one colour, which no other number has.
fn picture(number: u8, width: u32, height: u32) -> DynamicImage {
    RgbaImage::from_pixel(width, height, Rgba([number, 77, 0, 128])).into()
}

fn encoded(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    picture.write_to(&mut file, format).expect("encoded");
    file.into_inner()
}

fn png(number: u8) -> Vec<u8> {
    encoded(&picture(number, 2, 2), ImageFormat::Png)
}

async fn upload(browser: &mut DashboardBrowser<'_>, app: &str, file: &[u8]) -> PageResponse {
    let path = format!("{app}/settings");
    browser.upload_file(&path, "picture", file).await
}

/// Uploads a picture that is kept; its name.
async fn keep(browser: &mut DashboardBrowser<'_>, app: &str, file: &[u8]) -> String {
    let before = names(browser, app).await;
    let kept = upload(browser, app, file).await.location();
    assert!(kept.ends_with("/settings?done=picture#pictures"), "{kept}");
    browser.get(&kept).await.shows("画像を保存しました。");
    let mut after = names(browser, app).await;
    after.retain(|name| !before.contains(name));
    assert_eq!(after.len(), 1, "one more than {before:?}");
    after.remove(0)
}

/// The names of the app's pictures.
async fn names(browser: &mut DashboardBrowser<'_>, app: &str) -> Vec<String> {
    let page = browser.get(&format!("{app}/settings")).await;
    let parts = page.body.split("src=\"/media/").skip(1);
    let name = |part: &str| part.split('"').next().expect("a name").to_owned();
    parts.map(name).collect()
}

#[on_each_database]
async fn a_picture_is_kept_as_a_png_of_its_pixels_alone(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("loft").await;
    let opaque = DynamicImage::from(picture(9, 600, 300).into_rgb8());
    let mut with_html = encoded(&opaque, ImageFormat::Jpeg);
    with_html.extend_from_slice(b"<script>alert(1)</script>");
    for (file, size) in [
        (encoded(&picture(1, 256, 256), ImageFormat::Png), (256, 256)),
        (encoded(&picture(2, 3, 1_024), ImageFormat::WebP), (1, 256)),
        (
            encoded(&picture(3, 2_048, 2_048), ImageFormat::Png),
            (256, 256),
        ),
        (with_html, (256, 128)),
    ] {
        let name = keep(&mut browser, &app, &file).await;
        let kept = dashboard.context.service.picture(&name).await;
        let kept = kept.expect("kept");
        let is_ours = !kept.windows(7).any(|bytes| bytes == b"<script");
        assert!(is_ours && kept.len() <= 256 * 1024);
        let decoded = image::load_from_memory_with_format(&kept, ImageFormat::Png);
        let decoded = decoded.expect("a PNG");
        assert_eq!((decoded.width(), decoded.height()), size);
    }
    let before = names(&mut browser, &app).await;
    let again = encoded(&picture(1, 256, 256), ImageFormat::Png);
    upload(&mut browser, &app, &again).await.location();
    assert_eq!(names(&mut browser, &app).await, before, "kept once");
}

#[on_each_database]
async fn what_is_no_picture_or_too_large_is_not_kept(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("loft").await;
    let bomb = encoded(&picture(1, 2_049, 2_048), ImageFormat::Png);
    assert!(bomb.len() < 256 * 1024);
    let deep = DynamicImage::from(picture(1, 2_048, 2_048).into_rgba16());
    let mut noise = encoded(&picture(1, 2, 2), ImageFormat::Png);
    noise.resize(256 * 1024 + 1, 7);
    let mut huge = noise.clone();
    huge.resize(4 * 1024 * 1024, 7);
    let whole = encoded(&picture(1, 64, 64), ImageFormat::Png);
    let not_a_picture = "画像として読めません";
    for (file, status, says) in [
        (
            &b"<html><script>alert(1)</script></html>"[..],
            400,
            not_a_picture,
        ),
        (b"GIF89a\x01\x00\x01\x00\x00\x00\x00;", 400, not_a_picture),
        (
            b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>",
            400,
            not_a_picture,
        ),
        (b"", 400, not_a_picture),
        (&whole[..whole.len() / 2], 400, not_a_picture),
        (&bomb, 413, "2,048 ピクセル以内"),
        (&encoded(&deep, ImageFormat::Png), 413, "2,048 ピクセル以内"),
        (&noise, 413, "256 KB を超えています"),
        (&huge, 413, "256 KB を超えています"),
    ] {
        let refused = upload(&mut browser, &app, file).await;
        assert_eq!(refused.status.as_u16(), status, "{says}");
        refused.shows(says).hides("/media/");
    }
    let path = format!("{app}/settings");
    let empty = browser.upload_file(&path, "another", &png(1)).await;
    assert_eq!(empty.status.as_u16(), 400);
    assert_eq!(names(&mut browser, &app).await, Vec::<String>::new());
}

#[on_each_database]
async fn an_app_has_two_hundred_pictures(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("loft").await;
    for number in 0..200 {
        upload(&mut browser, &app, &png(number)).await.location();
    }
    let refused = upload(&mut browser, &app, &png(200)).await;
    assert_eq!(refused.status.as_u16(), 400);
    refused.shows("1 アプリに 200 枚まで");
    // One that is there already takes no room.
    upload(&mut browser, &app, &png(7)).await.location();
    let all = names(&mut browser, &app).await;
    assert_eq!(all.len(), 200);
    let fields = [("app", id(&app)), ("picture", &*all[0])];
    let gone = browser.submit("/_app/delete_picture", &fields).await;
    gone.shows("画像を削除しました。").hides(&all[0]);
    assert!(dashboard.context.service.picture(&all[0]).await.is_err());
    keep(&mut browser, &app, &png(200)).await;
}

#[on_each_database]
async fn nobody_touches_the_pictures_of_another_app(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut owner = dashboard.logged_in(OWNER).await;
    let app = owner.create_app("loft").await;
    let name = keep(&mut owner, &app, &png(1)).await;
    let mut stranger = dashboard.logged_in(STRANGER).await;
    let own = stranger.create_app("nest").await;
    let refused = upload(&mut stranger, &app, &png(2)).await;
    assert_eq!(refused.status.as_u16(), 404);
    for (form, app) in [
        ("make_icon", &app),
        ("make_icon", &own),
        ("delete_picture", &app),
        ("delete_picture", &own),
    ] {
        let fields = [("app", id(app)), ("picture", &*name)];
        let refused = stranger.call(form, &fields).await;
        assert_eq!(refused.status.as_u16(), 404, "{form} {app}");
    }
    // The same picture is another one there.
    let same = keep(&mut stranger, &own, &png(1)).await;
    assert_ne!(same, name);
    let fields = [("app", id(&own)), ("picture", &*same)];
    stranger.submit("/_app/delete_picture", &fields).await;
    assert_eq!(names(&mut owner, &app).await, std::slice::from_ref(&name));
    let fields = [("app", id(&app)), ("name", "loft")];
    owner.post("/_app/delete_app", &fields).await.location();
    assert!(dashboard.context.service.picture(&name).await.is_err());
}

#[on_each_database]
async fn a_notification_has_the_pictures_that_were_chosen(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("loft").await;
    let path = format!("{app}/send");
    browser.get(&path).await.hides("icon_choice");
    let first = keep(&mut browser, &app, &png(1)).await;
    let second = keep(&mut browser, &app, &png(2)).await;
    let url = |name: &str| format!("https://hato.example/media/{name}");
    let chosen =
        |field: &str, name: &str| format!("name=\"{field}_choice\" value=\"{name}\" checked");
    browser.get(&path).await.shows(&chosen("icon", ""));
    for name in [&first, &second] {
        let fields = [("app", id(&app)), ("picture", &**name)];
        let made = browser.submit("/_app/make_icon", &fields).await;
        made.shows("アプリのアイコンにしました");
        let form = browser.get(&path).await;
        form.shows(&chosen("icon", &url(name)))
            .shows(&chosen("badge", ""));
    }
    let draft = [
        ("title", "便り"),
        ("body", "本文"),
        ("icon", "https://icons.example/typed.png"),
        ("icon_choice", &url(&first)),
        ("badge", "https://icons.example/badge.png"),
        ("badge_choice", ""),
    ];
    let posted = |step| [&draft[..], &[("step", step)]].concat();
    let question = browser.post(&path, &posted("review")).await;
    question
        .shows(&format!("name=\"icon\" hidden>{}<", url(&first)))
        .shows("name=\"badge\" hidden>https://icons.example/badge.png<");
    let form = browser.post(&path, &posted("edit")).await;
    form.shows(&chosen("icon", &url(&first)))
        .shows("value=\"https://icons.example/badge.png\"")
        .hides("typed.png");
}

#[tokio::test]
async fn without_https_both_pages_say_why_no_picture_is_chosen() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let dashboard = dashboard.at("http://localhost:8080");
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("loft").await;
    let says = "https:// で始まらないため";
    keep(&mut browser, &app, &png(1)).await;
    browser.get(&format!("{app}/settings")).await.shows(says);
    let form = browser.get(&format!("{app}/send")).await;
    form.shows(says).hides("icon_choice");
}

#[on_each_database]
async fn a_picture_is_uploaded_beside_a_draft_which_stays(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("loft").await;
    let path = format!("{app}/send");
    let draft = [
        ("title", "便り"),
        ("body", "一行目\r\n二行目"),
        ("tags", "news"),
    ];
    let mut large = png(1);
    large.resize(4 * 1024 * 1024, 7);
    for (file, status, says) in [
        (&b"no picture"[..], 400, "画像として読めません"),
        (&large, 413, "256 KB を超えています"),
        (&png(1), 200, "画像を保存しました。"),
    ] {
        let page = browser.upload_with(&path, &draft, ("picture", file)).await;
        assert_eq!(page.status.as_u16(), status, "{says}");
        page.shows(says)
            .shows("value=\"便り\"")
            .shows("一行目\r\n二行目</textarea>")
            .shows("value=\"news\"");
        assert_eq!(page.body.contains("name=\"icon_choice\""), status == 200);
    }
    assert_eq!(names(&mut browser, &app).await.len(), 1);
    // Whose session is over keeps the draft as well, and uploads nothing.
    let mut nobody = dashboard.browser();
    let page = nobody
        .upload_with(&path, &draft, ("picture", &png(2)))
        .await;
    assert_eq!(page.status.as_u16(), 401);
    page.shows("value=\"便り\"");
    let mut stranger = dashboard.logged_in(STRANGER).await;
    let refused = stranger
        .upload_with(&path, &draft, ("picture", &png(2)))
        .await;
    assert_eq!(refused.status.as_u16(), 404);
    assert_eq!(names(&mut browser, &app).await.len(), 1);
}
