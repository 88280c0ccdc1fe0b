// What the page script repairs on load, and how little it asks the server for, in a real Firefox.

import { App } from '../support/app.ts';
import { CustomerSite } from '../support/customer-site.ts';
import { Hato } from '../support/hato.ts';
import { init, siteFiles } from '../support/site-files.ts';
import { expect, test } from '../support/fixtures.ts';
import { Visit } from '../support/visit.ts';

const registration = 'POST /api/v1/subscriptions';
const notification = (title: string) => ({ title, body: '本文' });

test('a page view makes no request, and one a day later a single one', async ({ app, open, visit }) => {
  const site = await open();
  await (await visit(site)).subscribe();
  for (const [day, requests] of [
    [0, []],
    [0.9, []],
    [1.1, [registration]],
    [1.2, []],
    [2, []],
    [2.2, [registration]],
  ] as const) {
    const page = await visit(site, day);
    await page.waitForState('subscribed');
    expect(page.requests, `day ${day}`).toEqual(requests);
  }
  expect(await app.subscribers()).toBe(1);
});

test('of several tabs only one confirms the subscription', async ({ firefox, hato, open, visit }) => {
  const site = await open();
  await (await visit(site)).subscribe();
  const pages = await Promise.all([1, 2, 3].map(() => Visit.open(firefox, site, 3)));
  for (const page of pages) await page.waitForState('subscribed');
  expect(pages.flatMap((page) => page.requests)).toEqual([registration]);
  for (const page of pages) await page.dispose();
});

test('unsubscribed visitors cost one request, once', async ({ open, visit }) => {
  const site = await open();
  const first = await visit(site);
  await first.waitForState('unsubscribed');
  expect(first.requests).toEqual(['GET /api/v1/vapid-public-key']);
  const second = await visit(site, 30);
  await second.waitForState('unsubscribed');
  expect(second.requests).toEqual([]);
});

test('unsubscribed visitors with several tabs, and pages that call init twice, cost no more', async ({ firefox, open, write }) => {
  const site = await open({ folder: await write(siteFiles(`${init()};${init()}`)) });
  const pages = await Promise.all([1, 2, 3].map(() => Visit.open(firefox, site)));
  for (const page of pages) await page.waitForState('unsubscribed');
  expect(pages.flatMap((page) => page.requests)).toEqual(['GET /api/v1/vapid-public-key']);
  for (const page of pages) await page.dispose();
});

test('a registration that the server lost is made again', async ({ firefox, push }) => {
  const hato = await Hato.start(push);
  const app = await App.create(hato);
  const site = await CustomerSite.start(hato, app);
  await hato.backUp();
  const first = await Visit.open(firefox, site);
  await first.subscribe();
  await first.close();
  await hato.restore();
  expect(await app.subscribers()).toBe(0);

  const page = await Visit.open(firefox, site, 2);
  await page.waitForState('subscribed');
  expect(page.requests).toEqual([registration]);
  expect((await app.send(notification('復旧しました'))).sent_count).toBe(1);
  await page.notification('復旧しました');
  await page.dispose();
  await site.stop();
  await hato.stop();
});

test('an endpoint that was given up on is replaced', async ({ app, open, push, visit }) => {
  const site = await open();
  const page = await visit(site);
  await page.subscribe();
  const dead = await page.endpoint();
  await push.forget(dead);
  expect((await app.send(notification('届かない'))).failed_expired).toBe(1);
  expect(await app.subscribers()).toBe(0);

  const later = await visit(site, 2);
  await later.waitForState('subscribed');
  expect(later.requests).toEqual([registration, registration]);
  expect(await later.endpoint()).not.toBe(dead);
  expect(await app.send(notification('また届く'))).toMatchObject({ recipients: 1, sent_count: 1 });
  await later.notification('また届く');
});

test('a subscription that the browser lost without a word is made anew', async ({ app, open, visit }) => {
  const site = await open();
  const page = await visit(site);
  await page.subscribe();
  await page.page.evaluate(async () => {
    const registered = await navigator.serviceWorker.getRegistration();
    await (await registered?.pushManager.getSubscription())?.unsubscribe();
  });
  const back = await visit(site);
  await back.waitForState('subscribed');
  expect(back.requests).toEqual([registration]);
  expect(await app.send(notification('ただいま'))).toMatchObject({ recipients: 1, sent_count: 1 });
  await back.notification('ただいま');
});

