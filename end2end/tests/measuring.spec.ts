// What browsers report of notifications: once for each, in a real Firefox and a real Chromium (CONTRACT 15).

import type { Browser } from 'puppeteer-core';

import { SiteWorker, startChromium } from '../support/chromium.ts';
import { Desktop } from '../support/desktop.ts';
import { expect, test } from '../support/fixtures.ts';
import { counts, hasSettings, keepReports, readReports, registerStandIn } from '../support/reports.ts';

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

/** Keeps the notification that is shown, for `tellOfClosing`. */
const keepShown = async () => {
  const { registration } = self as unknown as { registration: ServiceWorkerRegistration };
  Object.assign(self, { shown: (await registration.getNotifications())[0] });
};

/** Tells the worker that it was closed, as Firefox does of those that are clicked, too. */
const tellOfClosing = () => {
  const { shown: notification, NotificationEvent } = self as any;
  self.dispatchEvent(new NotificationEvent('notificationclose', { notification }));
};

/** Runs in the page: the data of the site's only notification. */
const dataShown = async () => {
  const registration = await navigator.serviceWorker.ready;
  const [shown, ...others] = await registration.getNotifications();
  if (!shown || others.length) throw new Error('not one notification');
  return shown.data;
};

test('what Firefox shows is counted once', { tag: '@database' }, async ({ app, open, visit }) => {
  await app.update({ tracking: 'counts' });
  const page = await visit(await open());
  await page.subscribe();
  const { send_id } = await app.send({ title: '数えます', body: '本文' });
  await page.notification('数えます');
  await expect.poll(() => counts(app, send_id)).toEqual([1, 0, 0]);
  // What was told is not told again.
  const kept = () => page.page.evaluate(readReports);
  await expect.poll(kept).toEqual([]);
  await app.update({ tracking: 'off' });
  const uncounted = await app.send({ title: '数えません', body: '本文' });
  await page.notification('数えません');
  expect(await counts(app, send_id)).toEqual([1, 0, 0]);
  expect(await counts(app, uncounted.send_id)).toEqual([0, 0, 0]);
});

test('what Chromium shows and is clicked is counted once', async ({ app, hato, open, push }) => {
  await app.update({ tracking: 'counts' });
  const endpoint = await registerStandIn(hato, push, app);
  const { send_id } = await app.send({ title: 'クリック', body: '本文', actions: [{ action: 'buy', title: '買う' }] });
  const message = await push.plaintext(endpoint);
  const worker = await SiteWorker.install(chromium, await open());
  await worker.page.waitForFunction(hasSettings, { polling: 20 });
  for (let time = 0; time < 2; time++) {
    const [shown] = await Promise.all([desktop.next(), worker.push(message)]);
    expect(shown.title).toBe('クリック');
    expect(await worker.page.evaluate(dataShown)).toEqual({ hato: '', hatoToken: JSON.parse(message).t });
    await expect.poll(() => counts(app, send_id)).toEqual([1, time, 0]);
    await worker.run(keepShown);
    desktop.clickButton(shown, '買う');
    // The worker takes it away when it knows of the click.
    await desktop.waitClosed(shown);
    await expect.poll(() => counts(app, send_id)).toEqual([1, 1, 0]);
    await worker.run(tellOfClosing);
  }
  expect((await app.record(send_id)).clicks_by_action).toEqual({ buy: 1 });
  // What is reported later is counted later: by then nothing of the first send is on its way.
  const later = await app.send({ title: 'もう一つ', body: '本文' });
  const laterMessage = await push.plaintext(endpoint);
  await Promise.all([desktop.next(), worker.push(laterMessage)]);
  await expect.poll(() => counts(app, later.send_id)).toEqual([1, 0, 0]);
  expect(await counts(app, send_id)).toEqual([1, 1, 0]);
  const [closed] = await Promise.all([desktop.next(), worker.push(message)]);
  desktop.dismiss(closed);
  await expect.poll(() => counts(app, send_id)).toEqual([1, 1, 1]);
  await worker.close();
});

test('what cannot be told goes with the next visit', async ({ app, faultProxy, open, visit }) => {
  await app.update({ tracking: 'counts' });
  const site = await open({ server: faultProxy });
  const page = await visit(site);
  await page.subscribe();
  faultProxy.fail('POST /api/v1/events', {});
  const { send_id } = await app.send({ title: '留守', body: '本文' });
  await page.notification('留守');
  await expect.poll(() => page.page.evaluate(readReports).then((it) => it.length)).toBe(1);
  faultProxy.fail('POST /api/v1/events');
  expect(await counts(app, send_id)).toEqual([0, 0, 0]);
  await page.page.reload();
  await expect.poll(() => counts(app, send_id)).toEqual([1, 0, 0]);
});

test('what is for a server that is gone keeps nothing from this one', async ({ app, open, visit }) => {
  await app.update({ tracking: 'counts' });
  const page = await visit(await open());
  await page.subscribe();
  const gone = { baseUrl: 'https://127.0.0.1:9', token: 'x'.repeat(40), event: 'clicked' };
  await page.page.evaluate(keepReports, [gone]);
  const { send_id } = await app.send({ title: '引っ越し', body: '本文' });
  await expect.poll(() => counts(app, send_id)).toEqual([1, 0, 0]);
  await expect.poll(() => page.page.evaluate(readReports)).toEqual([gone]);
});

test('an address with a token counts as a click and loses it', async ({ app, hato, open, push, visit }) => {
  await app.update({ tracking: 'counts' });
  const endpoint = await registerStandIn(hato, push, app);
  const { send_id } = await app.send({ title: 't', body: 'b' });
  const token = JSON.parse(await push.plaintext(endpoint)).t;
  const site = await open();
  const page = await visit(site);
  await page.waitForState('unsubscribed');
  for (const [query, left] of [
    [`?hato_t=${token}`, ''],
    [`?a&hato_t=${token}&b=%20#c`, '?a&b=%20#c'],
    [`?hato_t=${token}&b#c`, '?b#c'],
    ['?not_hato_t=1', '?not_hato_t=1'],
    [`?hato_t=${'x'.repeat(41)}`, `?hato_t=${'x'.repeat(41)}`],
    ['?hato_t=%E9%B3%A9&b', '?hato_t=%E9%B3%A9&b'],
    ['?hato_t=', '?hato_t='],
  ]) {
    await page.page.goto(`${site.url}/${query}`);
    await page.waitForState('unsubscribed');
    expect(await page.page.evaluate(() => location.href)).toBe(`${site.url}/${left}`);
  }
  await expect.poll(() => counts(app, send_id)).toEqual([0, 1, 0]);
  // What does not look like a token was not kept to be told later.
  await expect.poll(() => page.page.evaluate(readReports)).toEqual([]);
});
