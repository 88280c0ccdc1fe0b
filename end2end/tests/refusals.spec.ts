// What a visitor meets when the server refuses, is silent or is not there, and when the browser does, in a real Firefox.

import { startFirefox } from '../support/firefox.ts';
import { init, siteFiles } from '../support/site-files.ts';
import type { Fault } from '../support/fault-proxy.ts';
import { expect, test } from '../support/fixtures.ts';
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

test('whoever could not be registered is not subscribed', async ({ app, open, faultProxy, visit }) => {
  const page = await visit(await open({ server: faultProxy }));
  await page.waitForState('unsubscribed');
  for (const [fault, code] of failures) {
    faultProxy.fail(registration, fault);
    expect(await page.attempt('subscribe')).toBe(code);
    expect(await page.page.evaluate(() => hato.state()), code).toBe('unsubscribed');
    expect(await page.endpoints(), code).toEqual([]);
  }
  await page.waitForState('unsubscribed');
  expect(page.requests).toEqual([publicKey, ...failures.map(() => registration)]);

  faultProxy.fail(registration);
  await page.subscribe();
  expect(await app.subscribers()).toBe(1);
});

test('whoever leaves before the server has answered is registered later', async ({ app, open, faultProxy, visit }) => {
  const site = await open({ server: faultProxy });
  const page = await visit(site);
  await page.waitForState('unsubscribed');
  const held = faultProxy.hold(registration);
  await page.click('#subscribe');
  await held.arrived;
  await page.close();

  faultProxy.fail(registration, { status: 503 });
  const back = await visit(site);
  await back.waitForState('unsubscribed');
  expect(await back.endpoints()).toHaveLength(1);
  faultProxy.fail(registration);
  const later = await visit(site, 0.1);
  await later.waitForState('subscribed');
  expect(later.requests).toEqual([registration]);
  expect(await app.subscribers()).toBe(1);
});

test('a subscriber stays one while the server fails', async ({ app, open, faultProxy, visit }) => {
  const site = await open({ server: faultProxy });
  await (await visit(site)).subscribe();
  for (const [day, [fault, code]] of failures.entries()) {
    faultProxy.fail(registration, fault);
    const page = await visit(site, 2 + day);
    await page.waitForState('subscribed');
    expect(page.requests, code).toEqual([registration]);
    expect(await page.attempt('subscribe')).toBe(code);
    await page.waitForState('subscribed');
    expect(await page.endpoints(), code).toHaveLength(1);
  }
  expect((await app.send({ title: '変わりません', body: '本文' })).sent_count).toBe(1);
});

test('unsubscribed visitors ask a server that fails once a day, and with a click', async ({ app, open, faultProxy, visit }) => {
  const site = await open({ server: faultProxy });
  faultProxy.fail(publicKey, { status: 503 });
  for (const [day, requests] of [
    [0, [publicKey]],
    [0.1, []],
    [0.9, []],
    [1.1, [publicKey]],
  ] as const) {
    const page = await visit(site, day);
    await page.waitForState('unsubscribed');
    expect(page.requests, `day ${day}`).toEqual(requests);
  }
  const page = await visit(site, 1.2);
  await page.waitForState('unsubscribed');
  expect(await page.attempt('subscribe')).toBe('SERVER_ERROR');
  faultProxy.fail(publicKey);
  await page.subscribe();
  expect(page.requests).toEqual([publicKey, publicKey, registration]);
  expect(await app.subscribers()).toBe(1);
});

test('a server that never answers is waited for, but not for ever', async ({ open, faultProxy, visit, write }) => {
  const shortTimeouts = `
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    AbortSignal.timeout = (milliseconds) => timeout(milliseconds / 10);\n`;
  const folder = await write(siteFiles(shortTimeouts + init()));
  faultProxy.hold(publicKey);
  const page = await visit(await open({ folder, server: faultProxy }));
  await page.waitForState('unsubscribed');
  faultProxy.hold(registration);
  expect(await page.attempt('subscribe')).toBe('NETWORK_ERROR');
  expect(faultProxy.requests).toEqual([publicKey, publicKey, registration]);
  expect(await page.endpoints()).toEqual([]);
});

test('unsubscribing ends the browser’s part first', async ({ app, open, push, faultProxy, visit }) => {
  const page = await visit(await open({ server: faultProxy }));
  await page.subscribe();
  const unregistration = `DELETE /api/v1/apps/${app.id}/subscriptions`;
  const held = faultProxy.hold(unregistration);
  const before = await push.unregistrations();
  await page.click('#unsubscribe');
  await held.arrived;
  expect(await page.endpoints()).toEqual([]);
  await expect.poll(() => push.unregistrations()).toBe(before + 1);
  held.release();
  await page.waitForState('unsubscribed');
  expect(await app.subscribers()).toBe(0);

  await page.subscribe();
  faultProxy.fail(unregistration, {});
  expect(await page.attempt('unsubscribe')).toBe('NETWORK_ERROR');
  await page.waitForState('unsubscribed');
  expect(await page.endpoints()).toEqual([]);
});

test('a browser that blocks the site’s data is not bothered', async ({ open, push }) => {
  const blocking = await startFirefox(push, { prefs: { 'network.cookie.cookieBehavior': 2 } });
  const page = await Visit.open(blocking, await open());
  await page.waitForState('unsupported');
  expect(await page.attempt('subscribe')).toBe('STORAGE_BLOCKED');
  expect(page.requests).toEqual([]);
  expect(page.consoleErrors).toEqual([]);
  await blocking.close();
});
