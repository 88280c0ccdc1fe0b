// The page's half of Hato: asks for permission, subscribes, and keeps the server's knowledge of the
// subscription right. hato.d.ts describes what each function promises. `cargo xtask site` puts
// registration.js, browser.js and place.js before it.
const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const listeners = new Set();
let connection;
let lastState;

// Every error that leaves this script has a code.
async function coded(promise) {
  try {
    return await promise;
  } catch (error) {
    throw typeof error?.code === "string" ? error : failure("BROWSER_ERROR", String(error), error);
  }
}

// --- What init stores for the worker

function readOptions({ baseUrl, appKey, serviceWorker = "/hato-sw.js", scope }) {
  if (!baseUrl || !appKey) throw failure("MISSING_FIELDS", "baseUrl and appKey are required");
  const script = new URL(serviceWorker, location.href);
  return {
    baseUrl: new URL(baseUrl, location.href).href.replace(/\/+$/, ""),
    appKey,
    serviceWorker: script.href,
    places: scope
      ? [new URL(scope, location.href).href]
      : [new URL(".", script).href, new URL("hato-push/", script).href],
  };
}

// The server is asked for the public key once for each key of the app, not on each page.
async function connect(options) {
  const { baseUrl, appKey } = options;
  const scope = await findPlace(options);
  const name = `settings ${scope}`;
  const stored = await recall(name);
  if (stored?.baseUrl === baseUrl && stored.appKey === appKey) {
    return { ...options, ...stored, scope };
  }
  const { publicKey, appId } = await call(options, "GET", "/api/v1/vapid-public-key");
  const settings = { baseUrl, appKey, appId, publicKey, platform: platform() };
  await remember(name, settings);
  return { ...options, ...settings, scope };
}

// What init began, begun again if it has failed since.
async function connected() {
  if (!connection) throw failure("NOT_INITIALIZED", "Call hato.init first");
  connection.settings ||= connect(connection.options);
  try {
    return await connection.settings;
  } catch (error) {
    connection.settings = undefined;
    throw error;
  }
}

// --- The browser's subscription

function keyOf(subscription) {
  const key = new Uint8Array(subscription.options.applicationServerKey || []);
  return btoa(String.fromCharCode(...key)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
}

const subscriptionAt = async (scope) => (await registrationAt(scope))?.pushManager.getSubscription();

// Only a subscription made with the app's VAPID key can receive from it.
const isOurs = (subscription, { publicKey }) => subscription && keyOf(subscription) === publicKey;

async function subscribed(settings) {
  const { pushManager } = await activeRegistration(settings);
  const existing = await pushManager.getSubscription();
  if (isOurs(existing, settings)) return existing;
  await existing?.unsubscribe();
  return pushManager.subscribe(keyed(settings));
}

// What was subscribed before the site's own worker came, or went.
async function leftBehind(settings) {
  const elsewhere = settings.places.find((place) => place !== settings.scope);
  const subscription = elsewhere && (await subscriptionAt(elsewhere));
  if (isOurs(subscription, settings)) return subscription;
}

// The server revives an endpoint that it had given up on because its push service no longer knew
// it. Only a new endpoint can receive again.
async function registerAnew(settings) {
  const subscription = await subscribed(settings);
  const { reactivated } = await register(settings, settings.scope, subscription);
  if (reactivated) {
    await subscription.unsubscribe();
    await register(settings, settings.scope, await subscribed(settings));
  }
  await (await leftBehind(settings))?.unsubscribe();
}

// --- Healing

// Asked and noted in one transaction, so that of several tabs one goes ahead, and after a failure
// nobody for an hour.
async function takeTurn({ scope }, isNeeded) {
  const name = `registered ${scope}`;
  const isWithin = (time, span) => time <= Date.now() && Date.now() - time < span;
  let taken = false;
  await inStore("readwrite", (values) => {
    const reading = values.get(name);
    reading.onsuccess = () => {
      const known = reading.result || {};
      const isConfirmed = isWithin(known.at, DAY);
      taken = isNeeded(known, isConfirmed) && !isWithin(known.tried, HOUR);
      if (taken) values.put({ ...known, tried: Date.now() }, name);
    };
    return reading;
  });
  return taken;
}

// Browsers lose pushsubscriptionchange events, and servers lose databases: a page that finds its
// subscription changed, gone, made with another key, or unconfirmed for a day registers it again.
// Only hato.unsubscribe ends a subscription, so without a trace of one nothing is made anew.
async function heal() {
  if (Notification.permission !== "granted") return;
  const settings = await connected();
  const subscription = await subscriptionAt(settings.scope);
  const left = await leftBehind(settings);
  const isDue = await takeTurn(settings, ({ endpoint }, isConfirmed) => {
    const isRight = isOurs(subscription, settings) && subscription.endpoint === endpoint;
    return (endpoint || subscription || left) && !(isRight && isConfirmed);
  });
  if (isDue) await registerAnew(settings);
}

// --- The state

async function currentState() {
  if (!isSupported()) return needsInstall() ? "needs-install" : "unsupported";
  if (Notification.permission === "denied") return "denied";
  const settings = await connected();
  const subscription = await subscriptionAt(settings.scope);
  return isOurs(subscription, settings) ? "subscribed" : "unsubscribed";
}

async function announce() {
  const state = await currentState();
  if (state === lastState) return;
  lastState = state;
  for (const listener of listeners) tell(listener);
}

// One listener's error is not another's.
const tell = (listener) => queueMicrotask(() => listeners.has(listener) && listener(lastState));

async function healAndAnnounce() {
  await heal().catch(() => {});
  await announce();
}

// The visitor may decide in the browser's settings or in another tab, and a site on a home screen
// is not loaded again for days.
async function watch() {
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && lastState) healAndAnnounce().catch(() => {});
  });
  const status = await navigator.permissions.query({ name: "notifications" });
  status.addEventListener("change", () => announce().catch(() => {}));
}

async function start() {
  if (!isSupported()) return announce();
  await connected();
  await healAndAnnounce();
}

async function subscribe() {
  demandSupport();
  // First of all: the click's permission to ask does not survive a wait.
  const permission = await Notification.requestPermission();
  if (permission === "granted") {
    // The site's own worker may have come since init.
    if (connection) connection.settings = undefined;
    await registerAnew(await connected());
  }
  await announce();
  if (permission !== "granted") {
    throw failure("PERMISSION_DENIED", "Notifications are not allowed");
  }
}

// The browser's subscription goes even if the server cannot be told: it then learns of it when
// the push service refuses the next delivery.
async function unsubscribe() {
  demandSupport();
  const settings = await connected();
  const subscription = await subscriptionAt(settings.scope);
  await remember(`registered ${settings.scope}`, undefined);
  if (!isOurs(subscription, settings)) return;
  const { endpoint } = subscription;
  const path = `/api/v1/apps/${settings.appId}/subscriptions`;
  try {
    await call(settings, "DELETE", path, { endpoint });
  } finally {
    await subscription.unsubscribe();
    await announce();
  }
}

const hato = {
  init(options) {
    const started = coded(
      (async () => {
        const isFirst = !connection;
        connection = { options: readOptions(options) };
        if (isFirst && isSupported()) watch().catch(() => {});
        await start();
      })(),
    );
    // A page that ignores the promise meets the error again in the call that needs the server.
    started.catch(() => {});
    return started;
  },
  subscribe: () => coded(subscribe()),
  unsubscribe: () => coded(unsubscribe()),
  state: () => coded(currentState()),
  onChange(listener) {
    listeners.add(listener);
    if (lastState) tell(listener);
    return () => listeners.delete(listener);
  },
};
