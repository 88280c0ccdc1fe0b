//! Every variable of CONTRACT 1 and 18: its flag, its default as the help tells it, and values that it takes and does not.

#[derive(Clone, Copy)]
pub struct EnvVariable {
    pub name: &'static str,
    pub flag: &'static str,
    pub default: &'static str,
    pub good: &'static [&'static str],
    pub bad: &'static [&'static str],
}

macro_rules! table {
    ($($name:ident $flag:literal $default:literal $good:expr, $bad:expr;)*) => {
        [$(EnvVariable {
            name: stringify!($name),
            flag: $flag,
            default: $default,
            good: &$good,
            bad: &$bad,
        }),*]
    };
}

const HEX: &str = "0123456789abcdef0123456789ABCDEF0123456789abcdef0123456789abcdef";
const TWENTY_ONE: &str = "1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s";

#[rustfmt::skip]
pub const ALL: [EnvVariable; 44] = table! {
    HATO_LISTEN "--listen" "127.0.0.1:3000" ["[::1]:0"], ["3000", "localhost", "127.0.0.1:65536"];
    HATO_BASE_URL "--base-url" "http://localhost:3000" ["https://push.example.com"], ["push.example.com", "https://push.example.com/path", "ftp://push.example.com"];
    HATO_DATA_DIR "--data-dir" "./data" [], ["/tmp/a?b"];
    HATO_DATABASE_URL "--database-url" "hato.db in the data folder" [], ["mysql://localhost/hato", "postgres:hato", "hato.db", "sqlite:", "sqlite::memory:", "sqlite:a.db?mode=ro"];
    HATO_DATABASE_CONNECTIONS "--database-connections" "16" ["2", "10000"], ["1", "10001", "+5", "many"];
    HATO_DATABASE_ACQUIRE_TIMEOUT "--database-acquire-timeout" "10s" ["100ms"], ["99ms", "25h", "10"];
    HATO_DATABASE_STATEMENT_TIMEOUT "--database-statement-timeout" "30s" ["24h"], ["0s", "25h", "30"];
    HATO_DATABASE_LOCK_TIMEOUT "--database-lock-timeout" "10s" ["1s"], ["0s", "25h", "10"];
    HATO_DATABASE_LISTEN "--database-listen" "true" ["true", "false"], ["yes", "1"];
    HATO_DATABASE_PREPARED_STATEMENTS "--database-prepared-statements" "true" ["true", "false"], ["off", "0"];
    HATO_DATABASE_MIGRATE "--database-migrate" "true" ["true", "false"], ["wait", "0"];
    HATO_ROLE "--role" "all" ["all", "api", "worker"], ["none", "ALL", "all,api"];
    HATO_PEPPER "--pepper" "" [HEX], ["short", "zz"];
    HATO_ENCRYPTION_KEY "--encryption-key" "" [HEX], ["zz"];
    HATO_PREVIOUS_PEPPER "--previous-pepper" "" [HEX], ["short"];
    HATO_PREVIOUS_ENCRYPTION_KEY "--previous-encryption-key" "" [HEX], ["0x00"];
    HATO_GENERATE_SECRETS "--generate-secrets" "true" ["true", "false"], ["yes", "1"];
    HATO_VAPID_SUBJECT "--vapid-subject" "the base address if https, else mailto:admin@example.com" ["mailto:a@example.com", "https://example.com"], ["admin@example.com", "mailto:admin", "http://example.com"];
    HATO_DEFAULT_PLAN "--default-plan" "free" ["free", "pro"], ["gold", "Free"];
    HATO_REGISTRATION "--registration" "open" ["open", "closed"], ["maybe", "true"];
    HATO_PRICING_URL "--pricing-url" "/pricing of the base address" ["https://example.com/plans?x=1"], ["pricing", "mailto:a@example.com"];
    HATO_GITHUB_CLIENT_ID "--github-client-id" "" ["Iv1.0"], ["an id"];
    HATO_GITHUB_CLIENT_SECRET "--github-client-secret" "" ["0123"], ["a secret"];
    HATO_GITHUB_AUTHORIZE_URL "--github-authorize-url" "https://github.com/login/oauth/authorize" ["http://ghe.example/authorize"], ["ghe.example", "ftp://ghe.example/"];
    HATO_GITHUB_TOKEN_URL "--github-token-url" "https://github.com/login/oauth/access_token" ["http://ghe.example/token"], ["ghe.example", "https://"];
    HATO_GITHUB_API_URL "--github-api-url" "https://api.github.com" ["http://ghe.example/api/v3/"], ["/api/v3"];
    HATO_TRUSTED_PROXIES "--trusted-proxies" "" ["10.0.0.0/8, ::1/128", "192.0.2.1"], ["10.0.0.0/33", "proxy"];
    HATO_REGISTRATIONS_PER_MINUTE "--registrations-per-minute" "300" ["0", "1"], ["many", "-1", "+1", "1.5", "4294967296"];
    HATO_SENDS_PER_MINUTE "--sends-per-minute" "60000" ["0", "60000"], ["60,000", "-1", "60k"];
    HATO_SUBSCRIBERS_PER_APP "--subscribers-per-app" "0" ["0", "1000000"], ["none", "-1"];
    HATO_CONNECTIONS_PER_ADDRESS "--connections-per-address" "200" ["0", "10"], ["ten", "-1"];
    HATO_PUSH_HOSTS "--push-hosts" "any" ["fcm.googleapis.com, push.apple.com"], ["https://fcm.googleapis.com", "1.1.1.1", "*.apple.com", ","];
    HATO_OUTBOUND_ALLOW "--outbound-allow" "" ["127.0.0.0/8,::1/128"], ["everything"];
    HATO_OUTBOUND_CA "--outbound-ca" "" [], ["/nonexistent/ca.pem", "/dev/null", "/"];
    HATO_RETRY_DELAYS "--retry-delays" "5s,1m,10m" ["0s, 1ms, 2h"], ["5s,1m", "5s,1m,10m,1h", "5,1m,10m", "-5s,1m,10m"];
    HATO_WEBHOOK_RETRY_DELAYS "--webhook-retry-delays" "5s,5m,30m,2h,5h,10h,10h" ["none", "1s", "5s,5m"], ["5", "5s,", "5s;5m", TWENTY_ONE];
    HATO_RETENTION_DAYS "--retention-days" "90" ["1", "36500"], ["0", "-1", "+1", "1.5", "90d", "99999999999"];
    HATO_BACKUP_DIR "--backup-dir" "none are made" [], ["backups", "./backups"];
    HATO_BACKUP_EVERY "--backup-every" "24h" ["1m", "168h"], ["59s", "1d", "24"];
    HATO_BACKUP_KEEP "--backup-keep" "7" ["1", "365"], ["0", "-1", "+7", "1.5", "all"];
    HATO_METRICS_LISTEN "--metrics-listen" "off" ["127.0.0.1:0"], ["9090", "localhost"];
    HATO_OTLP_ENDPOINT "--otlp-endpoint" "off" ["http://127.0.0.1:4318"], ["127.0.0.1:4318", "ftp://collector.example", "collector"];
    HATO_LOG "--log" "info" ["hato_server=debug,warn"], ["info,=,"];
    HATO_LOG_FORMAT "--log-format" "text" ["text", "json"], ["xml"];
};

/// The flags without which the variable would be refused for another's sake.
pub fn good(name: &str) -> Vec<&'static str> {
    match name {
        "HATO_GITHUB_CLIENT_ID" => vec!["--github-client-secret", "0123"],
        "HATO_GITHUB_CLIENT_SECRET" => vec!["--github-client-id", "Iv1.0"],
        _ => Vec::new(),
    }
}

/// The same as variables.
pub fn with(name: &str) -> &'static [(&'static str, &'static str)] {
    match name {
        "HATO_GITHUB_CLIENT_ID" => &[("HATO_GITHUB_CLIENT_SECRET", "0123")],
        "HATO_GITHUB_CLIENT_SECRET" => &[("HATO_GITHUB_CLIENT_ID", "Iv1.0")],
        _ => &[],
    }
}
