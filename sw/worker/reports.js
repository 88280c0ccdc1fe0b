// The worker's part of reports: what is reported, and how long an event may last for it. Nothing here is
// awaited by what shows a notification or opens a window.

// The event lasts no longer than this for a report.
const REPORT_TIME = 10_000;
// When many browsers show the same message, their reports are spread over this time.
const REPORT_SPREAD = 5_000;
const TOKEN = /^[\w-]{1,40}$/;

// Apple counts the time of a worker, and stops those that take much of it.
const isAppleWorker = () => /AppleWebKit(?!.*Chrom)/.test(navigator.userAgent);

// The token of a message, where the app counts.
const tokenOf = ({ t }) => (typeof t === "string" && TOKEN.test(t) ? t : undefined);

async function report(token, event, action, spread) {
  const { baseUrl } = (await getValue(settingsKey(self.registration.scope))) || {};
  if (token && baseUrl) {
    await keepReport({ baseUrl, token, event, action: action || undefined });
    await sleep(Math.random() * spread);
  }
  await sendReports(baseUrl);
}

// Reports what happened to the notification whose token `holder` resolves with, and what earlier reports
// have left. What the event is for comes first.
function reportAfter(holder, occasion, event, action) {
  const isApple = isAppleWorker();
  const spread = event === "displayed" && !isApple ? REPORT_SPREAD : 0;
  const inTime = (token) => Promise.race([report(token, event, action, spread), sleep(REPORT_TIME)]);
  const reported = holder.then(inTime).catch(() => {});
  if (!isApple) occasion.waitUntil(reported);
}
