// Where the site's worker for Hato is.

async function registrationAt(scope) {
  const registration = await navigator.serviceWorker.getRegistration(scope);
  if (registration?.scope === scope) return registration;
}

const newestWorker = ({ installing, waiting, active }) => installing || waiting || active;

// Two workers cannot have one scope: each page view would bring back the other. When the site has
// a worker of its own where Hato's would be, Hato's takes a scope beside it.
async function findPlace({ serviceWorker, places }) {
  const [home, apart] = places;
  if (!apart) return home;
  const there = await registrationAt(home);
  if (!there) return (await registrationAt(apart)) ? apart : home;
  const path = (address) => address?.split("?")[0];
  const script = path(newestWorker(there)?.scriptURL);
  const ours = [serviceWorker, await recall(`worker ${home}`)];
  return !script || ours.map(path).includes(script) ? home : apart;
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
    const registering = navigator.serviceWorker.register(serviceWorker, { scope });
    const registration = await untilActive(await registering);
    await remember(`worker ${scope}`, serviceWorker);
    return registration;
  } catch (error) {
    throw failure("WORKER_FAILED", `${serviceWorker}: ${error.message}`, error);
  }
}
