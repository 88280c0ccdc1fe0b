// The worker in the site's page: its scope, its file, and its `ServiceWorkerRegistration`.

async function registrationAt(scope) {
  const registration = await navigator.serviceWorker.getRegistration(scope);
  if (registration?.scope === scope) return registration;
}

const scriptOf = ({ installing, waiting, active } = {}) => (installing || waiting || active)?.scriptURL;

// A site may name the same file with a version behind it: `/sw.js?v=12`.
const isSameFile = (one, other) => one?.split("?")[0] === other?.split("?")[0];

// Two workers cannot have one scope: each page view would bring back the other. When the site has
// a worker of its own where Hato's would be, Hato's takes a scope beside it.
async function findScope({ serviceWorker, scopes }) {
  const [preferred, fallback] = scopes;
  if (!fallback) return preferred;
  const script = scriptOf(await registrationAt(preferred));
  if (!script) return (await registrationAt(fallback)) ? fallback : preferred;
  const ours = [serviceWorker, await getValue(`worker ${preferred}`)];
  return ours.some((it) => isSameFile(it, script)) ? preferred : fallback;
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

// A worker that the site registers itself stays as it is, whatever it has behind its name.
async function ensureWorker({ serviceWorker, scope }) {
  const name = `worker ${scope}`;
  const there = await registrationAt(scope);
  const script = scriptOf(there);
  if (isSameFile(script, serviceWorker) && script !== (await getValue(name))) return there;
  const registration = await navigator.serviceWorker.register(serviceWorker, { scope });
  await setValue(name, serviceWorker);
  return registration;
}

async function activeRegistration(settings) {
  try {
    return await untilActive(await ensureWorker(settings));
  } catch (error) {
    throw failure("WORKER_FAILED", `${settings.serviceWorker}: ${error.message}`, error);
  }
}
