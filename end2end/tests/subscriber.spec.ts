// The life of a subscriber, in a real Firefox.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { App } from '../support/app.ts';
import { startFirefox } from '../support/firefox.ts';
import { init, siteFiles } from '../support/site-files.ts';
import { expect, test } from '../support/fixtures.ts';
import { Visit } from '../support/visit.ts';

const notification = (title: string) => ({ title, body: '本文', url: 'https://example.com/news' });

test('a visitor subscribes with one click and is notified', async ({ app, open, visit }) => {
  const page = await visit(await open());
  await page.subscribe();
  expect(page.requests).toEqual(['GET /api/v1/vapid-public-key', 'POST /api/v1/subscriptions']);
  // Nothing answers there. That it is shown at all is the wasm's doing.
  const icon = 'https://127.0.0.1:9/icon.png';
  const send = await app.send({ ...notification('焼きたてです'), icon });
  expect(send).toMatchObject({ recipients: 1, sent_count: 1, failed_count: 0 });
  const shown = await page.notification('焼きたてです');
  expect(shown).toMatchObject({ body: '本文', icon, data: { hato: 'https://example.com/news' } });
  expect(page.consoleErrors).toEqual([]);
});

test('whoever unsubscribes is left alone, and may come back', async ({ app, open, push, visit }) => {
  const site = await open();
  const page = await visit(site);
  await page.subscribe();
  const ended = await push.unregistrations();
  await page.click('#unsubscribe');
  await page.waitForState('unsubscribed');
  // The page shows the browser's part before the server has been told of it.
  await expect.poll(() => app.subscribers()).toBe(0);
  await expect.poll(() => push.unregistrations()).toBe(ended + 1);
  expect((await app.send(notification('誰にも'))).recipients).toBe(0);

  const later = await visit(site, 40);
  await later.waitForState('unsubscribed');
  expect(later.requests).toEqual([]);
  await later.subscribe();
  expect((await app.send(notification('おかえりなさい'))).sent_count).toBe(1);
  await later.notification('おかえりなさい');
});

test('a subscription made with another key is replaced on load', async ({ app, hato, open, visit }) => {
  const site = await open();
  const page = await visit(site);
  await page.subscribe();
  await page.close();
  await site.stop();

  const successor = await App.create(hato);
  const moved = await open({ port: site.port }, successor);
  const back = await visit(moved);
  await back.waitForState('subscribed');
  expect(back.requests).toEqual(['GET /api/v1/vapid-public-key', 'POST /api/v1/subscriptions']);
  expect(await successor.send(notification('新しい鍵'))).toMatchObject({ sent_count: 1, failed_count: 0 });
  await back.notification('新しい鍵');
  expect(await app.send(notification('古い鍵'))).toMatchObject({ sent_count: 0, failed_expired: 1 });
});

test('what changes in one tab is known in the others', async ({ open, visit }) => {
  const site = await open();
  const [one, other] = [await visit(site), await visit(site)];
  await other.waitForState('unsubscribed');
  expect(await one.attempt('subscribe')).toBe('');
  await other.waitForState('subscribed');
  expect(await one.attempt('unsubscribe')).toBe('');
  await other.waitForState('unsubscribed');
  expect(other.requests).toEqual([]);
});

test('a page that the visitor comes back to knows what has changed', async ({ open, visit }) => {
  const site = await open();
  const [page, other] = [await visit(site), await visit(site)];
  await page.waitForState('unsubscribed');
  await page.page.evaluate(() => Object.assign(globalThis, { isKept: true }));
  await page.page.goto('about:blank');
  expect(await other.attempt('subscribe')).toBe('');
  // A page that was kept loads nothing, so there is no navigation to wait for.
  await page.page.evaluate(() => history.back());
  await page.waitForState('subscribed');
  expect(await page.page.evaluate(() => (globalThis as any).isKept)).toBe(true);
});

test('the module does what the classic script does', async ({ app, open, visit, write }) => {
  const wiring = `import { hato } from "https://push.example.com/sdk/hato.mjs";
    globalThis.hato = hato;\n`;
  const { 'index.html': page, 'site.js': script, ...rest } = siteFiles(init());
  const modular = page.replace(/<script.*/, '<script type="module" src="/site.js"></script>');
  const folder = await write({ ...rest, 'index.html': modular, 'site.js': wiring + script });
  const visitor = await visit(await open({ folder }));
  await visitor.subscribe();
  expect((await app.send(notification('モジュール'))).sent_count).toBe(1);
  await visitor.notification('モジュール');
  expect(await visitor.attempt('unsubscribe')).toBe('');
  await visitor.waitForState('unsubscribed');
  expect(visitor.consoleErrors).toEqual([]);
});

test('a refusal is respected', async ({ app, firefox, open, visit }) => {
  const site = await open();
  await firefox.defaultBrowserContext().overridePermissions(site.url, []);
  const page = await visit(site);
  await page.waitForState('denied');
  expect(await page.attempt('subscribe')).toBe('PERMISSION_DENIED');
  await page.waitForState('denied');
  expect(page.requests.filter((request) => request.startsWith('POST'))).toEqual([]);
  expect(await app.subscribers()).toBe(0);
});

test('subscribers survive a restart of their browser', async ({ app, hato, open, push }) => {
  const profile = await mkdtemp(join(tmpdir(), 'hato-profile-'));
  const site = await open();
  const first = await startFirefox(push, { profile });
  const page = await Visit.open(first, site);
  await page.subscribe();
  const endpoint = await page.endpoint();
  await first.close();

  expect((await app.send(notification('留守中に'))).sent_count).toBe(1);
  const second = await startFirefox(push, { profile });
  const back = await Visit.open(second, site);
  await back.waitForState('subscribed');
  expect(back.requests).toEqual([]);
  expect(await back.endpoint()).toBe(endpoint);
  await back.notification('留守中に');
  expect((await app.send(notification('起きてから'))).sent_count).toBe(1);
  await back.notification('起きてから');
  await second.close();
  await rm(profile, { recursive: true });
});
