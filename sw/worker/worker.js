// The part of the worker that must be there before any wasm: its listeners, and a notification of
// last resort. `cargo xtask site` puts page/registration.js, wasm-bindgen's glue and the wasm in.
//
// It runs inside the site's own worker: nothing global is left behind, and notifications without
// our mark are left to the handlers of whoever showed them.
(() => {
  "use strict";

  //@registration
  //@glue

  const WASM = "@wasm";
  let loadedWasm;

  // Where it is missing, decoding takes longer than compiling.
  const decode = (text) =>
    Uint8Array.fromBase64?.(text) ?? Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

  // Not before it is needed: a worker also starts for events that are none of ours. A site whose
  // Content-Security-Policy lacks 'wasm-unsafe-eval' makes this throw.
  function loadWasm() {
    if (!loadedWasm) {
      wasm_bindgen.initSync({ module: decode(WASM) });
      loadedWasm = wasm_bindgen;
    }
    return loadedWasm;
  }

  // Browsers withdraw the permission of sites that receive a push and show nothing.
  function showSomething() {
    const japanese = navigator.language.startsWith("ja");
    return self.registration.showNotification(self.location.host, {
      body: japanese ? "新しいお知らせがあります" : "You have a new notification",
      data: { hato: "" },
    });
  }

  const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

  // A worker of the site's own may also receive from another service, which it serves itself: the
  // subscription was then made with a key that was never Hato's.
  async function isForeign() {
    if (isHatoWorker(self.location.href)) return false;
    const { scope, pushManager } = self.registration;
    const names = [`settings ${scope}`, `registered ${scope}`];
    const [settings, known] = await Promise.all(names.map(getValue));
    const subscription = settings && (await pushManager.getSubscription());
    return subscription && ![settings, known].some((it) => it && isOurs(subscription, it));
  }

  async function push({ data }) {
    // In doubt, or when the answer is slow to come, the message is shown.
    if (await Promise.race([isForeign().catch(() => false), sleep(500)])) return;
    try {
      await loadWasm().push(data ? data.text() : "");
    } catch {
      await showSomething();
    }
  }

  // A window's own `url` is where it began; where the site's script has led it since, as an app of
  // one page does, the page script knows.
  function locationOf(window) {
    return new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }) => resolve(data);
      window.postMessage("hato-where", [port2]);
      sleep(200).then(() => resolve(window.url));
    });
  }

  // Focuses the window that is there already, or opens one; no other is navigated.
  async function click(url) {
    const { clients } = self;
    let address = "/";
    try {
      address = loadWasm().click_destination(url);
      const windows = await clients.matchAll({ type: "window", includeUncontrolled: true });
      const addresses = await Promise.all(windows.map(locationOf));
      const there = windows[addresses.indexOf(address)];
      if (there) return await there.focus();
    } catch {
      // It has just gone; or the site allows no wasm, which judges the address.
    }
    return clients.openWindow(address);
  }

  // Whoever has never subscribed here, or has unsubscribed, stays as they are.
  async function renew({ newSubscription }) {
    const { scope, pushManager } = self.registration;
    const settings = await getValue(`settings ${scope}`);
    const known = await getValue(`registered ${scope}`);
    if (!settings || !known) return;
    const renewed = isOurs(newSubscription, settings)
      ? newSubscription
      : await pushManager.subscribe(subscribeOptions(settings));
    if (renewed.endpoint !== known.endpoint) await register(settings, renewed);
  }

  // The visitor has withdrawn the permission, or the server will say the same again.
  const isFinal = ({ name, status }) =>
    name === "NotAllowedError" || (status >= 400 && status < 500 && status !== 408 && status !== 429);

  // The browser has dropped the subscription, often just when it came back to a poor network. What
  // cannot be done within half a minute, the page does at its next visit.
  async function renewWithRetries(event) {
    for (const wait of [1e3, 5e3, 15e3, 0]) {
      try {
        return await withLock(() => renew(event));
      } catch (error) {
        if (isFinal(error)) return;
        if (!wait) throw error;
        await sleep(wait);
      }
    }
  }

  self.addEventListener("push", (event) => event.waitUntil(push(event)));

  self.addEventListener("notificationclick", (event) => {
    const { notification } = event;
    const url = notification.data?.hato;
    if (typeof url === "string") {
      // The site's own handlers, added after this one, are for the site's own notifications.
      event.stopImmediatePropagation();
      notification.close();
      event.waitUntil(click(url));
    }
  });

  self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renewWithRetries(event)));
})();
