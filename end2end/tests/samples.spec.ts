// The three ways onto a site that docs/EMBED.md describes, each from its sample, in a real Firefox.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';

import type { App } from '../support/app.ts';
import { samples } from '../support/customer-site.ts';
import { expect, test } from '../support/fixtures.ts';
import type { Visit } from '../support/visit.ts';

/** Subscribes with the page's button and is notified; resolves with the scope of the worker that did it. */
async function subscribeAndReceive(page: Visit, app: App): Promise<string> {
  await page.subscribe();
  expect((await app.send({ title: '通知', body: '本文' })).sent_count).toBe(1);
  const { scope } = await page.notification('通知');
  expect(page.consoleErrors).toEqual([]);
  return new URL(scope).pathname;
}

test('a plain HTML site', async ({ app, open, visit }) => {
  const page = await visit(await open({ folder: join(samples, 'plain') }));
  expect(await subscribeAndReceive(page, app)).toBe('/');
});

test('the bell of a plain HTML site', async ({ app, open, visit }) => {
  const page = await visit(await open({ folder: join(samples, 'plain') }));
  await page.waitForState('unsubscribed');
  const pressed = () => page.page.$eval('hato-bell >>> button', (bell) => bell.ariaPressed);
  expect(await pressed()).toBe('false');
  await page.click('hato-bell >>> button');
  await page.waitForState('subscribed');
  expect(await pressed()).toBe('true');
  expect(await app.subscribers()).toBe(1);
  await page.click('hato-bell >>> button');
  await page.waitForState('unsubscribed');
  expect(await pressed()).toBe('false');
  await expect.poll(() => app.subscribers()).toBe(0);
});

test('a site whose own worker imports Hato', async ({ app, open, visit }) => {
  const site = await open({ folder: join(samples, 'existing-worker/imported') });
  const page = await visit(site);
  expect(await subscribeAndReceive(page, app)).toBe('/');

  // The site's own handlers: its pages without the site, and a notification of its own.
  await page.page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    registration.active?.postMessage('お茶の時間');
  });
  expect((await page.notification('お茶の時間')).data).toBeNull();
  await site.stop();
  await page.page.reload();
  await page.waitForState('subscribed');
});

test('a site whose own worker is left as it is', async ({ app, open, visit }) => {
  const site = await open({ folder: join(samples, 'existing-worker/beside') });
  const page = await visit(site);
  expect(await subscribeAndReceive(page, app)).toBe('/hato-push/');
  const workers = await page.page.evaluate(async () => {
    const registrations = await navigator.serviceWorker.getRegistrations();
    return registrations.map(({ scope, active }) => [new URL(scope).pathname, active?.scriptURL]);
  });
  expect(Object.fromEntries(workers)).toEqual({
    '/': `${site.url}/sw.js`,
    '/hato-push/': `${site.url}/hato-sw.js`,
  });
  const again = await visit(site);
  await again.waitForState('subscribed');
  expect(again.requests).toEqual([]);
});

test('a React app', async ({ app, open, visit }) => {
  const folder = await mkdtemp(join(tmpdir(), 'hato-react-'));
  await build({ root: join(samples, 'react'), build: { outDir: folder, emptyOutDir: true }, logLevel: 'warn' });
  const page = await visit(await open({ folder }));
  expect(await subscribeAndReceive(page, app)).toBe('/');
  await page.click('#unsubscribe');
  await page.waitForState('unsubscribed');
  // The page shows the browser's part before the server has been told of it.
  await expect.poll(() => app.subscribers()).toBe(0);
  await rm(folder, { recursive: true });
});
