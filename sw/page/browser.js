// What this browser can do.

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

function requireSupport() {
  if (isSupported()) return;
  if (needsInstall()) {
    throw failure("NEEDS_INSTALL", "This site is not on the home screen");
  }
  throw failure("UNSUPPORTED", "This browser has no web push");
}

function platform() {
  const agent = navigator.userAgent;
  const names = { Edg: "Edge", OPR: "Opera", Firefox: "Firefox", Chrome: "Chrome", Safari: "Safari" };
  const browser = Object.keys(names).find((name) => agent.includes(name));
  const system = navigator.userAgentData?.platform || navigator.platform;
  return [names[browser], system].join(" ").trim().slice(0, 100);
}
