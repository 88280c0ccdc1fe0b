// Sites with a worker of their own, as it comes, stays and goes, in a real Firefox.

import { join } from 'node:path';

import { App } from '../support/app.ts';
import { type CustomerSite, samples } from '../support/customer-site.ts';
import { importLine, init, siteFiles } from '../support/site-files.ts';
import { expect, test } from '../support/fixtures.ts';
import type { Visit } from '../support/visit.ts';

const registration = 'POST /api/v1/subscriptions';
const notification = (title: string) => ({ title, body: '本文' });
const beside = join(samples, 'existing-worker/beside');

/** A page that registers the site's own worker first. */
const afterRegistering = (worker: string, then: string) =>
  `navigator.serviceWorker.register("${worker}").then(() => ${then});`;

/** The newest script of each worker, by its scope's path. */
const workers = async (page: Visit) =>
  Object.fromEntries(
    await page.page.evaluate(async () => {
      const registrations = await navigator.serviceWorker.getRegistrations();
      return registrations.map(({ scope, installing, waiting, active }) => {
        const worker = installing ?? waiting ?? active;
        return [new URL(scope).pathname, worker?.scriptURL];
      });
    }),
  );

test('a worker that the site adds later does not take the subscriber away', async ({ app, open, visit }) => {
  const site = await open();
  const page = await visit(site);
  await page.subscribe();
  const before = await page.endpoint();
  await page.close();
  await site.stop();

  const back = await visit(await open({ folder: beside, port: site.port }));
  await back.waitForState('subscribed');
  expect(await back.endpoint()).not.toBe(before);
  expect(await app.send(notification('隣から'))).toMatchObject({ recipients: 1, sent_count: 1 });
  const { scope } = await back.notification('隣から');
  expect(scope).toBe(`${site.url}/hato-push/`);
});

test('a worker that the site adds later costs an unsubscribed visitor nothing', async ({ app, open, visit }) => {
  const site = await open();
  const page = await visit(site);
  await page.waitForState('unsubscribed');
  await page.close();
  await site.stop();

  const back = await visit(await open({ folder: beside, port: site.port }));
  await back.subscribe();
  expect(back.requests).toEqual([registration]);
  expect((await app.send(notification('隣から'))).sent_count).toBe(1);
  expect((await back.notification('隣から')).scope).toBe(`${site.url}/hato-push/`);
});

test('what was left behind ends with unsubscribing', async ({ app, open, faultProxy, visit }) => {
  const site = await open({ server: faultProxy });
  const page = await visit(site);
  await page.subscribe();
  await page.close();
  await site.stop();

  faultProxy.fail(registration, { status: 503 });
  const back = await visit(await open({ folder: beside, port: site.port, server: faultProxy }));
  await back.waitForState('subscribed');
  expect(await back.endpoints()).toHaveLength(2);
  expect(await back.attempt('unsubscribe')).toBe('');
  await back.waitForState('unsubscribed');
  expect(await back.endpoints()).toEqual([]);
  expect(await app.subscribers()).toBe(0);
});

test('a worker that the site names with its version stays as it is', async ({ app, open, visit, write }) => {
  const script = afterRegistering('/sw.js?v=12', init('serviceWorker: "/sw.js"'));
  const site = await open({ folder: await write({ ...siteFiles(script), 'sw.js': importLine }) });
  const page = await visit(site);
  await page.subscribe();
  expect(await workers(page)).toEqual({ '/': `${site.url}/sw.js?v=12` });
  expect((await app.send(notification('十二版'))).sent_count).toBe(1);
  await page.notification('十二版');
  const later = await visit(site, 2);
  await later.waitForState('subscribed');
  expect(later.requests).toEqual([registration]);
  expect(await workers(later)).toEqual({ '/': `${site.url}/sw.js?v=12` });
});

test('another version of Hato’s own worker replaces the one before', async ({ open, visit, write }) => {
  const version = (number: number) => write(siteFiles(init(`serviceWorker: "/hato-sw.js?v=${number}"`)));
  const site = await open({ folder: await version(1) });
  const page = await visit(site);
  await page.subscribe();
  const endpoint = await page.endpoint();
  await page.close();
  await site.stop();

  const back = await visit(await open({ folder: await version(2), port: site.port }), 2);
  await back.waitForState('subscribed');
  expect(back.requests).toEqual([registration]);
  expect(await workers(back)).toEqual({ '/': `${site.url}/hato-sw.js?v=2` });
  expect(await back.endpoint()).toBe(endpoint);
});

/** A site whose worker imports Hato and shows by itself what another service sends. */
const twoServices = {
  ...siteFiles(afterRegistering('/sw.js', init('serviceWorker: "/sw.js"'))),
  'sw.js': `${importLine}
    addEventListener("push", (event) => {
      const { title } = event.data.json();
      event.waitUntil(registration.showNotification("サイト: " + title, { tag: "own" }));
    });`,
};

/** Subscribes to the site's other service, as its own script does. */
async function subscribeElsewhere(page: Visit, site: CustomerSite, { subscribeKey }: App): Promise<void> {
  await page.page.evaluate(
    async (server, key) => {
      const headers = { Authorization: `Bearer ${key}` };
      const { publicKey } = await (await fetch(`${server}/api/v1/vapid-public-key`, { headers })).json();
      const { pushManager } = await navigator.serviceWorker.ready;
      const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
      const body = JSON.stringify({ endpoint: made.endpoint, ...made.toJSON().keys });
      await fetch(`${server}/api/v1/subscriptions`, { method: 'POST', headers, body });
    },
    site.server,
    subscribeKey,
  );
}

const titles = (page: Visit) =>
  page.page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    return (await registration.getNotifications()).map(({ title }) => title).sort();
  });

test('a site’s other push service keeps its subscription and its messages', async ({ app, hato, open, visit, write }) => {
  const other = await App.create(hato);
  const site = await open({ folder: await write(twoServices) });
  const page = await visit(site);
  await page.waitForState('unsubscribed');
  await subscribeElsewhere(page, site, other);
  const endpoint = await page.endpoint();

  // It might have been imported, so the server is asked: once a day, and by no other page view.
  for (const requests of [[registration], []]) {
    const view = await visit(site, 2);
    await view.waitForState('unsubscribed');
    expect(view.requests).toEqual(requests);
  }
  const later = await visit(site, 2);
  await later.waitForState('unsubscribed');
  expect(await later.endpoint()).toBe(endpoint);
  expect((await other.send(notification('よそから'))).sent_count).toBe(1);
  await later.notification('サイト: よそから');

  // One registration has one subscription: with a click, Hato's takes the place of the other.
  await later.subscribe();
  expect((await app.send(notification('はとから'))).sent_count).toBe(1);
  await later.notification('はとから');
  await later.notification('サイト: はとから');
  expect(await titles(later)).toEqual(['はとから', 'サイト: はとから'].sort());
  expect((await other.send(notification('もう届かない'))).failed_expired).toBe(1);
});
