// When the worker reports, and what it keeps waiting for that, in a real Chromium whose worker has a clock of the test's (CONTRACT 15).

import type { Browser } from 'puppeteer-core';

import { SiteWorker, startChromium } from '../support/chromium.ts';
import { Desktop } from '../support/desktop.ts';
import { expect, test } from '../support/fixtures.ts';
import { counts, hasSettings, keepReports, readReports, registerStandIn } from '../support/reports.ts';
import { importLine, init, siteFiles } from '../support/site-files.ts';

let desktop: Desktop;
let chromium: Browser;

test.beforeAll(async () => {
  desktop = await Desktop.start();
  chromium = await startChromium(desktop);
});

test.afterAll(async () => {
  await chromium?.close();
  await desktop?.stop();
});

const reporting = 'POST /api/v1/events';

/** A worker whose timers run when the test says so, whose chance is the latest, and which tells what its last event waits for. */
const observedWorker = `
  const soon = setTimeout;
  const observed = { now: 0, timers: [], waits: [] };
  self.setTimeout = (act, milliseconds) => {
    if (milliseconds) observed.timers.push({ act, at: observed.now + milliseconds });
    else soon(act);
  };
  Math.random = () => 1;
  for (const kind of ["push", "notificationclose"]) {
    addEventListener(kind, (event) => {
      const wait = event.waitUntil.bind(event);
      Object.assign(observed, { now: 0, timers: [], waits: [] });
      event.waitUntil = (work) => {
        const at = observed.waits.push("waits") - 1;
        work.then(() => { observed.waits[at] = "done"; });
        wait(work);
      };
    });
  }
  self.observe = () => ({ waits: observed.waits, timers: observed.timers.map(({ at }) => at).sort((a, b) => a - b) });
  self.advanceTo = async (now) => {
    observed.now = now;
    const isDue = ({ at }) => at <= now;
    const due = observed.timers.filter(isDue);
    observed.timers = observed.timers.filter((timer) => !isDue(timer));
    for (const { act } of due) act();
    await new Promise((resolve) => soon(resolve));
    return observe();
  };\n`;

/** As Safari calls itself. */
const safari = `
  const value = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15";
  Object.defineProperty(navigator, "userAgent", { value });\n`;

/** What the last event waits for, and when the timers fire that it has set. */
interface Observed {
  waits: string[];
  timers: number[];
}

const observe = (worker: SiteWorker) => worker.run((): Observed => (self as any).observe());
const advanceTo = (worker: SiteWorker, now: number) =>
  worker.run((now): Promise<Observed> => (self as any).advanceTo(now), now);

test('nothing waits for a report, and what was not told goes with the next push', async ({
  app, faultProxy, hato, open, push, write,
}) => {
  await app.update({ tracking: 'counts' });
  const endpoint = await registerStandIn(hato, push, app);
  const send = async (title: string) => {
    const { send_id } = await app.send({ title, body: '本文' });
    return { send_id, message: await push.plaintext(endpoint) };
  };
  const folder = await write({ ...siteFiles(init()), 'hato-sw.js': observedWorker + importLine });
  const worker = await SiteWorker.install(chromium, await open({ folder, server: faultProxy }));
  await worker.page.waitForFunction(hasSettings, { polling: 20 });
  const isKept = () => worker.page.evaluate(readReports) as Promise<{ token: string }[]>;
  // There is room for no more.
  const gone = Array.from({ length: 100 }, (_, at) => ({ baseUrl: 'https://127.0.0.1:9', token: `t${at}`, event: 'clicked' }));
  await worker.page.evaluate(keepReports, gone);

  const held = faultProxy.hold(reporting);
  const first = await send('初め');
  const [shown] = await Promise.all([desktop.next(), worker.push(first.message)]);
  expect(shown.title).toBe('初め');
  // 500 is how long IndexedDB may take before the message is shown all the same.
  await expect.poll(() => observe(worker)).toEqual({ waits: ['done', 'waits'], timers: [500, 5_000, 10_000] });
  expect(await isKept()).toMatchObject([...gone.slice(1), { token: JSON.parse(first.message).t, event: 'displayed' }]);
  // The reports of those who are shown the same are spread over five seconds.
  expect(await advanceTo(worker, 4_999)).toEqual({ waits: ['done', 'waits'], timers: [5_000, 10_000] });
  expect(faultProxy.requests).not.toContain(reporting);
  await advanceTo(worker, 5_000);
  await held.arrived;
  // Nobody answers: the event ends all the same.
  expect(await advanceTo(worker, 9_999)).toEqual({ waits: ['done', 'waits'], timers: [10_000] });
  expect(await advanceTo(worker, 10_000)).toEqual({ waits: ['done', 'done'], timers: [] });
  faultProxy.fail(reporting, {});
  held.release();
  expect(await isKept()).toHaveLength(100);
  expect(await counts(app, first.send_id)).toEqual([0, 0, 0]);

  faultProxy.fail(reporting);
  const second = await send('次');
  await Promise.all([desktop.next(), worker.push(second.message)]);
  await expect.poll(() => observe(worker)).toEqual({ waits: ['done', 'waits'], timers: [500, 5_000, 10_000] });
  await advanceTo(worker, 5_000);
  for (const { send_id } of [first, second]) await expect.poll(() => counts(app, send_id)).toEqual([1, 0, 0]);
  await expect.poll(isKept).toEqual(gone.slice(2));

  await app.update({ tracking: 'off' });
  const uncounted = await send('数えません');
  const requests = [...faultProxy.requests];
  await Promise.all([desktop.next(), worker.push(uncounted.message)]);
  await expect.poll(() => observe(worker)).toMatchObject({ waits: ['done', 'done'] });
  expect(faultProxy.requests).toEqual(requests);
  await worker.close();
});

test("a worker of Apple's is kept for no report", async ({ app, hato, open, push, write }) => {
  await app.update({ tracking: 'counts' });
  const endpoint = await registerStandIn(hato, push, app);
  const { send_id } = await app.send({ title: '林檎', body: '本文' });
  const { title, body, t } = JSON.parse(await push.plaintext(endpoint));
  const folder = await write({ ...siteFiles(init()), 'hato-sw.js': safari + observedWorker + importLine });
  const site = await open({ folder });
  const worker = await SiteWorker.install(chromium, site);
  await worker.page.waitForFunction(hasSettings, { polling: 20 });
  // As Safari before 18.4 hands it over.
  const message = { web_push: 8030, notification: { title, body, navigate: `${site.url}/?hato_t=${t}` }, t };
  const [shown] = await Promise.all([desktop.next(), worker.push(JSON.stringify(message))]);
  // It is made at once.
  await expect.poll(() => counts(app, send_id)).toEqual([1, 0, 0]);
  expect(await observe(worker)).toEqual({ waits: ['done'], timers: [500, 10_000] });
  desktop.dismiss(shown);
  await expect.poll(() => counts(app, send_id)).toEqual([1, 0, 1]);
  expect((await observe(worker)).waits).toEqual([]);
  await worker.close();
});
