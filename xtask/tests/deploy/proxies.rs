//! The configurations of Caddy and nginx, and of the guide.

use std::fs;

use tempfile::TempDir;

use super::{assert_success, files, proxy, read};

#[test]
fn caddy_takes_its_files() {
    for file in files("deploy/caddy", "Caddyfile") {
        let home = TempDir::new().expect("a folder");
        let mut caddy = proxy("caddy");
        caddy.args(["validate", "--adapter", "caddyfile", "--config"]);
        caddy.arg(file).env("HATO_DOMAIN", "push.example.com");
        caddy.envs(["XDG_CONFIG_HOME", "XDG_DATA_HOME"].map(|it| (it, home.path())));
        assert_success(&caddy.output().expect("it runs"));
    }
}

#[test]
fn nginx_takes_its_file() {
    let folder = TempDir::new().expect("a folder");
    let folder = folder.path();
    let certificate = rcgen::generate_simple_self_signed(["push.example.com".to_owned()]);
    let certificate = certificate.expect("a certificate");
    let keys = certificate.signing_key.serialize_pem();
    fs::write(folder.join("privkey.pem"), keys).expect("a file");
    fs::write(folder.join("fullchain.pem"), certificate.cert.pem()).expect("a file");
    let here = folder.display().to_string();
    // Ports below 1,024 are root's.
    let site = read("deploy/nginx/hato.conf")
        .replace("/etc/letsencrypt/live/push.example.com", &here)
        .replace(":80;", ":58080;")
        .replace("listen 80;", "listen 58080;")
        .replace(":443 ", ":58443 ")
        .replace("listen 443 ", "listen 58443 ");
    let configuration = format!(
        "pid {here}/nginx.pid;\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n\
         client_body_temp_path {here}/body;\nproxy_temp_path {here}/proxy;\n\
         fastcgi_temp_path {here}/fastcgi;\nuwsgi_temp_path {here}/uwsgi;\n\
         scgi_temp_path {here}/scgi;\n{site}}}\n"
    );
    let file = folder.join("nginx.conf");
    fs::write(&file, configuration).expect("a file");
    let mut nginx = proxy("nginx");
    nginx.args(["-t", "-e", "stderr", "-p"]).arg(folder);
    let output = nginx.arg("-c").arg(&file).output();
    assert_success(&output.expect("it runs"));
}

#[test]
fn the_guide_shows_the_files_as_they_are() {
    for (guide, file) in [
        ("docs/DEPLOY.md", "deploy/systemd/hato.service"),
        ("docs/DEPLOY.md", "deploy/caddy/Caddyfile"),
        ("docs/FLEET.md", "deploy/caddy/fleet.Caddyfile"),
    ] {
        let (guide, text) = (read(guide), read(file));
        assert!(guide.contains(&format!("\n{text}```")), "{file}");
    }
}
