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
  let awake;

  // Where it is missing, decoding takes longer than compiling.
  const decode = (text) =>
    Uint8Array.fromBase64?.(text) ?? Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

  // Not before it is needed: a worker also starts for events that are none of ours. A site whose
  // Content-Security-Policy lacks 'wasm-unsafe-eval' makes this throw.
  function wake() {
    if (!awake) {
      wasm_bindgen.initSync({ module: decode(WASM) });
      awake = wasm_bindgen;
    }
    return awake;
  }

  // Browsers withdraw the permission of sites that receive a push and show nothing.
  function showSomething() {
    const japanese = navigator.language.startsWith("ja");
    return self.registration.showNotification(self.location.host, {
      body: japanese ? "新しいお知らせがあります" : "You have a new notification",
      data: { hato: "" },
    });
  }

  async function push(event) {
    try {
      await wake().push(event.data ? event.data.text() : "");
    } catch {
      await showSomething();
    }
  }

  async function click(url) {
    try {
      const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
      await wake().click(url, windows);
    } catch {
      await self.clients.openWindow("/");
    }
  }

  const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

  async function renew({ newSubscription }) {
    const { scope, pushManager } = self.registration;
    const settings = await recall(`settings ${scope}`);
    if (settings) {
      const renewed = newSubscription || (await pushManager.subscribe(keyed(settings)));
      await register(settings, scope, renewed);
    }
  }

  // The browser has dropped the subscription, often just when it came back to a poor network. What
  // cannot be done within half a minute, the page does at its next visit.
  async function renewPatiently(event) {
    for (const wait of [1e3, 5e3, 15e3]) {
      try {
        return await renew(event);
      } catch (error) {
        // The visitor has withdrawn the permission.
        if (error.name === "NotAllowedError") return;
        await pause(wait);
      }
    }
    await renew(event);
  }

  self.addEventListener("push", (event) => event.waitUntil(push(event)));

  self.addEventListener("notificationclick", (event) => {
    const { notification } = event;
    const url = notification.data?.hato;
    if (typeof url === "string") {
      notification.close();
      event.waitUntil(click(url));
    }
  });

  self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renewPatiently(event)));
})();
