// The page's half of Hato: asks for permission, subscribes, and keeps the server's knowledge of the
// subscription right. hato.d.ts describes what each function promises. `cargo xtask site` puts
// shared.js, reports.js, browser.js, scope.js, settings.js, audience.js and arrival.js before it.
const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const listeners = new Set();
// Since hato.init: its options, whether the settings of that key are stored, and the promise of the first repair.
let initialized;
let lastState;
let announced;

// Every error that leaves this script has a code.
const withErrorCode =
  (act) =>
  async (...args) => {
    try {
      return await act(...args);
    } catch (error) {
      throw typeof error?.code === "string" ? error : failure("BROWSER_ERROR", String(error), error);
    }
  };

const isWithin = (time, span) => time <= Date.now() && Date.now() - time < span;

const getValues = (kind) =>
  inStore("readonly", (values) => values.getAll(IDBKeyRange.bound(`${kind} `, `${kind} \uffff`)));

// --- The browser's subscription

const subscriptionAt = async (scope) => (await registrationAt(scope))?.pushManager.getSubscription();

// What the server was told of this browser: once, or at more scopes when the site's own worker has
// come or gone since, or the option has changed.
async function loadRegistered({ scope, publicKey }) {
  const registered = await getValues("registered");
  return registered.filter((it) => it.scope === scope || it.publicKey === publicKey);
}

// That, and what the browser holds of it.
async function findOwn(settings) {
  const registered = await loadRegistered(settings);
  const scopes = new Set([settings.scope, ...registered.map(({ scope }) => scope)]);
  const found = await Promise.all([...scopes].map(subscriptionAt));
  return { registered, held: found.filter((it) => isOurs(it, settings)) };
}

const unsubscribeAll = (held) => Promise.allSettled(held.map((it) => it.unsubscribe()));

async function ensureSubscribed(settings) {
  const registration = await activeRegistration(settings);
  const existing = await registration.pushManager.getSubscription();
  if (isOurs(existing, settings)) return existing;
  await existing?.unsubscribe();
  return subscribeAt(registration, settings);
}

// The server knows what the app has imported, and this browser does not: a subscription without a record is
// registered with its own key. What the server refuses is another service's, and asked about once a day.
async function adopt(settings) {
  const name = `asked ${settings.scope}`;
  const subscription = await subscriptionAt(settings.scope);
  if (!subscription || isOurs(subscription, settings)) return;
  if ((await loadRegistered(settings)).length || isWithin(await getValue(name), DAY)) return;
  const publicKey = publicKeyOf(subscription);
  try {
    await registerSubscription({ ...settings, publicKey }, subscription, []);
  } catch (error) {
    if (error.code !== "INVALID_INPUT") throw error;
    await setValue(name, Date.now());
  }
}

// An app that has the visitor's key no more refuses it.
async function findPrimaryKey(settings, error) {
  if (error.code !== "INVALID_INPUT") throw error;
  const { publicKey } = await call(settings, "GET", "/api/v1/vapid-public-key");
  if (publicKey === settings.publicKey) throw error;
  return { vapid_public_key: publicKey };
}

// Where the app has another primary key by now, a subscription with that one takes the place of the browser's.
//
// The server revives an endpoint that it had given up on because its push service no longer knew
// it. Only a new endpoint can receive again.
async function resubscribe(settings) {
  await storeSettings(settings);
  let subscription = await ensureSubscribed(settings);
  const before = await loadRegistered(settings);
  const answer = await registerVisitor(settings, subscription, before);
  if (answer.vapid_public_key) {
    settings.publicKey = answer.vapid_public_key;
    return resubscribe(settings);
  }
  if (answer.reactivated) {
    const dead = subscription;
    await dead.unsubscribe();
    subscription = await ensureSubscribed(settings);
    await registerSubscription(settings, subscription, [dead]);
  }
  await unsubscribeOthers(settings, subscription);
  await tellUntold(settings, tellServer);
}

async function unsubscribeOthers(settings, { endpoint }) {
  const { registered, held } = await findOwn(settings);
  for (const other of held) {
    if (other.endpoint !== endpoint) await other.unsubscribe();
  }
  for (const { scope } of registered) {
    if (scope !== settings.scope) await deleteValue(registeredKey(scope));
  }
}

async function registerFirst() {
  const settings = await loadSettings();
  try {
    await adopt(settings);
    await resubscribe(settings);
  } catch (error) {
    const end = () => endUnregistered(settings);
    await end();
    error.asked?.then(() => withLock(end)).catch(() => {});
    throw error;
  }
}

// A visitor whom the server does not know must not look like a subscriber.
async function endUnregistered(settings) {
  const { registered, held } = await findOwn(settings);
  if (!registered.length) await unsubscribeAll(held);
}

// --- Repair

// Browsers lose pushsubscriptionchange events, and servers lose databases: a page that finds its
// subscription changed, gone, made with another key, or unconfirmed for a day registers it again.
// Only hato.unsubscribe ends a subscription, so without a trace of one nothing is made anew; and one
// that another service made in a worker of the site's own is that service's.
async function isDue(settings) {
  const { scope, serviceWorker } = settings;
  const registered = await loadRegistered(settings);
  const here = registered.find((it) => it.scope === scope);
  const subscription = await subscriptionAt(scope);
  const isRight = isOurs(subscription, settings);
  const isConfirmed = isRight && subscription.endpoint === here?.endpoint && isWithin(here.at, DAY);
  const isWanted = registered.length || isRight || (subscription && isHatoWorker(serviceWorker));
  return isWanted && !isConfirmed;
}

