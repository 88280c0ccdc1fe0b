// Visitors who come from another service: its worker gives way to Hato's, and who was imported stays who they are
// (CONTRACT 16), in a real Firefox.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from '../support/fixtures.ts';
import { siteFiles } from '../support/site-files.ts';
import type { Visit } from '../support/visit.ts';

const settings = 'GET /api/v1/vapid-public-key';
const registration = 'POST /api/v1/subscriptions';
const notification = (title: string) => ({ title, body: '本文' });
const who = { user_id: 'user-1', tags: ['news'] };

const guide = readFileSync(join(import.meta.dirname, '../../docs/guides/MOVING.md'), 'utf8');

/** The guide's samples: the other service's worker file from now on, the call on a page, and the command for the console of one. */
const [workerFile, initCall, consoleCommand] = [...guide.matchAll(/^( *)```js\n(.*?)\n\1```$/gms)].map(([, , sample]) => sample);
const scopeOption = 'scope: "/"';
if (!workerFile || !initCall?.includes(scopeOption) || !consoleCommand) throw new Error('the guide has no such samples');

/** Hato's page as the guide has it, with this option for its scope, and where the other service's worker was, this worker. */
const site = (option: string, worker: string) => ({
  ...siteFiles(initCall.replace(scopeOption, option)),
  'service-worker.js': worker,
});

/** The other service's worker shows each push in its own way. */
const oldWorker = `
  addEventListener("push", (event) => {
    event.waitUntil(registration.showNotification("前の: " + event.data.text()));
  });`;
const oldSite = { ...siteFiles(''), 'service-worker.js': oldWorker };

/** A subscription as the other service's export has it, and the private key that it was made with. */
interface OldSubscriber {
  subscription: { endpoint: string; p256dh: string; auth: string; vapid_public_key: string };
  privateKey: object;
}

/** Subscribes as the other service's page does, with its worker at this scope. */
function subscribeElsewhere({ page }: Visit, scope: string): Promise<OldSubscriber> {
  return page.evaluate(async (scope) => {
    const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign']);
    const applicationServerKey = await crypto.subtle.exportKey('raw', pair.publicKey);
    const registration = await navigator.serviceWorker.register('/service-worker.js', { scope });
    const worker = registration.installing ?? registration.waiting;
    await new Promise<void>((resolve) => {
      if (registration.active || !worker) return resolve();
      worker.addEventListener('statechange', () => worker.state === 'activated' && resolve());
    });
    const made = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
    const base64 = btoa(String.fromCharCode(...new Uint8Array(applicationServerKey)));
    const vapid_public_key = base64.replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '');
    const { p256dh, auth } = made.toJSON().keys as { p256dh: string; auth: string };
    const subscription = { endpoint: made.endpoint, p256dh, auth, vapid_public_key };
    return { subscription, privateKey: await crypto.subtle.exportKey('jwk', pair.privateKey) };
  }, scope);
}

/** Resolves when this file is the worker that receives at the scope, and no other waits to. */
async function waitForWorker({ page }: Visit, scope: string, file: string): Promise<void> {
  const isThere = async (scope: string, file: string) => {
    const all = await navigator.serviceWorker.getRegistrations();
    const found = all.find((it) => new URL(it.scope).pathname === scope);
    const isAlone = found && !found.installing && !found.waiting;
    return isAlone && found.active?.state === 'activated' && new URL(found.active.scriptURL).pathname === file;
  };
  await page.waitForFunction(isThere, { polling: 20 }, scope, file);
}

interface Moved {
  old: OldSubscriber;
  /** Opens a later form of the site, at the same address. */
  reopen(files: Record<string, string>): Promise<Visit>;
}

const movingTest = test.extend<{ move: (scope: string) => Promise<Moved> }>({
  /** A visitor of a site that has used another service so far. */
  move: async ({ open, visit, write }, use) => {
    await use(async (scope) => {
      const before = await open({ folder: await write(oldSite) });
      const page = await visit(before);
      const old = await subscribeElsewhere(page, scope);
      await page.close();
      await before.stop();
      const reopen = async (files: Record<string, string>) =>
        visit(await open({ folder: await write(files), port: before.port }));
      return { old, reopen };
    });
  },
});

