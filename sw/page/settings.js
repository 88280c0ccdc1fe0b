// The settings: what was given to hato.init, and what the server said of the app.

function readOptions({ baseUrl, appKey, serviceWorker = "/hato-sw.js", scope } = {}) {
  if (!baseUrl || !appKey) throw failure("MISSING_FIELDS", "baseUrl and appKey are required");
  const script = new URL(serviceWorker, location.href);
  return {
    baseUrl: new URL(baseUrl, location.href).href.replace(/\/+$/, ""),
    appKey,
    serviceWorker: script.href,
    scopes: scope
      ? [new URL(scope, location.href).href]
      : [new URL(".", script).href, new URL("hato-push/", script).href],
  };
}

function requireInit() {
  if (!initialized) throw failure("NOT_INITIALIZED", "Call hato.init first");
}

// What is known without asking anybody. While the app of a new key is not known, the one before it
// stays in use.
async function loadSettings() {
  const { options } = initialized;
  const stored = await getValues("settings");
  const scope = await findScope(options);
  const settings =
    stored.find((it) => areSettingsFor(options, it)) || stored.find((it) => it.scope === scope);
  return { ...options, ...settings, scope };
}

const areSettingsFor = (options, { publicKey, baseUrl, appKey }) =>
  publicKey && baseUrl === options.baseUrl && appKey === options.appKey;

const storeSettings = ({ scope, baseUrl, appKey, appId, publicKey, platform }) =>
  setValue(settingsKey(scope), { scope, baseUrl, appKey, appId, publicKey, platform });

// The server is asked for the public key once for each key of the app. As long as it does not
// answer, page views ask once a day, and clicks always.
async function ensureSettings(isClick) {
  const { options } = initialized;
  const areStored = async () => areSettingsFor(options, await loadSettings());
  const ask = async () => (await areStored()) || fetchSettings(options, isClick);
  initialized.hasSettings = (await areStored()) || (await withLock(ask));
}

async function fetchSettings(options, isClick) {
  const name = `asked ${options.baseUrl} ${options.appKey}`;
  if (!isClick && isWithin(await getValue(name), DAY)) return false;
  await setValue(name, Date.now());
  const { publicKey, appId } = await call(options, "GET", "/api/v1/vapid-public-key");
  const scope = await findScope(options);
  await storeSettings({ ...options, scope, appId, publicKey, platform: platform() });
  return true;
}
