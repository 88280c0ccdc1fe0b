// What a visitor meets when the server refuses, is silent or is not there, and when the browser does, in a real Firefox.

import { startFirefox } from '../support/firefox.ts';
import { init, site as files } from '../support/pages.ts';
import type { Fault } from '../support/relay.ts';
import { expect, test } from '../support/stage.ts';
import { Visit } from '../support/visit.ts';

const registration = 'POST /api/v1/subscriptions';
const publicKey = 'GET /api/v1/vapid-public-key';

const refusal = (status: number, code: string): Fault => ({ status, body: JSON.stringify({ error: 'だめ', code }) });

const failures: [Fault, string][] = [
  [refusal(429, 'RATE_LIMITED'), 'RATE_LIMITED'],
  [refusal(500, 'INTERNAL_ERROR'), 'INTERNAL_ERROR'],
  [{ status: 503, body: '<h1>Service Unavailable</h1>' }, 'SERVER_ERROR'],
  [{ status: 200, body: '<h1>Please sign in to the Wi-Fi</h1>' }, 'SERVER_ERROR'],
  [{}, 'NETWORK_ERROR'],
];

test('whoever could not be registered is not subscribed', async ({ app, open, relay, visit }) => {
  const page = await visit(await open({ server: relay }));
  await page.isIn('unsubscribed');
  for (const [fault, code] of failures) {
    relay.fail(registration, fault);
    expect(await page.attempt('subscribe')).toBe(code);
    expect(await page.page.evaluate(() => hato.state()), code).toBe('unsubscribed');
    expect(await page.endpoints(), code).toEqual([]);
  }
  await page.isIn('unsubscribed');
  expect(page.requests).toEqual([publicKey, ...failures.map(() => registration)]);

  relay.fail(registration);
  await page.subscribe();
  expect(await app.subscribers()).toBe(1);
});

test('whoever leaves before the server has answered is registered later', async ({ app, open, relay, visit }) => {
  const site = await open({ server: relay });
  const page = await visit(site);
  await page.isIn('unsubscribed');
  const held = relay.hold(registration);
  await page.click('#subscribe');
  await held.arrived;
  await page.leave();

  relay.fail(registration, { status: 503 });
  const back = await visit(site);
  await back.isIn('unsubscribed');
  expect(await back.endpoints()).toHaveLength(1);
  relay.fail(registration);
  const later = await visit(site, 0.1);
  await later.isIn('subscribed');
  expect(later.requests).toEqual([registration]);
  expect(await app.subscribers()).toBe(1);
});

test('a subscriber stays one while the server fails', async ({ app, open, relay, visit }) => {
  const site = await open({ server: relay });
  await (await visit(site)).subscribe();
  for (const [day, [fault, code]] of failures.entries()) {
    relay.fail(registration, fault);
    const page = await visit(site, 2 + day);
    await page.isIn('subscribed');
    expect(page.requests, code).toEqual([registration]);
    expect(await page.attempt('subscribe')).toBe(code);
    await page.isIn('subscribed');
    expect(await page.endpoints(), code).toHaveLength(1);
  }
  expect((await app.send({ title: '変わりません', body: '本文' })).sent_count).toBe(1);
});

test('strangers ask a server that fails once a day, and with a click', async ({ app, open, relay, visit }) => {
  const site = await open({ server: relay });
  relay.fail(publicKey, { status: 503 });
  for (const [day, requests] of [
    [0, [publicKey]],
    [0.1, []],
    [0.9, []],
    [1.1, [publicKey]],
  ] as const) {
    const page = await visit(site, day);
    await page.isIn('unsubscribed');
    expect(page.requests, `day ${day}`).toEqual(requests);
  }
  const page = await visit(site, 1.2);
  await page.isIn('unsubscribed');
  expect(await page.attempt('subscribe')).toBe('SERVER_ERROR');
  relay.fail(publicKey);
  await page.subscribe();
  expect(page.requests).toEqual([publicKey, publicKey, registration]);
  expect(await app.subscribers()).toBe(1);
});

test('a server that never answers is waited for, but not for ever', async ({ open, relay, visit, write }) => {
  const hurry = `
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    AbortSignal.timeout = (milliseconds) => timeout(milliseconds / 10);\n`;
  const folder = await write(files(hurry + init()));
  relay.hold(publicKey);
  const page = await visit(await open({ folder, server: relay }));
  await page.isIn('unsubscribed');
  relay.hold(registration);
  expect(await page.attempt('subscribe')).toBe('NETWORK_ERROR');
  expect(relay.requests).toEqual([publicKey, publicKey, registration]);
  expect(await page.endpoints()).toEqual([]);
});

test('unsubscribing ends the browser’s part first', async ({ app, open, push, relay, visit }) => {
  const page = await visit(await open({ server: relay }));
  await page.subscribe();
  const farewell = `DELETE /api/v1/apps/${app.id}/subscriptions`;
  const held = relay.hold(farewell);
  const before = await push.unregistrations();
  await page.click('#unsubscribe');
  await held.arrived;
  expect(await page.endpoints()).toEqual([]);
  await expect.poll(() => push.unregistrations()).toBe(before + 1);
  held.release();
  await page.isIn('unsubscribed');
  expect(await app.subscribers()).toBe(0);

  await page.subscribe();
  relay.fail(farewell, {});
  expect(await page.attempt('unsubscribe')).toBe('NETWORK_ERROR');
  await page.isIn('unsubscribed');
  expect(await page.endpoints()).toEqual([]);
});

test('a browser that blocks the site’s data is not bothered', async ({ open, push }) => {
  const blocking = await startFirefox(push, { prefs: { 'network.cookie.cookieBehavior': 2 } });
  const page = await Visit.to(blocking, await open());
  await page.isIn('unsupported');
  expect(await page.attempt('subscribe')).toBe('STORAGE_BLOCKED');
  expect(page.requests).toEqual([]);
  expect(page.complaints).toEqual([]);
  await blocking.close();
});
