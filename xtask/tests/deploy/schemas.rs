//! The files of Docker Compose and Kubernetes.

use super::{assert_success, files, read, root, verifier, yaml};

#[test]
fn the_compose_files_follow_their_schema() {
    let mut check = verifier("check-jsonschema");
    check.args(["--builtin-schema", "vendor.compose-spec"]);
    let output = check.args(files("deploy", ".yaml")).output();
    assert_success(&output.expect("it runs"));
}

#[test]
fn the_compose_files_name_what_is_there() {
    for path in files("deploy", ".yaml") {
        let compose = yaml(&path);
        let services = compose["services"].as_object().expect("services");
        for (name, service) in services {
            if let Some(dockerfile) = service["build"]["dockerfile"].as_str() {
                assert!(root().join(dockerfile).is_file(), "{name}: {dockerfile}");
            }
            let volumes = service["volumes"].as_array().into_iter().flatten();
            let sources = volumes.filter_map(|it| it.as_str()?.split(':').next());
            for source in sources.filter(|it| it.starts_with("./")) {
                let file = root().join("deploy").join(source);
                assert!(file.is_file(), "{name}: {source}");
            }
        }
    }
}

/// Docker keeps every line of a log unless it is told otherwise, on the disk that the databases are on.
#[test]
fn no_log_of_a_container_fills_the_disk() {
    for path in files("deploy", ".yaml") {
        for (name, service) in yaml(&path)["services"].as_object().expect("services") {
            let options = &service["logging"]["options"];
            let bounds = [&options["max-size"], &options["max-file"]];
            assert!(bounds.iter().all(|it| it.is_string()), "{name}: {options}");
        }
    }
}

#[test]
fn the_first_command_makes_the_image_that_the_next_ones_run() {
    let text = read("deploy/compose.fleet.yaml");
    let comments = text.lines().filter_map(|line| line.strip_prefix("#   "));
    let mut commands = comments.filter(|it| it.starts_with("docker "));
    let build = "docker build -f deploy/Dockerfile -t hato .";
    assert_eq!(commands.next(), Some(build), "{text}");
    let made = commands.next();
    assert!(made.is_some_and(|it| it.starts_with("docker run --rm hato ")));
}

#[test]
fn the_manifests_follow_the_schemas_of_kubernetes() {
    let mut validate = verifier("kubernetes-validate");
    let validate = validate
        .arg("--strict")
        .args(files("deploy/kubernetes", ".yaml"));
    assert_success(&validate.output().expect("it runs"));
}

/// How many containers a manifest has run the image.
fn containers(manifest: &str) -> usize {
    manifest.matches("- name: hato\n          image:").count()
}

/// Migrating a large database takes longer than a process that is stuck is left alone for.
#[test]
fn a_container_that_starts_has_time_before_it_is_asked_whether_it_lives() {
    for path in files("deploy/kubernetes", ".yaml") {
        let text = std::fs::read_to_string(&path).expect("a manifest");
        let startup = "startupProbe:
            httpGet: {path: /healthz, port: http}
            periodSeconds: 5
            failureThreshold: 17280
          livenessProbe:";
        let count = text.matches(startup).count();
        assert_eq!(count, containers(&text), "{}", path.display());
    }
}

#[test]
fn containers_are_run_by_the_images_user_on_a_file_system_that_is_read_only() {
    let image = read("deploy/Dockerfile");
    assert!(image.contains("\nUSER 65532:65532\n"), "{image}");
    for path in files("deploy/kubernetes", ".yaml") {
        let text = std::fs::read_to_string(&path).expect("a manifest");
        let containers = containers(&text);
        assert!(containers > 0, "{}", path.display());
        for setting in [
            "runAsNonRoot: true",
            "runAsUser: 65532",
            "readOnlyRootFilesystem: true",
            "capabilities: {drop: [ALL]}",
        ] {
            let count = text.matches(setting).count();
            assert_eq!(count, containers, "{setting} in {}", path.display());
        }
    }
}