/** Gives the visitor's browser a subscription made with another key, of which page and server know as of its own. */
async function subscribeWithAnotherKey({ page }: Visit): Promise<string> {
  return page.evaluate(async () => {
    const registration = (await navigator.serviceWorker.getRegistration())!;
    await (await registration.pushManager.getSubscription())!.unsubscribe();
    const { publicKey } = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits']);
    const applicationServerKey = await crypto.subtle.exportKey('raw', publicKey);
    const subscription = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
    const { endpoint } = subscription;
    const asked = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve) => (request.onsuccess = () => resolve(request.result)));
    const database = await asked(indexedDB.open('hato-push'));
    const values = () => database.transaction('values', 'readwrite').objectStore('values');
    const { baseUrl, appKey } = await asked(values().get(`settings ${registration.scope}`));
    const registered = await asked(values().get(`registered ${registration.scope}`));
    const publicKeyOfOld = btoa(String.fromCharCode(...new Uint8Array(applicationServerKey)));
    await asked(
      values().put({ ...registered, endpoint, publicKey: publicKeyOfOld }, `registered ${registration.scope}`),
    );
    database.close();
    const { p256dh, auth } = subscription.toJSON().keys!;
    const headers = { Authorization: `Bearer ${appKey}` };
    const body = JSON.stringify({ endpoint, p256dh, auth, replaces: registered.endpoint });
    await fetch(`${baseUrl}/api/v1/subscriptions`, { method: 'POST', headers, body });
    return endpoint;
  });
}

test('a subscription made with a replaced key gives up its endpoint', async ({ app, open, visit }) => {
  const site = await open();
  const page = await visit(site);
  await page.subscribe();
  const old = await subscribeWithAnotherKey(page);
  expect(await app.send(notification('古い鍵'))).toMatchObject({ recipients: 1, failed_other: 1 });

  const back = await visit(site);
  await back.waitForState('subscribed');
  expect(back.requests).toEqual([registration]);
  expect(await back.endpoint()).not.toBe(old);
  expect(await app.send(notification('新しい鍵'))).toMatchObject({ recipients: 1, sent_count: 1 });
  await back.notification('新しい鍵');
});

for (const [how, leave] of [
  ['closed', (page: Visit) => page.close()],
  ['left for another', (page: Visit) => page.page.goto(new URL('site.js', page.page.url()).href)],
] as const) {
  test(`a page that is ${how} in the middle of a repair blocks no other`, async ({ app, faultProxy, open, visit }) => {
    const site = await open({ server: faultProxy });
    await (await visit(site)).subscribe();
    const held = faultProxy.hold(registration);
    const page = await visit(site, 2);
    await held.arrived;
    await leave(page);
    held.release();
    const later = await visit(site, 2);
    await later.waitForState('subscribed');
    expect(later.requests).toEqual([registration]);
    expect(await app.subscribers()).toBe(1);
  });
}

test('a server that refuses is not asked again within the hour', async ({ app, open, visit }) => {
  const site = await open();
  await (await visit(site)).subscribe();
  await app.deleteSubscribeKey();
  for (const [day, requests] of [
    [2, [registration]],
    [2.01, []],
    [2.03, []],
    [2.05, [registration]],
  ] as const) {
    const page = await visit(site, day);
    await page.waitForState('subscribed');
    expect(page.requests, `day ${day}`).toEqual(requests);
  }
});

test('whoever unsubscribes during a repair stays unsubscribed', async ({ app, open, faultProxy, visit }) => {
  const site = await open({ server: faultProxy });
  await (await visit(site)).subscribe();
  const held = faultProxy.hold(registration);
  const page = await visit(site, 2);
  await held.arrived;
  const leaving = page.attempt('unsubscribe');
  await page.waitUntilBlockedOrUnsubscribed();
  held.release();
  expect(await leaving).toBe('');
  await page.waitForState('unsubscribed');
  expect(await app.subscribers()).toBe(0);
  expect(await page.endpoints()).toEqual([]);

  const later = await visit(site, 9);
  await later.waitForState('unsubscribed');
  expect(later.requests).toEqual([]);
});

test('a subscriber follows the worker to another scope', async ({ app, open, visit, write }) => {
  const site = await open({ folder: await write(siteFiles(init('scope: "/news/"'))) });
  const page = await visit(site);
  await page.subscribe();
  const before = await page.endpoint();
  await page.close();
  await site.stop();

  const moved = await open({ folder: await write(siteFiles(init('scope: "/offers/"'))), port: site.port });
  const back = await visit(moved);
  await back.waitForState('subscribed');
  expect(back.requests).toEqual([registration]);
  expect(await back.endpoint()).not.toBe(before);
  expect(await app.send(notification('引っ越しました'))).toMatchObject({ recipients: 1, sent_count: 1 });
  expect((await back.notification('引っ越しました')).scope).toBe(`${site.url}/offers/`);
  expect(await back.attempt('unsubscribe')).toBe('');
  expect(await app.subscribers()).toBe(0);
});
