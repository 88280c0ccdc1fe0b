// What a visitor meets whose browser does not reach its push service.

import type { Page } from 'puppeteer-core';

import { startChromium } from '../support/chromium.ts';
import { openSession } from '../support/dashboard.ts';
import { expect, test } from '../support/fixtures.ts';
import { init, siteFiles } from '../support/site-files.ts';
import type { Visit } from '../support/visit.ts';

/** Fifteen seconds are one and a half. */
const shortTimers = `
  const later = setTimeout;
  globalThis.setTimeout = (act, milliseconds, ...rest) => later(act, milliseconds / 10, ...rest);\n`;

/** The browser asks its push service when `answer()` is called, as when a network comes back. */
const silentPushService = `
  const answered = new Promise((resolve) => { globalThis.answer = resolve; });
  const subscribe = PushManager.prototype.subscribe;
  PushManager.prototype.subscribe = async function (options) {
    globalThis.isAsked = true;
    await answered;
    return subscribe.call(this, options);
  };\n`;

const heldLocks = () => navigator.locks.query().then(({ held }) => held!.length);
const answer = ({ page }: Visit) => page.evaluate(() => (globalThis as any).answer());

/** Subscribes by a click; resolves with the error. */
function attempt(page: Page): Promise<{ code: string; message: string }> {
  return page.evaluate(() => hato.subscribe().then(() => ({ code: '', message: '' }), ({ code, message }) => ({ code, message })));
}

test('Chromium without its push service', async ({ open, write }) => {
  const site = await open({ folder: await write(siteFiles(shortTimers + init())) });
  const chromium = await startChromium();
  await chromium.defaultBrowserContext().overridePermissions(site.url, ['notifications']);
  const [page, other] = [await chromium.newPage(), await chromium.newPage()];
  for (const tab of [page, other]) {
    await tab.goto(site.url);
    await tab.waitForFunction(() => document.querySelector('#state')?.textContent === 'unsubscribed', { polling: 20 });
  }
  // The second tab waits for the first one's lock, and then for its own turn.
  for (const failed of await Promise.all([attempt(page), attempt(other)])) {
    expect(failed.code).toBe('PUSH_UNREACHABLE');
    expect(failed.message).toMatch(/network.*private window/);
  }
  expect(await page.evaluate(heldLocks)).toBe(0);
  expect(await page.evaluate(() => hato.state())).toBe('unsubscribed');
  await chromium.close();
});

test('a subscription that comes too late is ended', async ({ app, open, push, visit, write }) => {
  const script = shortTimers + silentPushService + init();
  const page = await visit(await open({ folder: await write(siteFiles(script)) }));
  await page.waitForState('unsubscribed');
  expect(await page.attempt('subscribe')).toBe('PUSH_UNREACHABLE');
  const ended = await push.unregistrations();
  await answer(page);
  await expect.poll(() => push.unregistrations()).toBe(ended + 1);
  expect(await page.endpoints()).toEqual([]);
  expect(await app.subscribers()).toBe(0);
  expect(page.requests).toEqual(['GET /api/v1/vapid-public-key']);
});

test('a second click that is answered keeps what the first one asked for', async ({ app, open, visit, write }) => {
  const script = shortTimers + silentPushService + init();
  const page = await visit(await open({ folder: await write(siteFiles(script)) }));
  await page.waitForState('unsubscribed');
  expect(await page.attempt('subscribe')).toBe('PUSH_UNREACHABLE');
  await page.page.evaluate(() => Object.assign(globalThis, { isAsked: false }));
  const second = page.attempt('subscribe');
  await page.page.waitForFunction(() => (globalThis as any).isAsked, { polling: 20 });
  await answer(page);
  expect(await second).toBe('');
  await page.waitForState('subscribed');
  // Whoever waits for the lock had to wait for the first click's clean-up.
  await page.page.evaluate(() => navigator.locks.request('hato-push', () => {}));
  expect(await app.send({ title: '届きました', body: '本文' })).toMatchObject({ recipients: 1, sent_count: 1 });
  await page.notification('届きました');
});

test('a page whose repair meets silence says its state, and lets the lock go', async ({ open, visit, write }) => {
  const site = await open({ folder: await write(siteFiles(init())) });
  const first = await visit(site);
  await first.subscribe();
  await first.page.evaluate(async () => {
    const registered = await navigator.serviceWorker.getRegistration();
    await (await registered?.pushManager.getSubscription())?.unsubscribe();
  });
  await first.close();
  await site.stop();
  const silent = await open({ folder: await write(siteFiles(shortTimers + silentPushService + init())), port: site.port });
  const page = await visit(silent);
  await page.waitForState('unsubscribed');
  expect(await page.page.evaluate(heldLocks)).toBe(0);
});

test('the dashboard’s button', async ({ firefox, hato, push }) => {
  const session = await hato.ownerSession();
  const app = (await hato.api('POST', '/api/v1/apps', session, { name: 'はとパン' })).json.appId as string;
  const { page, consoleErrors } = await openSession(firefox, hato.url, session, `/apps/${app}`);
  const waitForText = (text: string) =>
    page.waitForFunction(
      (text: string) => document.querySelector('.push-state')?.textContent?.includes(text),
      { polling: 20 },
      text,
    );
  await waitForText('まだ通知を受け取っていません');
  await page.evaluate(shortTimers + silentPushService);
  await page.locator('.try .actions:not([hidden]) button').click();
  await waitForText('プッシュサービスにつながりません');
  const ended = await push.unregistrations();
  await page.evaluate(() => (globalThis as any).answer());
  await expect.poll(() => push.unregistrations()).toBe(ended + 1);
  const shown = await hato.api('GET', `/api/v1/apps/${app}`, session);
  expect(shown.json.active_subscriptions).toBe(0);
  expect(consoleErrors).toEqual([]);
  await page.browserContext().close();
});
