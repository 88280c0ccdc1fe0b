// The page's half of Hato: asks for permission, subscribes, and keeps the server's knowledge of the
// subscription right. hato.d.ts describes what each function promises.
const DAY = 24 * 60 * 60 * 1000;
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

// --- What this browser can do

const isApple = () => "standalone" in navigator && navigator.maxTouchPoints > 1;

// iOS and iPadOS offer web push from 16.4 on, and only to sites on the home screen.
function needsInstall() {
  const [, major, minor] = navigator.userAgent.match(/(?:OS |Version\/)(\d+)[._](\d+)/) || [];
  return isApple() && !navigator.standalone && !(major < 16 || (major == 16 && minor < 4));
}

const isSupported = () =>
  isSecureContext &&
  "indexedDB" in window &&
  "serviceWorker" in navigator &&
  "PushManager" in window &&
  "Notification" in window;

function demandSupport() {
  if (isSupported()) return;
  if (needsInstall()) {
    throw failure("NEEDS_INSTALL", "Push needs this site to be on the home screen");
  }
  throw failure("UNSUPPORTED", "This browser has no web push");
}

function platform() {
  const agent = navigator.userAgent;
  const names = { Edg: "Edge", OPR: "Opera", Firefox: "Firefox", Chrome: "Chrome", Safari: "Safari" };
  const browser = Object.keys(names).find((name) => agent.includes(name));
  const system = navigator.userAgentData?.platform || navigator.platform || "";
  return `${names[browser] || ""} ${system}`.trim().slice(0, 100);
}

// --- What init stores for the worker

function readOptions({ baseUrl, appKey, serviceWorker = "/hato-sw.js", scope }) {
  if (!baseUrl || !appKey) throw failure("MISSING_FIELDS", "baseUrl and appKey are required");
  const script = new URL(serviceWorker, location.href);
  return {
    baseUrl: new URL(baseUrl, location.href).href.replace(/\/+$/, ""),
    appKey,
    serviceWorker: script.href,
    scope: scope ? new URL(scope, location.href).href : new URL(".", script).href,
  };
}

// The server is asked for the public key once for each key of the app, not on each page.
async function connect(options) {
  const { baseUrl, appKey, scope } = options;
  const name = `settings ${scope}`;
  const stored = await recall(name);
  if (stored?.baseUrl === baseUrl && stored.appKey === appKey) return { ...options, ...stored };
  const { publicKey, appId } = await call(options, "GET", "/api/v1/vapid-public-key");
  const settings = { baseUrl, appKey, appId, publicKey, platform: platform() };
  await remember(name, settings);
  return { ...options, ...settings };
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

async function subscriptionIn({ scope }) {
  const registration = await navigator.serviceWorker.getRegistration(scope);
  if (registration?.scope === scope) return registration.pushManager.getSubscription();
}

function untilActive(registration) {
  const worker = registration.installing || registration.waiting;
  if (registration.active || !worker) return registration;
  return new Promise((resolve, reject) => {
    worker.addEventListener("statechange", () => {
      if (worker.state === "activated") resolve(registration);
      if (worker.state === "redundant") reject(failure("WORKER_FAILED", "The worker did not install"));
    });
  });
}

async function activeRegistration({ serviceWorker, scope }) {
  try {
    return await untilActive(await navigator.serviceWorker.register(serviceWorker, { scope }));
  } catch (error) {
    throw failure("WORKER_FAILED", `${serviceWorker}: ${error.message}`, error);
  }
}

// A subscription belongs to one VAPID key: one made with another cannot receive from this app.
async function subscribed(settings) {
  const { pushManager } = await activeRegistration(settings);
  const existing = await pushManager.getSubscription();
  if (existing && keyOf(existing) === settings.publicKey) return existing;
  await existing?.unsubscribe();
  return pushManager.subscribe(keyed(settings));
}

const registerAnew = async (settings) =>
  register(settings, settings.scope, await subscribed(settings));

// Browsers lose pushsubscriptionchange events, and servers lose databases: a page that finds its
// subscription changed, gone, or unconfirmed for a day registers it again. Only hato.unsubscribe
// ends a subscription that was registered, so without such a record nothing is made anew.
async function heal() {
  if (Notification.permission !== "granted") return;
  const settings = await connected();
  const known = await recall(`registered ${settings.scope}`);
  const subscription = await subscriptionIn(settings);
  const isOurs = subscription && keyOf(subscription) === settings.publicKey;
  if (!known && !isOurs) return;
  const isKnown = isOurs && known?.endpoint === subscription.endpoint;
  const age = Date.now() - known?.at;
  if (!(isKnown && age >= 0 && age < DAY)) await registerAnew(settings);
}

// --- The state

async function currentState() {
  if (!isSupported()) return needsInstall() ? "needs-install" : "unsupported";
  if (Notification.permission === "denied") return "denied";
  const settings = await connected();
  const subscription = await subscriptionIn(settings);
  const isOurs = subscription && keyOf(subscription) === settings.publicKey;
  return isOurs ? "subscribed" : "unsubscribed";
}

async function announce() {
  const state = await currentState();
  if (state === lastState) return;
  lastState = state;
  for (const listener of listeners) listener(state);
}

async function watchPermission() {
  const status = await navigator.permissions.query({ name: "notifications" });
  status.addEventListener("change", () => announce().catch(() => {}));
}

async function start() {
  if (isSupported()) {
    await connected();
    await heal().catch(() => {});
    watchPermission().catch(() => {});
  }
  await announce();
}

async function subscribe() {
  demandSupport();
  // First of all: the click's permission to ask does not survive a wait.
  if ((await Notification.requestPermission()) !== "granted") {
    throw failure("PERMISSION_DENIED", "Notifications are not allowed");
  }
  await registerAnew(await connected());
  await announce();
}

// The browser's subscription goes even if the server cannot be told: it then learns of it when
// the push service refuses the next delivery.
async function unsubscribe() {
  demandSupport();
  const settings = await connected();
  const subscription = await subscriptionIn(settings);
  await remember(`registered ${settings.scope}`, undefined);
  if (!subscription || keyOf(subscription) !== settings.publicKey) return;
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
        connection = { options: readOptions(options) };
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
    return () => listeners.delete(listener);
  },
};
