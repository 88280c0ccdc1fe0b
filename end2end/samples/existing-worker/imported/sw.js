// The one line that Hato needs; everything below is as it was.
importScripts("https://push.example.com/sdk/sw.js");

const CACHE = "recipes-1";

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(["/", "/site.js"])));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(clients.claim());
});

self.addEventListener("fetch", (event) => {
  if (new URL(event.request.url).origin !== location.origin) return;
  event.respondWith(caches.match(event.request).then((kept) => kept ?? fetch(event.request)));
});

// A notification of the site's own, which Hato leaves alone.
self.addEventListener("message", (event) => {
  const shown = self.registration.showNotification(event.data, { tag: "timer" });
  event.waitUntil(shown);
});

self.addEventListener("notificationclick", (event) => {
  if (event.notification.tag !== "timer") return;
  event.notification.close();
  event.waitUntil(clients.openWindow("/#timer"));
});
