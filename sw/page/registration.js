// What the page and the worker both do: keep values in the site's origin, call the server, and
// register a subscription there.

const failure = (code, message, cause) => Object.assign(new Error(message, { cause }), { code });

// Values by name in an IndexedDB database: what the page tells the worker (`settings SCOPE`), what
// the server was told last (`registered SCOPE`), and which script Hato put there (`worker SCOPE`).
// A page and a worker of different releases share them: members may be added, none renamed.
function openDatabase() {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open("hato-push", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("values");
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
}

async function inStore(mode, act) {
  const database = await openDatabase();
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

async function call({ baseUrl, appKey }, method, path, body) {
  let response;
  try {
    response = await fetch(baseUrl + path, {
      method,
      headers: { Authorization: `Bearer ${appKey}`, "Content-Type": "application/json" },
      body: body && JSON.stringify(body),
      credentials: "omit",
    });
  } catch (error) {
    throw failure("NETWORK_ERROR", `${baseUrl} cannot be reached`, error);
  }
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  throw failure(answer.code || "SERVER_ERROR", answer.error || `Status ${response.status}`);
}

const keyed = ({ publicKey }) => ({ userVisibleOnly: true, applicationServerKey: publicKey });

// Answers what the server said.
async function register(settings, scope, subscription) {
  const { endpoint } = subscription;
  const { publicKey, platform } = settings;
  const { p256dh, auth } = subscription.toJSON().keys;
  const details = { endpoint, p256dh, auth, platform };
  const answer = await call(settings, "POST", "/api/v1/subscriptions", details);
  await remember(`registered ${scope}`, { endpoint, publicKey, at: Date.now() });
  return answer;
}
