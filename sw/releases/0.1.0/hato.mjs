/*! Hato 0.1.0 | MIT OR Apache-2.0 */
const failure = (code, message, cause) => Object.assign(new Error(message, { cause }), { code });
function openDatabase() {
return new Promise((resolve, reject) => {
const opening = indexedDB.open("hato-push", 1);
opening.onupgradeneeded = () => opening.result.createObjectStore("values");
opening.onsuccess = () => resolve(opening.result);
opening.onerror = () => reject(opening.error);
});
}
async function inStore(mode, act) {
const database = await openDatabase().catch((error) => {
throw failure("STORAGE_BLOCKED", "The browser keeps nothing for this site", error);
});
try {
return await new Promise((resolve, reject) => {
const transaction = database.transaction("values", mode);
const request = act(transaction.objectStore("values"));
transaction.oncomplete = () => resolve(request.result);
transaction.onabort = () => reject(transaction.error);
});
} finally {
database.close();
}
}
const recall = (name) => inStore("readonly", (values) => values.get(name));
const remember = (name, value) => inStore("readwrite", (values) => values.put(value, name));
const forget = (name) => inStore("readwrite", (values) => values.delete(name));
const exclusively = (act, ifAvailable = false) =>
navigator.locks
? navigator.locks.request("hato-push", { ifAvailable }, (lock) => lock && act())
: act();
function tellTabs() {
const channel = new BroadcastChannel("hato-push");
channel.postMessage("");
channel.close();
}
const PATIENCE = 10_000;
async function call({ baseUrl, appKey }, method, path, body) {
let response;
try {
response = await fetch(baseUrl + path, {
method,
headers: { Authorization: `Bearer ${appKey}`, "Content-Type": "application/json" },
body: body && JSON.stringify(body),
credentials: "omit",
signal: AbortSignal.timeout?.(PATIENCE),
});
} catch (error) {
throw failure("NETWORK_ERROR", `${baseUrl} cannot be reached`, error);
}
const { status } = response;
const answer = await response.json().catch(() => {});
if (response.ok && answer) return answer;
const refusal = failure(answer?.code || "SERVER_ERROR", answer?.error || `Status ${status}`);
throw Object.assign(refusal, { status });
}
const isHatosOwn = (script) => new URL(script).pathname.endsWith("/hato-sw.js");
function keyOf(subscription) {
const key = new Uint8Array(subscription.options.applicationServerKey || []);
return btoa(String.fromCharCode(...key)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
}
const isOurs = (subscription, { publicKey }) => subscription && keyOf(subscription) === publicKey;
const keyed = ({ publicKey }) => ({ userVisibleOnly: true, applicationServerKey: publicKey });
async function register(settings, subscription) {
const { endpoint } = subscription;
const { scope, publicKey, platform } = settings;
const { p256dh, auth } = subscription.toJSON().keys;
const details = { endpoint, p256dh, auth, platform };
const answer = await call(settings, "POST", "/api/v1/subscriptions", details);
await remember(`registered ${scope}`, { scope, endpoint, publicKey, at: Date.now() });
tellTabs();
return answer;
}
const isApple = () => "standalone" in navigator && navigator.maxTouchPoints > 1;
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
async function registrationAt(scope) {
const registration = await navigator.serviceWorker.getRegistration(scope);
if (registration?.scope === scope) return registration;
}
const scriptOf = ({ installing, waiting, active } = {}) => (installing || waiting || active)?.scriptURL;
const isSameFile = (one, other) => one?.split("?")[0] === other?.split("?")[0];
async function findPlace({ serviceWorker, places }) {
const [home, apart] = places;
if (!apart) return home;
const script = scriptOf(await registrationAt(home));
if (!script) return (await registrationAt(apart)) ? apart : home;
const ours = [serviceWorker, await recall(`worker ${home}`)];
return ours.some((it) => isSameFile(it, script)) ? home : apart;
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
async function registered({ serviceWorker, scope }) {
const name = `worker ${scope}`;
const there = await registrationAt(scope);
const script = scriptOf(there);
if (isSameFile(script, serviceWorker) && script !== (await recall(name))) return there;
const registration = await navigator.serviceWorker.register(serviceWorker, { scope });
await remember(name, serviceWorker);
return registration;
}
async function activeRegistration(settings) {
try {
return await untilActive(await registered(settings));
} catch (error) {
throw failure("WORKER_FAILED", `${settings.serviceWorker}: ${error.message}`, error);
}
}
const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const listeners = new Set();
let connection;
let lastState;
let announced;
async function coded(promise) {
try {
return await promise;
} catch (error) {
throw typeof error?.code === "string" ? error : failure("BROWSER_ERROR", String(error), error);
}
}
const isWithin = (time, span) => time <= Date.now() && Date.now() - time < span;
const recallAll = (kind) =>
inStore("readonly", (values) => values.getAll(IDBKeyRange.bound(`${kind} `, `${kind} \uffff`)));
function readOptions({ baseUrl, appKey, serviceWorker = "/hato-sw.js", scope } = {}) {
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
function demandInit() {
if (!connection) throw failure("NOT_INITIALIZED", "Call hato.init first");
}
async function recallSettings() {
const { options } = connection;
const known = await recallAll("settings");
const scope = await findPlace(options);
const app = known.find((it) => isAppOf(it, options)) || known.find((it) => it.scope === scope);
return { ...options, ...app, scope };
}
const isAppOf = ({ publicKey, baseUrl, appKey }, options) =>
publicKey && baseUrl === options.baseUrl && appKey === options.appKey;
const store = ({ scope, baseUrl, appKey, appId, publicKey, platform }) =>
remember(`settings ${scope}`, { scope, baseUrl, appKey, appId, publicKey, platform });
async function introduce(isClick) {
const { options } = connection;
const isKnown = async () => isAppOf(await recallSettings(), options);
const ask = async () => (await isKnown()) || askForApp(options, isClick);
connection.isKnown = (await isKnown()) || (await exclusively(ask));
}
async function askForApp(options, isClick) {
const name = `asked ${options.baseUrl} ${options.appKey}`;
if (!isClick && isWithin(await recall(name), DAY)) return false;
await remember(name, Date.now());
const { publicKey, appId } = await call(options, "GET", "/api/v1/vapid-public-key");
const scope = await findPlace(options);
await store({ ...options, scope, appId, publicKey, platform: platform() });
return true;
}
const subscriptionAt = async (scope) => (await registrationAt(scope))?.pushManager.getSubscription();
async function recallRegistered({ scope, publicKey }) {
const known = await recallAll("registered");
return known.filter((it) => it.scope === scope || it.publicKey === publicKey);
}
async function ownSubscriptions(settings, known) {
const scopes = new Set([settings.scope, ...known.map(({ scope }) => scope)]);
const found = await Promise.all([...scopes].map(subscriptionAt));
return found.filter((it) => isOurs(it, settings));
}
async function subscribed(settings) {
const { pushManager } = await activeRegistration(settings);
const existing = await pushManager.getSubscription();
if (isOurs(existing, settings)) return existing;
await existing?.unsubscribe();
return pushManager.subscribe(keyed(settings));
}
async function registerAnew(settings) {
await store(settings);
let subscription = await subscribed(settings);
const { reactivated } = await register(settings, subscription);
if (reactivated) {
await subscription.unsubscribe();
subscription = await subscribed(settings);
await register(settings, subscription);
}
await endOthers(settings, subscription);
}
async function endOthers(settings, { endpoint }) {
const known = await recallRegistered(settings);
for (const other of await ownSubscriptions(settings, known)) {
if (other.endpoint !== endpoint) await other.unsubscribe();
}
for (const { scope } of known) {
if (scope !== settings.scope) await forget(`registered ${scope}`);
}
}
async function registerFirst() {
const settings = await recallSettings();
try {
await registerAnew(settings);
} catch (error) {
const known = await recallRegistered(settings);
const made = known.length ? [] : await ownSubscriptions(settings, known);
await Promise.allSettled(made.map((subscription) => subscription.unsubscribe()));
throw error;
}
}
async function isDue(settings) {
const { scope, publicKey, serviceWorker } = settings;
if (!publicKey || isWithin(await recall(`tried ${scope}`), HOUR)) return false;
const known = await recallRegistered(settings);
const here = known.find((it) => it.scope === scope);
const subscription = await subscriptionAt(scope);
const isRight = isOurs(subscription, settings);
const isConfirmed = isRight && subscription.endpoint === here?.endpoint && isWithin(here.at, DAY);
const isWanted = known.length || isRight || (subscription && isHatosOwn(serviceWorker));
return isWanted && !isConfirmed;
}
async function heal() {
if (!isSupported() || Notification.permission !== "granted") return;
await exclusively(async () => {
const settings = await recallSettings();
if (!(await isDue(settings))) return;
const tried = `tried ${settings.scope}`;
await remember(tried, Date.now());
await registerAnew(settings);
await forget(tried);
}, true);
}
async function currentState() {
if (!isSupported()) return needsInstall() ? "needs-install" : "unsupported";
if (Notification.permission === "denied") return "denied";
demandInit();
try {
const settings = await recallSettings();
const known = await recallRegistered(settings);
const held = await ownSubscriptions(settings, known);
return known.length && held.length ? "subscribed" : "unsubscribed";
} catch {
return "unsupported";
}
}
function announce() {
announced = Promise.resolve(announced).then(async () => {
const state = await currentState();
if (state === lastState) return;
lastState = state;
for (const listener of listeners) tell(listener);
});
return announced;
}
const tell = (listener) => queueMicrotask(() => listeners.has(listener) && listener(lastState));
async function healAndAnnounce() {
await heal().catch(() => {});
await announce();
}
async function watch() {
document.addEventListener("visibilitychange", () => {
if (!document.hidden && lastState) healAndAnnounce();
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
let failed;
if (isSupported()) {
await introduce().catch((error) => {
failed = error;
});
}
await healAndAnnounce();
if (failed && lastState !== "unsupported") throw failed;
}
async function askVisitor() {
if (Notification.permission !== "default") return Notification.permission;
if (navigator.userActivation?.isActive === false) {
throw failure("CLICK_REQUIRED", "Call hato.subscribe in the handler of a click");
}
return Notification.requestPermission();
}
async function subscribe() {
demandSupport();
demandInit();
if (!connection.isKnown) await introduce(true);
const permission = await askVisitor();
try {
if (permission !== "granted") {
throw failure("PERMISSION_DENIED", "Notifications are not allowed");
}
await exclusively(registerFirst);
} finally {
await announce();
}
}
async function leave() {
const settings = await recallSettings();
const known = await recallRegistered(settings);
const held = await ownSubscriptions(settings, known);
await Promise.all(known.map(({ scope }) => forget(`registered ${scope}`)));
const ended = await Promise.allSettled(held.map((subscription) => subscription.unsubscribe()));
tellTabs();
const endpoints = new Set([...known, ...held].map(({ endpoint }) => endpoint));
const path = `/api/v1/apps/${settings.appId}/subscriptions`;
const telling = [...endpoints].map((endpoint) => call(settings, "DELETE", path, { endpoint }));
const failed = [...ended, ...(await Promise.allSettled(telling))].find(({ reason }) => reason);
if (failed) throw failed.reason;
}
async function unsubscribe() {
demandSupport();
demandInit();
try {
await exclusively(leave);
} finally {
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
export { hato };