for (const scope of ['/', '/firebase-cloud-messaging-push-scope']) {
  movingTest(`Hato’s worker takes over at ${scope}, and the endpoint of an imported key stays`, async ({ app, move }) => {
    const { old, reopen } = await move(scope);
    await app.importVapidKey(old.privateKey, true);
    await app.importSubscriptions([{ ...old.subscription, ...who }]);
    const page = await reopen(site(`scope: "${scope}"`, oldWorker));
    await page.waitForState('subscribed');
    expect(page.requests).toEqual([settings, registration]);
    expect(await page.endpoint()).toBe(old.subscription.endpoint);
    expect(await app.visitor(old.subscription.endpoint)).toMatchObject(who);
    await waitForWorker(page, scope, '/hato-sw.js');
    expect(await app.send(notification('引っ越しました'))).toMatchObject({ recipients: 1, sent_count: 1 });
    expect((await page.notification('引っ越しました')).scope).toBe(new URL(scope, page.page.url()).href);
  });
}

for (const [where, options, worker] of [
  ['Hato’s own', scopeOption, oldWorker],
  ['the site’s own', 'serviceWorker: "/service-worker.js"', workerFile],
] as const) {
  movingTest(`an imported visitor moves to the primary key and stays who they are, in ${where} worker`, async ({ app, move }) => {
    const { old, reopen } = await move('/');
    await app.importVapidKey(old.privateKey, false);
    await app.importSubscriptions([{ ...old.subscription, ...who }]);
    const page = await reopen(site(options, worker));
    await page.waitForState('subscribed');
    expect(page.requests).toEqual([settings, registration, registration]);
    const after = await page.endpoint();
    expect(after).not.toBe(old.subscription.endpoint);
    expect(await app.visitor(after)).toMatchObject(who);
    expect(await app.send(notification('鍵も新しく'))).toMatchObject({ recipients: 1, sent_count: 1 });
  });
}

test('the guide’s command tells the worker and the scope that a visitor has', async ({ open, visit, write }) => {
  const page = await visit(await open({ folder: await write(oldSite) }));
  await subscribeElsewhere(page, '/push/old/');
  const found = await page.page.evaluate(`(async () => { return ${consoleCommand} })()`);
  const at = (path: string) => new URL(path, page.page.url()).href;
  expect(found).toEqual([[at('/push/old/'), at('/service-worker.js')]]);
});

movingTest('a subscription that was not imported is replaced where the file is Hato’s alone', async ({ app, move }) => {
  const { old, reopen } = await move('/');
  const page = await reopen(site(scopeOption, oldWorker));
  await page.waitForState('subscribed');
  expect(page.requests).toEqual([settings, registration, registration]);
  expect(await page.endpoint()).not.toBe(old.subscription.endpoint);
  await waitForWorker(page, '/', '/hato-sw.js');
  expect(await app.send(notification('はじめまして'))).toMatchObject({ recipients: 1, sent_count: 1 });
  await page.notification('はじめまして');
});

movingTest('who does not come back receives in the old file, which has Hato’s line', async ({ app, move }) => {
  const { old, reopen } = await move('/push/old/');
  await app.importVapidKey(old.privateKey, true);
  await app.importSubscriptions([old.subscription]);
  // No page of Hato's has been seen: the browser looks for a newer worker by itself, as it does each day.
  const page = await reopen({ ...siteFiles(''), 'service-worker.js': workerFile });
  await page.page.evaluate(async () => {
    for (const registration of await navigator.serviceWorker.getRegistrations()) await registration.update();
  });
  await waitForWorker(page, '/push/old/', '/service-worker.js');
  expect(await app.send(notification('ここでも'))).toMatchObject({ recipients: 1, sent_count: 1 });
  expect((await page.notification('ここでも')).scope).toContain('/push/old/');
  expect(await page.endpoint()).toBe(old.subscription.endpoint);
});
