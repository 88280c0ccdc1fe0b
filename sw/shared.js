// What the page script and the worker both do: keep values in the site's origin, call the server,
// and tell it of a subscription. `cargo xtask site` puts this file into both.

const failure = (code, message, cause) => Object.assign(new Error(message, { cause }), { code });

// The IndexedDB database `hato-push` of the site's origin has one object store, `values`. Its keys
// are texts, its times Unix milliseconds, and a SCOPE is the whole address of a worker's scope:
//
//   settings SCOPE       { scope, baseUrl, appKey, appId, publicKey, platform }: what the worker needs
//   registered SCOPE     { scope, endpoint, publicKey, at, lang, time_zone }: what the server was told last, and when
//   audience SCOPE       { user, endpoint, at, add_tags, remove_tags }: who the visitor is ({ user_id, user_token }), the
//                        endpoint that the server was told it of, and when; and which tags it was not told of yet
//   worker SCOPE         the address of the worker file that Hato registered there
//   tried SCOPE          when a repair failed last
//   asked SCOPE          when the server refused a subscription of which this browser has no record
//   reports              what the server was not told yet of notifications (reports.js)
//   asked BASEURL APPKEY when the server was last asked which app the key is of
//
// The page writes all of them; the worker reads the first two and writes `registered` and `reports`. A page and a
// worker of different releases share them, so members may be added, and none renamed.
const settingsKey = (scope) => `settings ${scope}`;
const registeredKey = (scope) => `registered ${scope}`;
const audienceKey = (scope) => `audience ${scope}`;

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

const getValue = (name) => inStore("readonly", (values) => values.get(name));
const setValue = (name, value) => inStore("readwrite", (values) => values.put(value, name));
const deleteValue = (name) => inStore("readwrite", (values) => values.delete(name));

// One at a time, in every tab and the worker: what has begun before must not bring back a
// subscription that the visitor ends.
const withLock = (act, ifAvailable = false) =>
  navigator.locks
    ? navigator.locks.request("hato-push", { ifAvailable }, (lock) => lock && act())
    : act();

// Every tab of the site looks at the state again.
function notifyTabs() {
  const channel = new BroadcastChannel("hato-push");
  channel.postMessage("");
  channel.close();
}

// Long for an answer, short for a visitor who waits: without a limit some networks never answer.
const REQUEST_TIMEOUT = 10_000;

const request = (address, options) =>
  fetch(address, {
    ...options,
    credentials: "omit",
    // Without it, Firefox lets requests fail when their page is left, before the page knows that it is.
    keepalive: true,
    signal: AbortSignal.timeout?.(REQUEST_TIMEOUT),
  });

async function call({ baseUrl, appKey }, method, path, body) {
  let response;
  try {
    response = await request(baseUrl + path, {
      method,
      headers: { Authorization: `Bearer ${appKey}`, "Content-Type": "application/json" },
      body: body && JSON.stringify(body),
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

// A file of this name is Hato's alone; any other is the site's own worker, which has more to do.
const isHatoWorker = (script) => new URL(script).pathname.endsWith("/hato-sw.js");

function publicKeyOf(subscription) {
  const key = new Uint8Array(subscription.options.applicationServerKey || []);
  return btoa(String.fromCharCode(...key)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
}

// Only a subscription made with the app's VAPID key can receive from it.
const isOurs = (subscription, { publicKey }) => subscription && publicKeyOf(subscription) === publicKey;

// Where the push service cannot be reached, some browsers never answer, and others give up. Who waits
// holds the lock. A browser may come back to what it was asked for: that promise goes with the error.
const PUSH_TIMEOUT = 15_000;

async function subscribeAt({ pushManager }, { publicKey }) {
  const asked = pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
  const silence = new DOMException("No answer", "AbortError");
  const limit = new Promise((_, reject) => setTimeout(reject, PUSH_TIMEOUT, silence));
  try {
    return await Promise.race([asked, limit]);
  } catch (error) {
    if (error.name !== "AbortError") throw error;
    const causes = "The network may block push, or this is a private window";
    throw Object.assign(failure("PUSH_UNREACHABLE", causes, error), { asked });
  }
}

// What the server takes for a language and for a time zone (CONTRACT 12).
const LANGUAGE = /^(?=.{2,35}$)[a-z]{2,8}(-[a-z\d]{1,8})*$/i;
const TIME_ZONE = /^(?=.{1,64}$)[a-z][\w+-]*(\/[\w+-]+)*$/i;

// One that the browser does not know, or names in another form, is left out.
const browserLocale = () => ({
  lang: navigator.language?.match(LANGUAGE)?.[0],
  time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone?.match(TIME_ZONE)?.[0],
});

// Tells the server of the subscription and keeps what it was told; resolves with its answer. `before` are
// subscriptions that it was told of earlier: one of another endpoint is replaced, and its user, tags,
// language and time zone are taken over unless `visitor` says otherwise.
async function registerSubscription(settings, subscription, before, visitor) {
  const { endpoint } = subscription;
  const { scope, publicKey, platform } = settings;
  const { p256dh, auth } = subscription.toJSON().keys;
  const replaces = before.find((it) => it.endpoint !== endpoint)?.endpoint;
  const locale = browserLocale();
  const details = { endpoint, p256dh, auth, vapid_public_key: publicKey, platform, replaces, ...locale, ...visitor };
  const answer = await call(settings, "POST", "/api/v1/subscriptions", details);
  await setValue(registeredKey(scope), { scope, endpoint, publicKey, at: Date.now(), ...locale });
  notifyTabs();
  return answer;
}
