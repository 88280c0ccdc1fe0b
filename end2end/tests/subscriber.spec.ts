// The life of a subscriber, in a real Firefox.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { App } from '../support/app.ts';
import { startFirefox } from '../support/firefox.ts';
import { expect, test } from '../support/stage.ts';
import { Visit } from '../support/visit.ts';

const news = (title: string) => ({ title, body: '本文', url: 'https://example.com/news' });

test('a visitor subscribes with one click and is notified', async ({ app, open, visit }) => {
  const page = await visit(await open());
  await page.subscribe();
  expect(page.requests).toEqual(['GET /api/v1/vapid-public-key', 'POST /api/v1/subscriptions']);
  const send = await app.send(news('焼きたてです'));
  expect(send).toMatchObject({ recipients: 1, sent_count: 1, failed_count: 0 });
  const shown = await page.notification('焼きたてです');
  expect(shown).toMatchObject({ body: '本文', data: { hato: 'https://example.com/news' } });
  expect(page.complaints).toEqual([]);
});

test('whoever unsubscribes is left alone, and may come back', async ({ app, open, push, visit }) => {
  const site = await open();
  const page = await visit(site);
  await page.subscribe();
  const ended = await push.unregistrations();
  await page.click('#unsubscribe');
  await page.isIn('unsubscribed');
  expect(await app.subscribers()).toBe(0);
  await expect.poll(() => push.unregistrations()).toBe(ended + 1);
  expect((await app.send(news('誰にも'))).recipients).toBe(0);

  const later = await visit(site, 40);
  await later.isIn('unsubscribed');
  expect(later.requests).toEqual([]);
  await later.subscribe();
  expect((await app.send(news('おかえりなさい'))).sent_count).toBe(1);
  await later.notification('おかえりなさい');
});

test('the worker subscribes again when the push service drops the browser', async ({ app, open, push, visit }) => {
  const page = await visit(await open());
  await page.subscribe();
  const before = await page.endpoint();
  await push.renewBrowsers();
  // The old endpoint is still active on the server, which learns of its end by sending.
  await expect.poll(() => app.subscribers()).toBe(2);
  expect(await page.endpoint()).not.toBe(before);
  expect(await app.send(news('新しい宛先'))).toMatchObject({ sent_count: 1, failed_expired: 1 });
  await page.notification('新しい宛先');
  expect(await app.subscribers()).toBe(1);
  expect(page.requests).toHaveLength(2);
});

test('a worker that does not reach the server tries again', async ({ app, hato, open, push, visit }) => {
  const page = await visit(await open());
  await page.subscribe();
  await hato.pause();
  const before = await push.registrations();
  await push.renewBrowsers();
  await expect.poll(() => push.registrations()).toBe(before + 1);
  await hato.resume();
  await expect.poll(() => app.subscribers()).toBe(2);
  expect((await app.send(news('届きました'))).sent_count).toBe(1);
  await page.notification('届きました');
  expect(page.requests).toHaveLength(2);
});

test('a subscription made with another key is replaced on load', async ({ app, hato, open, visit }) => {
  const site = await open();
  const page = await visit(site);
  await page.subscribe();
  await page.leave();
  await site.stop();

  const successor = await App.create(hato);
  const moved = await open({ port: site.port }, successor);
  const back = await visit(moved);
  await back.isIn('subscribed');
  expect(back.requests).toEqual(['GET /api/v1/vapid-public-key', 'POST /api/v1/subscriptions']);
  expect(await successor.send(news('新しい鍵'))).toMatchObject({ sent_count: 1, failed_count: 0 });
  await back.notification('新しい鍵');
  expect(await app.send(news('古い鍵'))).toMatchObject({ sent_count: 0, failed_expired: 1 });
});

test('a refusal is respected', async ({ app, firefox, open, visit }) => {
  const site = await open();
  await firefox.defaultBrowserContext().overridePermissions(site.url, []);
  const page = await visit(site);
  await page.isIn('denied');
  const refusal = await page.page.evaluate(() => hato.subscribe().then(() => '', (error) => error.code));
  expect(refusal).toBe('PERMISSION_DENIED');
  await page.isIn('denied');
  expect(page.requests.filter((request) => request.startsWith('POST'))).toEqual([]);
  expect(await app.subscribers()).toBe(0);
});

test('subscribers survive a restart of their browser', async ({ app, hato, open, push }) => {
  const profile = await mkdtemp(join(tmpdir(), 'hato-profile-'));
  const site = await open();
  const first = await startFirefox(push, profile);
  const page = await Visit.to(first, hato, site);
  await page.subscribe();
  const endpoint = await page.endpoint();
  await first.close();

  expect((await app.send(news('留守中に'))).sent_count).toBe(1);
  const second = await startFirefox(push, profile);
  const back = await Visit.to(second, hato, site);
  await back.isIn('subscribed');
  expect(back.requests).toEqual([]);
  expect(await back.endpoint()).toBe(endpoint);
  await back.notification('留守中に');
  expect((await app.send(news('起きてから'))).sent_count).toBe(1);
  await back.notification('起きてから');
  await second.close();
  await rm(profile, { recursive: true });
});