// A browser whose subscription is right may have another language now, or a user who is not told yet.
async function makeRight(settings) {
  await adopt(settings);
  if (await isDue(settings)) return resubscribe(settings);
  await tellUntold(settings, tellOrRegister);
}

// Of several tabs one goes ahead, and after a failure nobody for an hour. To leave the page is none: the
// next one goes on.
async function repair() {
  if (!isSupported() || Notification.permission !== "granted") return;
  await withLock(async () => {
    const settings = await loadSettings();
    if (!settings.publicKey || isWithin(await getValue(`tried ${settings.scope}`), HOUR)) return;
    try {
      await makeRight(settings);
    } catch (error) {
      await setValue(`tried ${settings.scope}`, Date.now());
      throw error;
    }
  }, true);
}

// --- The state

async function currentState() {
  if (!isSupported()) return needsInstall() ? "needs-install" : "unsupported";
  if (Notification.permission === "denied") return "denied";
  requireInit();
  try {
    const { registered, held } = await findOwn(await loadSettings());
    return registered.length && held.length ? "subscribed" : "unsubscribed";
  } catch {
    // Whoever blocks the site's data blocks workers too.
    return "unsupported";
  }
}

// Listeners are told of one change after the other, so that what they hear last is the latest state.
function announce() {
  announced = Promise.resolve(announced).then(async () => {
    const state = await currentState();
    if (state === lastState) return;
    lastState = state;
    for (const listener of listeners) tell(listener);
  });
  return announced;
}

// In a microtask each, so that one listener's error does not keep the others from being told.
const tell = (listener) => queueMicrotask(() => listeners.has(listener) && listener(lastState));

// On load, and whenever the page comes back to the front. A repair that failed is tried again later,
// and is no error of the page's.
async function refresh() {
  await repair().catch(() => {});
  await announce();
}

// The visitor may decide in the browser's settings or in another tab, and a site on a home screen
// is not loaded again for days.
async function watch() {
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && lastState) refresh();
  });
  navigator.serviceWorker.addEventListener("message", ({ data, ports }) => {
    if (data === "hato-where") ports[0].postMessage(location.href);
  });
  let channel;
  const listen = () => {
    channel = new BroadcastChannel("hato-push");
    channel.onmessage = announce;
  };
  listen();
  // While it is open, some browsers do not keep the page for the way back.
  addEventListener("pagehide", () => channel.close());
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    listen();
    announce();
  });
  const status = await navigator.permissions.query({ name: "notifications" });
  status.addEventListener("change", announce);
}

async function start() {
  const failed = isSupported() && (await ensureSettings().catch((error) => error));
  await refresh();
  if (failed && lastState !== "unsupported") throw failed;
}

// Nothing that can wait is awaited before the question: a click's right to ask is soon over.
async function requestPermission() {
  if (Notification.permission !== "default") return Notification.permission;
  if (navigator.userActivation?.isActive === false) {
    throw failure("CLICK_REQUIRED", "Call hato.subscribe in the handler of a click");
  }
  return Notification.requestPermission();
}

async function subscribe() {
  requireSupport();
  requireInit();
  if (!initialized.hasSettings) await ensureSettings(true);
  const permission = await requestPermission();
  try {
    if (permission !== "granted") {
      throw failure("PERMISSION_DENIED", "Notifications are not allowed");
    }
    await withLock(registerFirst);
  } finally {
    await announce();
  }
}

// First the browser's part, which needs nobody: a server that cannot be told learns of it when the
// push service refuses the next delivery.
async function endSubscriptions() {
  const settings = await loadSettings();
  const { registered, held } = await findOwn(settings);
  await Promise.all(registered.map(({ scope }) => deleteValue(registeredKey(scope))));
  const ended = await unsubscribeAll(held);
  notifyTabs();
  const endpoints = new Set([...registered, ...held].map(({ endpoint }) => endpoint));
  const path = `/api/v1/apps/${settings.appId}/subscriptions`;
  const telling = [...endpoints].map((endpoint) => call(settings, "DELETE", path, { endpoint }));
  const failed = [...ended, ...(await Promise.allSettled(telling))].find(({ reason }) => reason);
  if (failed) throw failed.reason;
}

async function unsubscribe() {
  requireSupport();
  requireInit();
  try {
    await withLock(endSubscriptions);
  } finally {
    await announce();
  }
}

async function init(options) {
  const isFirst = !initialized;
  initialized = { options: readOptions(options) };
  reportVisit(initialized.options).catch(() => {});
  if (isFirst && isSupported()) watch().catch(() => {});
  initialized.started = start();
  await initialized.started;
}

const hato = {
  init(options) {
    const started = withErrorCode(init)(options);
    // A page that ignores the promise meets the error again in the call that needs the server.
    started.catch(() => {});
    return started;
  },
  subscribe: withErrorCode(subscribe),
  unsubscribe: withErrorCode(unsubscribe),
  identify: withErrorCode(identify),
  forget: withErrorCode(forget),
  addTags: withErrorCode((tags) => changeTags(tags, [])),
  removeTags: withErrorCode((tags) => changeTags([], tags)),
  tags: withErrorCode(() => changeTags([], [])),
  state: withErrorCode(currentState),
  onChange(listener) {
    listeners.add(listener);
    if (lastState) tell(listener);
    return () => listeners.delete(listener);
  },
};
